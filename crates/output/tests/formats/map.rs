//! Maps: each page once, under the spelling that was fetched.

use crawler_model::{Outcome, PageReport, Sink};
use crawler_output::{MapFormat, Target, map_sink};

use crate::fixture::{self, KEYS, linking, page, print_map, run, url};

#[test]
fn the_fetched_spelling_wins_in_any_order() {
    let home = linking(
        "https://example.org/",
        0,
        &["https://example.org/a", "https://example.org/b"],
    );
    let slash = linking("https://example.org/a/", 1, &["https://example.org/b/"]);
    let expected = "https://example.org/\nhttps://example.org/a/\nhttps://example.org/b\n";
    for order in [[&home, &slash], [&slash, &home]] {
        let reports = order.map(Clone::clone);
        let left = ["https://example.org/b/", "https://example.org/a"];
        assert_eq!(print_map(MapFormat::Text, &reports, &left), expected);
    }
}

#[test]
fn a_fetched_record_wins_over_a_link() {
    let home = linking("https://example.org/", 3, &["https://example.org/"]);
    assert_eq!(
        print_map(MapFormat::Ndjson, &[home], &[]),
        "{\"url\":\"https://example.org/\",\"status\":200,\"depth\":3,\"found\":\"link\"}\n"
    );
}

#[test]
fn an_unvisited_seed_is_listed_as_the_seed() {
    assert_eq!(
        print_map(MapFormat::Csv, &[], &["https://example.org/"]),
        "url,status,depth,found,rendered,render_reason\nhttps://example.org/,,0,seed,,\n"
    );
}

/// Other ports and hosts may be in scope, but a sitemap lists the URLs of one origin.
#[test]
fn a_sitemap_lists_its_own_origin() {
    let pages = [
        "https://example.org/a",
        "https://example.org:8443/b",
        "http://example.org/c",
        "https://sub.example.org/d",
    ];
    let locations = |reports: &[PageReport]| -> Vec<String> {
        let text = print_map(MapFormat::Sitemap, reports, &[pages[1]]);
        let locations = text.split("<loc>").skip(1);
        let urls = locations.map(|rest| rest.split("</loc>").next().unwrap().to_owned());
        urls.collect()
    };
    let mut home = linking("https://example.org/", 0, &pages);
    for link in ["https://example.org:8443/e", "https://example.org/f"] {
        fixture::link(&mut home.links, link, |facts| facts.in_scope = true);
    }
    let mut reports = vec![home];
    reports.extend(pages.map(|url| page(url, 1, Outcome::Fetched { html: true })));
    let own = ["https://example.org/", pages[0], "https://example.org/f"];
    assert_eq!(locations(&reports), own);
    // The origin is that of the page that the seed redirects to.
    let to = url("https://example.org:8443/");
    let redirects = Outcome::Redirected { to: to.clone() };
    reports[0] = page("https://example.org/", 0, redirects);
    reports.push(page(to.as_str(), 0, Outcome::Fetched { html: true }));
    assert_eq!(locations(&reports), [to.as_str(), pages[1]]);
}

fn add_pages(sink: &mut dyn Sink, count: usize) {
    for number in 0..count {
        let text = format!("https://example.org/{number:06}?a&b");
        sink.page(&page(&text, 1, Outcome::Fetched { html: true }))
            .unwrap();
    }
}

#[test]
fn a_sitemap_of_more_than_fifty_thousand_urls_is_split() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("site.xml");
    let seed = url("https://example.org/");
    let mut sink = map_sink(
        MapFormat::Sitemap,
        Target::create(&path).unwrap(),
        KEYS,
        &seed,
    );
    add_pages(sink.as_mut(), 100_001);
    run(sink.as_mut(), &[]);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let index = read("site.xml");
    assert!(index.contains("<sitemapindex"));
    assert_eq!(index.matches("<sitemap>").count(), 3);
    assert!(index.contains("<loc>https://example.org/site-2.xml</loc>"));
    for (name, urls) in [
        ("site-1.xml", 50_000),
        ("site-2.xml", 50_000),
        ("site-3.xml", 1),
    ] {
        let part = read(name);
        assert_eq!(part.matches("<url>").count(), urls, "{name}");
        assert!(part.ends_with("</urlset>\n") && part.contains("?a&amp;b</loc>"));
    }
}

#[test]
fn more_than_fifty_thousand_urls_on_stdout_is_an_error_that_suggests_a_file() {
    let seed = url("https://example.org/");
    for (count, fits) in [(50_000, true), (50_001, false)] {
        let (target, memory) = Target::memory();
        let mut sink = map_sink(MapFormat::Sitemap, target, KEYS, &seed);
        add_pages(sink.as_mut(), count);
        let finished = sink.finish(&crawler_model::Summary::default());
        assert_eq!(finished.is_ok(), fits);
        match finished {
            Ok(()) => assert_eq!(memory.text().matches("<url>").count(), 50_000),
            Err(error) => assert!(error.to_string().contains("-o"), "{error}"),
        }
    }
}
