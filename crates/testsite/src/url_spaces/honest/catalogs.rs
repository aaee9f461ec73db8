//! Thousands of thin records, and the lists that lead to them.

use std::fmt::Write as _;

use super::super::UrlSpace;
use super::super::builder::{Builder, link, paragraph};
use super::super::calendar_date::month_name;
use super::super::prose::{slug, title, token, word};
use crate::pseudo_random::{below, mix};

/// A library: each book is a record of a few words that leads to others by the same author and about the same subject.
pub(super) fn library_catalog(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/browse/subjects", "/help"]);
    let books = 2_200 + u64::from(builder.choose(800, 1));
    let subjects = 60;
    let record = |book: u64| format!("/record/b{}", 1_000_000 + book * 7);
    let mut by_subject = vec![Vec::new(); 60];
    for book in 0..books {
        let subject = mix(seed, book) % subjects;
        by_subject[usize::try_from(subject).unwrap_or_default()].push(book);
        let author = mix(seed, book + 40_000) % 400;
        let content = format!(
            "<table><tr><td>Title</td><td>{}</td></tr><tr><td>Author</td><td>{} {}</td></tr><tr><td>Year</td><td>{}</td></tr>\
             <tr><td>Call number</td><td>{}.{}</td></tr><tr><td>Status</td><td>{}</td></tr></table>{}",
            title(seed, book),
            word(author),
            word(author / 3 + 50),
            1900 + below(120, seed, book),
            below(900, seed, book + 1),
            below(90, seed, book + 2),
            ["Available", "On loan", "Reference only"]
                [usize::try_from(mix(seed, book + 3) % 3).unwrap_or_default()],
            link(&format!("/subject/{subject}"), word(subject)),
        );
        builder.page(record(book), &title(seed, book), &content);
    }
    let mut all = String::new();
    for (subject, found) in (0_u64..).zip(&by_subject) {
        let target = |page: usize| match page {
            1 => format!("/subject/{subject}"),
            page => format!("/subject/{subject}?page={page}"),
        };
        all.push_str(&link(&target(1), word(subject)));
        let pages = found.chunks(20).count();
        for (at, books) in (1..).zip(found.chunks(20)) {
            let mut content = String::new();
            for book in books {
                content.push_str(&link(&record(*book), &title(seed, *book)));
            }
            if at < pages {
                content.push_str(&link(&target(at + 1), "Next"));
            }
            builder.page(target(at), word(subject), &content);
        }
    }
    builder.page("/browse/subjects", "Subjects", &all);
    builder.page("/help", "Help", &paragraph(seed, 90));
    builder.page("/", "Catalog", &paragraph(seed, 30));
    builder.finish()
}

/// A small job board: lists of all jobs and by place and contract, page by page.
pub(super) fn job_board(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/jobs", "/employers"]);
    let jobs: Vec<u64> = (0..180 + u64::from(builder.choose(120, 1))).collect();
    let job_target = |job: u64| format!("/jobs/{}-{}", 88_000 + job, slug(seed, job));
    for job in &jobs {
        let apply = "<p>Please send your application with your CV to the address below. We look forward to hearing from you.</p>";
        let content = paragraph(mix(seed, *job), 30 + builder.choose(50, *job)) + apply;
        builder.page(job_target(*job), &title(seed, *job), &content);
    }
    let places = 9_u32;
    let contracts = 4_u32;
    let place = |job: u64| below(places, mix(seed, 8), job);
    let contract = |job: u64| below(contracts, mix(seed, 9), job);
    let mut queries: Vec<(String, Vec<u64>)> = vec![(String::new(), jobs.clone())];
    for p in 0..places {
        let found: Vec<u64> = jobs
            .iter()
            .copied()
            .filter(|job| place(*job) == p)
            .collect();
        for c in 0..contracts {
            let both = found
                .iter()
                .copied()
                .filter(|job| contract(*job) == c)
                .collect();
            queries.push((
                format!(
                    "location={}&type={}",
                    word(u64::from(p)),
                    word(u64::from(c) + 60)
                ),
                both,
            ));
        }
        queries.push((format!("location={}", word(u64::from(p))), found));
    }
    for (query, found) in &queries {
        let target = |page: usize| {
            let paging = (page > 1).then(|| format!("page={page}"));
            let parts: Vec<String> = [
                Some(query.clone()).filter(|query| !query.is_empty()),
                paging,
            ]
            .into_iter()
            .flatten()
            .collect();
            match parts.join("&") {
                query if query.is_empty() => "/jobs".to_owned(),
                query => format!("/jobs?{query}"),
            }
        };
        let pages = found.chunks(15).count();
        for (at, jobs) in (1..).zip(found.chunks(15)) {
            let mut content = format!("<p>{} jobs found</p>", found.len());
            for job in jobs {
                content.push_str(&link(&job_target(*job), &title(seed, *job)));
            }
            for (other, _) in queries.iter().filter(|(other, _)| {
                !other.is_empty()
                    && !query.contains("type=")
                    && other.starts_with(query.as_str())
                    && other.split('&').count() <= 1 + usize::from(!query.is_empty())
            }) {
                content.push_str(&link(&format!("/jobs?{other}"), other));
            }
            if at < pages {
                content.push_str(&link(&target(at + 1), "Next"));
            }
            builder.page(target(at), "Jobs", &content);
        }
        // Choices that nobody offers are linked as well.
        if found.is_empty() {
            builder.filler(target(1), "Jobs", "<p>0 jobs found</p>");
        }
    }
    builder.page("/employers", "Employers", &paragraph(seed, 80));
    builder.page("/", "Jobs", &paragraph(seed, 40));
    builder.finish()
}

