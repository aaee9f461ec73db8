//! The four formats, `--main-content` and `-o`.

use serde_json::Value;
use testsite::{Pages, Server, SiteResponse};

use super::{ARTICLE, site};
use crate::contract::run::{crawler, run};

#[test]
fn markdown_is_the_default() {
    let server = site();
    let ended = crawler(&["scrape", &server.url("/news/bells")]).success();
    assert!(
        ended
            .stdout
            .starts_with("# How bells are cast\n\nA bell begins"),
        "{}",
        ended.stdout
    );
    let link = format!("[the alloy]({})", server.url("/news/alloys.html"));
    for part in [
        "the *bronze*.",
        &link,
        "\n\n## Nine days of waiting\n\n",
        "- Copper: four parts\n- Tin: one part\n",
    ] {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
    }
    for noise in ["Shop", "Imprint", "alert", "color: red", "<"] {
        assert!(!ended.stdout.contains(noise), "{noise}: {}", ended.stdout);
    }
    assert!(ended.stdout.ends_with('\n') && !ended.stdout.ends_with("\n\n"));
    assert_eq!(ended.stderr, "", "a fetched page prints no message");
}

#[test]
fn html_is_cleaned_and_inert() {
    let server = site();
    let ended = crawler(&["scrape", &server.url("/news/bells"), "--format", "html"]).success();
    let link = format!(
        "<a href=\"{}\">the alloy</a>",
        server.url("/news/alloys.html")
    );
    for part in [
        "<h1>How bells are cast</h1>",
        "<em>bronze</em>",
        &link,
        "<li>",
    ] {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
    }
    for noise in ["script", "onclick", "<style", "<nav", "Imprint"] {
        assert!(!ended.stdout.contains(noise), "{noise}: {}", ended.stdout);
    }
}

#[test]
fn text_is_paragraphs() {
    let server = site();
    let ended = crawler(&["scrape", "--format", "text", &server.url("/news/bells")]).success();
    assert!(
        ended
            .stdout
            .contains("room for the bronze.\n\nThe mould is buried"),
        "{}",
        ended.stdout
    );
    assert!(
        !ended.stdout.contains(['#', '[', '`', '<']),
        "{}",
        ended.stdout
    );
}

#[test]
fn json_has_all_fields() {
    let server = site();
    let ended = crawler(&["scrape", &server.url("/news/bells"), "--format", "json"]).success();
    let document: Value = serde_json::from_str(&ended.stdout).unwrap();
    let names: Vec<&String> = document.as_object().unwrap().keys().collect();
    let mut expected = ["url", "title", "content", "text", "html", "meta", "links"];
    expected.sort_unstable();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert_eq!(document["url"], server.url("/news/bells"));
    assert_eq!(document["title"], "How bells are cast");
    let part = |name: &str| document[name].as_str().unwrap().to_owned();
    assert!(part("content").contains("\n\n## Nine days of waiting\n\n"));
    assert!(part("text").contains("\n\nNine days of waiting\n\n"));
    assert!(part("html").contains("<h2>Nine days of waiting</h2>"));
    let links = ["/", "/about", "/shop", "/news/alloys.html", "/imprint"];
    let links = links.map(|link| server.url(link));
    assert_eq!(document["links"], serde_json::json!(links));

    let meta = &document["meta"];
    for (name, value) in [
        ("url", server.url("/news/bells")),
        ("requested_url", server.url("/news/bells")),
        ("content_type", "text/html; charset=utf-8".into()),
        ("charset", "utf-8".into()),
        ("description", "From clay to bronze in nine days.".into()),
        ("language", "en".into()),
        ("canonical", server.url("/bells")),
        ("author", "Ada Ringer".into()),
        ("published_time", "2024-05-06T07:08:09Z".into()),
        ("site_name", "The Foundry Post".into()),
        ("favicon", server.url("/favicon.ico")),
        ("og:type", "article".into()),
        ("twitter:card", "summary".into()),
        ("page_kind", "article".into()),
    ] {
        assert_eq!(meta[name], value, "{name}");
    }
    assert_eq!(meta["status_code"], 200);
    assert_eq!(meta["bytes"], ARTICLE.len());
    assert_eq!(meta["rendered"], false);
    assert_eq!(meta["hreflang"]["de"], server.url("/de/glocken"));
    let quality = meta["quality"].as_f64().unwrap();
    assert!((0.5..=1.0).contains(&quality), "{quality}");
    let fetched = meta["fetched_at"].as_str().unwrap();
    assert!(
        fetched.starts_with("20") && fetched.ends_with('Z'),
        "{fetched}"
    );
    assert!(meta.get("truncated").is_none());
}

