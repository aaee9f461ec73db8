//! Sites with two kinds of pages that lead to each other.

use super::super::UrlSpace;
use super::super::builder::{Builder, link, paragraph};
use super::super::prose::{slug, title};
use crate::pseudo_random::{below, mix};

/// Pages about the site itself, linked from the home page.
fn about(builder: &mut Builder, home: &mut String, pages: u64) {
    for number in 0..pages {
        let seed = builder.seed;
        let target = format!("/about/{}", slug(seed, number + 15_000));
        home.push_str(&link(&target, "About us"));
        builder.page(
            target,
            "About us",
            &paragraph(mix(seed, number + 60_000), 60),
        );
    }
}

/// Authors in an index of forty pages; each has a few books, each book leads to its author and to two similar books.
pub(super) fn authors_and_books(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/authors?page=1"]);
    let (mut home, authors) = (String::new(), 600_u64);
    about(&mut builder, &mut home, 50);
    let author = |number: u64| format!("/authors/{}", slug(seed, number));
    let book = |number: u64| format!("/books/{}", slug(seed, number + 2_000));
    let mut books = 0;
    for number in 0..authors {
        let mut content = paragraph(mix(seed, number), 30);
        for _ in 0..=below(5, seed, number) {
            content.push_str(&link(&book(books), &title(seed, books + 2_000)));
            let similar = [books + 11, mix(seed, books) % 1_800]
                .map(|other| link(&book(other % 1_800), "Similar"));
            let text = paragraph(mix(seed, books + 40_000), 50);
            let of_author = link(&author(number), "Author");
            builder.page(
                book(books),
                &title(seed, books + 2_000),
                &(text + &of_author + &similar.concat()),
            );
            books += 1;
        }
        builder.page(author(number), &title(seed, number), &content);
    }
    // Similar books that no author has.
    for number in books..1_800 {
        let content = paragraph(mix(seed, number + 40_000), 50);
        let similar = [number + 11, mix(seed, number) % 1_800]
            .map(|other| link(&book(other % 1_800), "Similar"));
        builder.page(
            book(number),
            &title(seed, number + 2_000),
            &(content + &similar.concat()),
        );
    }
    for page in 1..=40 {
        let mut content = String::new();
        for number in (page - 1) * 15..page * 15 {
            content.push_str(&link(&author(number), &title(seed, number)));
        }
        for other in 1..=40 {
            content.push_str(&link(&format!("/authors?page={other}"), &other.to_string()));
        }
        builder.page(format!("/authors?page={page}"), "Authors", &content);
    }
    builder.page("/", "Home", &home);
    builder.finish()
}

/// Questions with three tags each; a tag leads to its questions, the home page only to a few of them.
pub(super) fn questions_and_tags(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &[]);
    let (mut home, questions, tags) = (String::new(), 1_500_u64, 300_u64);
    about(&mut builder, &mut home, 60);
    let question = |number: u64| format!("/questions/{number}");
    let tag = |number: u64| format!("/tagged/{}", slug(seed, number));
    let tags_of = |number: u64| {
        [
            number % tags,
            mix(seed, number) % tags,
            mix(seed, number + 9_000) % tags,
        ]
    };
    for number in 0..questions {
        let content = tags_of(number)
            .map(|number| link(&tag(number), &title(seed, number)))
            .concat();
        let text = paragraph(mix(seed, number), 40);
        builder.page(question(number), &title(seed, number), &(text + &content));
    }
    for at in 0..tags {
        let of_tag = (0..questions).filter(|number| tags_of(*number).contains(&at));
        let content: String = of_tag
            .map(|number| link(&question(number), &title(seed, number)))
            .collect();
        builder.page(tag(at), &title(seed, at), &content);
    }
    for number in 0..3 {
        home.push_str(&link(&question(number * 31), "Question"));
    }
    builder.page("/", "Home", &home);
    builder.finish()
}

/// Films and the people in them, found from one film on.
pub(super) fn films_and_actors(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &[]);
    let (mut home, films, actors) = (String::new(), 1_000_u64, 1_500_u64);
    about(&mut builder, &mut home, 120);
    let cast = |film: u64| {
        (0..3 + film % 3).map(move |at| (film * 3 + mix(seed, film * 10 + at) % 400) % actors)
    };
    for film in 0..films {
        let content: String = cast(film)
            .map(|actor| link(&format!("/actor/{actor}"), &title(seed, actor)))
            .collect();
        let text = paragraph(mix(seed, film), 50);
        builder.page(
            format!("/film/{film}"),
            &title(seed, film + 3_000),
            &(text + &content),
        );
    }
    for actor in 0..actors {
        let of_actor = (0..films).filter(|film| cast(*film).any(|other| other == actor));
        let content: String = of_actor
            .map(|film| link(&format!("/film/{film}"), &title(seed, film + 3_000)))
            .collect();
        if !content.is_empty() {
            let text = paragraph(mix(seed, actor + 20_000), 20);
            builder.page(
                format!("/actor/{actor}"),
                &title(seed, actor),
                &(text + &content),
            );
        }
    }
    home.push_str(&link("/film/1", "Film of the month"));
    builder.page("/", "Home", &home);
    builder.finish()
}

/// The descendants of one couple: persons lead to their families, families to the children. A third of the persons have none.
pub(super) fn family_tree(seed: u64) -> UrlSpace {
    let mut builder = Builder::new(seed, &["/person/1"]);
    let mut home = String::new();
    about(&mut builder, &mut home, 80);
    let (mut persons, mut next) = (vec![1_u64], 1_u64);
    while let Some(person) = persons.pop() {
        let mut content = paragraph(mix(seed, person), 30);
        let has_family = person < 4
            || mix(seed, person).is_multiple_of(3)
            || mix(seed, person).is_multiple_of(2);
        if has_family && next < 1_400 {
            content.push_str(&link(&format!("/family/{person}"), "Family"));
            let mut children = paragraph(mix(seed, person + 30_000), 15)
                + &link(&format!("/person/{person}"), "Parent");
            for _ in 0..2 + below(3, seed, person) {
                next += 1;
                persons.insert(0, next);
                children.push_str(&link(&format!("/person/{next}"), &title(seed, next)));
            }
            builder.page(format!("/family/{person}"), "Family", &children);
        }
        builder.page(format!("/person/{person}"), &title(seed, person), &content);
    }
    builder.page("/", "Home", &home);
    builder.finish()
}