/// Albums of photographs without any text; each photo links to the ones beside it and to its album.
pub(super) fn photo_albums(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &[]);
    let mut home = String::new();
    for album in 0..10 + u64::from(builder.choose(20, 1)) {
        let photos = 8 + u64::from(below(50, seed, album));
        let name = slug(seed, album + 13_000);
        let mut thumbnails = String::new();
        let target =
            |photo: u64| format!("/albums/{name}/IMG_{:04}.html", 1_000 + album * 61 + photo);
        for photo in 0..photos {
            let file = token(seed, album * 1_000 + photo);
            let _ = write!(
                thumbnails,
                "<a href=\"{}\"><img src=\"/thumbs/{file}.jpg\"></a>",
                target(photo)
            );
            let mut html = format!(
                "<html><head><title>IMG_{}</title></head><body><a href=\"./\">up</a>",
                1_000 + album * 61 + photo
            );
            for other in [photo.wrapping_sub(1), photo + 1] {
                if other < photos {
                    html.push_str(&link(&target(other), "&lt;&gt;"));
                }
            }
            let _ = write!(html, "<img src=\"/photos/{file}.jpg\"></body></html>");
            builder.bare_page(target(photo), html);
        }
        let index = format!("/albums/{name}/");
        home.push_str(&link(&index, &name));
        builder.bare_page(index, format!("<html><body>{thumbnails}</body></html>"));
    }
    builder.page("/", "Albums", &home);
    builder.finish()
}

/// A mailing list by month, each month by thread, author and date; each message links to the ones beside it.
pub(super) fn mailing_list(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/lists/info"]);
    let mut home = String::new();
    let mut number = 0_u64;
    for month in 0..60_i64 {
        let folder = format!(
            "/lists/devel/{}-{}",
            2003 + month / 12,
            month_name(month % 12 + 1)
        );
        let messages = u64::from(below(60, seed, month.unsigned_abs()));
        let mut list = String::new();
        for message in number..number + messages {
            let target = |message: u64| format!("{folder}/{message:06}.html");
            list.push_str(&link(&target(message), &title(seed, message % 15_000)));
            let mut content = format!(
                "<pre>{}</pre>",
                paragraph(mix(seed, message), 5 + below(120, seed, message))
            );
            if message > number {
                content.push_str(&link(&target(message - 1), "Previous message"));
            }
            if message + 1 < number + messages {
                content.push_str(&link(&target(message + 1), "Next message"));
            }
            builder.page(target(message), &title(seed, message % 15_000), &content);
        }
        for order in ["thread", "author", "date"] {
            let target = format!("{folder}/{order}.html");
            home.push_str(&link(&target, order));
            // The same messages in another order.
            if order == "thread" {
                builder.page(target, "Archive", &list);
            } else {
                builder.filler(
                    target,
                    "Archive",
                    &format!("<p>sorted by {order}</p>{list}"),
                );
            }
        }
        number += messages;
    }
    builder.page("/", "Archives", &home);
    builder.page("/lists/info", "About this list", &paragraph(seed, 70));
    builder.finish()
}