#[test]
fn the_whole_body_on_request() {
    let server = site();
    let url = server.url("/news/bells");
    let full = crawler(&["scrape", &url, "--main-content", "false"]).success();
    assert!(
        full.stdout.contains("How bells are cast"),
        "{}",
        full.stdout
    );
    assert!(full.stdout.contains("Tin: one part"), "{}", full.stdout);
    let code = "```python\nweight = 1.5 * diameter ** 3\n```";
    assert!(full.stdout.contains(code), "{}", full.stdout);
    assert!(!full.stdout.contains("alert"), "{}", full.stdout);
    let only = crawler(&["scrape", &url, "--main-content", "true"]).success();
    let default = crawler(&["scrape", &url]).success();
    assert_eq!(only.stdout, default.stdout);
    let ended = crawler(&["scrape", &url, "--main-content", "maybe"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("maybe") && ended.stderr.contains("scrape --help"),
        "{}",
        ended.stderr
    );
}

#[test]
fn the_title_is_printed_above_content_without_a_heading() {
    let text = "<p>Words enough to be a page of their own, set down without any heading above them, \
        because whoever wrote this page thought that its title would do.</p>";
    for (title, body, first) in [
        (
            "A *starred* title",
            text.to_owned(),
            "# A \\*starred\\* title\n\nWords enough",
        ),
        (
            "Title",
            format!("<h1>Its own</h1>{text}"),
            "# Its own\n\nWords",
        ),
        (
            "The same",
            format!("<h2>The same</h2>{text}"),
            "# The same\n\nWords",
        ),
    ] {
        let page = format!("<!doctype html><title>{title}</title><main>{body}</main>");
        let server = Server::start(Pages::new().html("/", &page));
        let args = ["scrape", &server.url("/"), "--main-content", "false"];
        let ended = crawler(&args).success();
        assert!(ended.stdout.starts_with(first), "{}", ended.stdout);
    }
}

#[test]
fn output_to_a_file() {
    let server = site();
    let folder = tempfile::tempdir().unwrap();
    let url = server.url("/news/bells");
    let printed = crawler(&["scrape", &url]).success().stdout;
    for flag in ["-o", "--output-file"] {
        let ended = run(&["scrape", &url, flag, "bells.md"])
            .in_folder(folder.path())
            .finish()
            .success();
        assert_eq!(ended.stdout, "");
        let written = std::fs::read_to_string(folder.path().join("bells.md")).unwrap();
        assert_eq!(written, printed);
    }
    let dash = crawler(&["scrape", &url, "-o", "-"]).success();
    assert_eq!(dash.stdout, printed);
    // A failed fetch keeps the previous content; a shorter page replaces all of it.
    let missing = server.url("/none");
    assert_eq!(
        run(&["scrape", &missing, "-o", "bells.md"])
            .in_folder(folder.path())
            .finish()
            .code,
        Some(1)
    );
    let written = std::fs::read_to_string(folder.path().join("bells.md")).unwrap();
    assert_eq!(written, printed);
    std::fs::write(folder.path().join("bells.md"), printed.repeat(2)).unwrap();
    run(&["scrape", &url, "-o", "bells.md"])
        .in_folder(folder.path())
        .finish()
        .success();
    let written = std::fs::read_to_string(folder.path().join("bells.md")).unwrap();
    assert_eq!(written, printed);
    let ended = crawler(&["scrape", &url, "-o", "/no/such/folder/x.md"]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended
            .stderr
            .contains("cannot write to /no/such/folder/x.md"),
        "{}",
        ended.stderr
    );
}

#[test]
fn charsets_become_utf8() {
    let text = "Žluťoučký kůň úpěl ďábelské ódy, a nikdo ho neslyšel.";
    let encoding = encoding_rs::Encoding::for_label(b"windows-1250").unwrap();
    let (latin2, _, _) = encoding.encode(text);
    let page = [
        b"<!doctype html><meta charset=windows-1250><main><p>".as_slice(),
        &latin2,
        b"</p></main>",
    ]
    .concat();
    let server = Server::start(Pages::new().page("/", SiteResponse::new(200, "text/html", page)));
    let ended = crawler(&["scrape", &server.url("/")]).success();
    assert!(ended.stdout.contains(text), "{}", ended.stdout);
}
