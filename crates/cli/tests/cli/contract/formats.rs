//! `--format`: every format on one small site with every outcome, byte for byte.

use serde_json::Value;
use testsite::{Pages, Server, SiteResponse};

use crate::contract::run::{crawl, crawler};

const SEED: &str = "<p>Text</p><a href=\"/a?b=c#f\">1</a><a href=\"gone\">2</a><a href=\"/moved\">3</a>\
    <a href=\"https://Other.test\">4</a><a href=\"/file\">5</a><a href=\"/private/x\">6</a>\
    <a href=\"/broken\">7</a><a href=\"/gone\">8</a><a href=\"mailto:x@y\">9</a>";
const LEAF: &str = "<a href=\".\">up</a>";

fn server() -> Server {
    let site = Pages::new()
        .robots("User-agent: *\nDisallow: /private\n")
        .html("/", SEED)
        .html("/a", LEAF)
        .redirect("/moved", "/target")
        .html("/target", "no links")
        .page("/file", SiteResponse::new(200, "=1+1", "\u{0}binary"))
        .page("/broken", SiteResponse::status(500));
    Server::start(site)
}

/// The output with one worker, so that the order of pages is fixed. `ms` is replaced by 0.
fn printed(server: &Server, format: &str) -> String {
    let flags = ["--workers", "1", "--max-attempts", "1", "--format", format];
    let out = crawl(server, &flags).stdout.replace(&server.origin(), "O");
    match format {
        "json" | "ndjson" => with_zero_after(&out, "\"ms\":"),
        "csv" => out
            .lines()
            .map(|row| {
                let mut cells: Vec<&str> = row.split(',').collect();
                if cells[9] != "ms" {
                    assert!(cells[9].parse::<u64>().is_ok(), "{row}");
                    cells[9] = "0";
                }
                cells.join(",") + "\n"
            })
            .collect(),
        _ => out,
    }
}

fn with_zero_after(text: &str, key: &str) -> String {
    let mut parts = text.split(key);
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        out.push_str(key);
        out.push('0');
        out.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    out
}

#[test]
fn exact_text_output() {
    assert_eq!(
        printed(&server(), "text"),
        "Visited: O/\nLinks found:\n\
         O/a?b=c\nO/gone\nO/moved\nhttps://other.test/\nO/file\nO/private/x\nO/broken\nO/gone\n\
         Visited: O/a?b=c\nLinks found:\nO/\n\
         Visited: O/gone\nLinks found:\n\
         Visited: O/moved\nLinks found:\nO/target\n\
         Visited: O/file\nLinks found:\n\
         Visited: O/broken\nLinks found:\n\
         Visited: O/target\nLinks found:\n"
    );
}

#[test]
fn text_is_the_default() {
    let server = server();
    let flags = ["--workers", "1", "--max-attempts", "1"];
    assert_eq!(
        crawl(&server, &flags).stdout.replace(&server.origin(), "O"),
        printed(&server, "text")
    );
}

#[test]
fn exact_tree_output() {
    assert_eq!(
        printed(&server(), "tree"),
        "O/\n  - O/a?b=c\n  - O/gone\n  - O/moved\n  - https://other.test/\n  - O/file\n  - O/private/x\n\
         \x20 - O/broken\n  - O/gone\n\
         O/a?b=c\n  - O/\nO/gone\nO/moved\n  - O/target\nO/file\nO/broken\nO/target\n"
    );
}

#[test]
fn exact_edges_output() {
    assert_eq!(
        printed(&server(), "edges"),
        "[O/] -> [O/a?b=c]\n[O/] -> [O/gone]\n[O/] -> [O/moved]\n[O/] -> [https://other.test/]\n\
         [O/] -> [O/file]\n[O/] -> [O/private/x]\n[O/] -> [O/broken]\n[O/] -> [O/gone]\n\
         [O/a?b=c] -> [O/]\n[O/moved] -> [O/target]\n"
    );
}

/// The expected objects; `name` is the field with the URL.
fn expected_objects(name: &str) -> Vec<String> {
    let rest = |found: &str, attempts: u32, to: &str| {
        let via = match found {
            "seed" => "null",
            "link" => "\"O/\"",
            _ => "\"O/moved\"",
        };
        format!(
            "\"ms\":0,\"via\":{via},\"found\":\"{found}\",\"attempts\":{attempts},\"redirect_to\":{to}"
        )
    };
    let html = "\"content_type\":\"text/html; charset=utf-8\"";
    let link = rest("link", 1, "null");
    vec![
        format!(
            "{{\"{name}\":\"O/\",\"links\":[\"O/a?b=c\",\"O/gone\",\"O/moved\",\"https://other.test/\",\"O/file\",\
             \"O/private/x\",\"O/broken\",\"O/gone\"],\"status\":200,\"depth\":0,\"outcome\":\"fetched\",{html},\
             \"bytes\":{},{}}}",
            SEED.len(),
            rest("seed", 1, "null")
        ),
        format!(
            "{{\"{name}\":\"O/private/x\",\"links\":[],\"status\":null,\"depth\":1,\"outcome\":\"skipped\",\
             \"content_type\":null,\"bytes\":0,{},\"skipped\":\"robots\",\
             \"skip_reason\":\"blocked by robots.txt (Disallow: /private)\"}}",
            rest("link", 0, "null")
        ),
        format!(
            "{{\"{name}\":\"O/a?b=c\",\"links\":[\"O/\"],\"status\":200,\"depth\":1,\"outcome\":\"fetched\",{html},\
             \"bytes\":{},{link}}}",
            LEAF.len()
        ),
        format!(
            "{{\"{name}\":\"O/gone\",\"links\":[],\"status\":404,\"depth\":1,\"outcome\":\"failed\",\
             \"content_type\":null,\"bytes\":0,{link},\
             \"error\":\"fetch failed: not found (404)\",\"error_kind\":\"dead_link\"}}"
        ),
        format!(
            "{{\"{name}\":\"O/moved\",\"links\":[\"O/target\"],\"status\":301,\"depth\":1,\
             \"outcome\":\"redirected\",\"content_type\":null,\"bytes\":0,{}}}",
            rest("link", 1, "\"O/target\"")
        ),
        format!(
            "{{\"{name}\":\"O/file\",\"links\":[],\"status\":200,\"depth\":1,\"outcome\":\"fetched\",\
             \"content_type\":\"=1+1\",\"bytes\":7,{link}}}"
        ),
        format!(
            "{{\"{name}\":\"O/broken\",\"links\":[],\"status\":500,\"depth\":1,\"outcome\":\"failed\",\
             \"content_type\":null,\"bytes\":0,{link},\
             \"error\":\"fetch failed: server error (500)\",\"error_kind\":\"server_error\"}}"
        ),
        format!(
            "{{\"{name}\":\"O/target\",\"links\":[],\"status\":200,\"depth\":1,\"outcome\":\"fetched\",{html},\
             \"bytes\":8,{}}}",
            rest("redirect", 1, "null")
        ),
    ]
}

fn sorted(lines: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = lines.into_iter().collect();
    lines.sort();
    lines
}

#[test]
fn exact_ndjson_output() {
    let out = printed(&server(), "ndjson");
    assert!(out.ends_with("}\n"));
    // The position of a skipped page is not specified.
    assert_eq!(
        sorted(out.lines().map(str::to_owned)),
        sorted(expected_objects("url"))
    );
}

#[test]
fn exact_json_output() {
    let out = printed(&server(), "json");
    let inner = out
        .strip_prefix("[\n")
        .unwrap()
        .strip_suffix("\n]\n")
        .unwrap();
    assert_eq!(
        sorted(inner.split(",\n").map(str::to_owned)),
        sorted(expected_objects("page_url"))
    );
    let array: Vec<Value> = serde_json::from_str(&out).unwrap();
    assert_eq!(array.len(), 8);
}

#[test]
fn exact_csv_output() {
    let out = printed(&server(), "csv");
    let mut rows = out.lines().map(str::to_owned);
    assert_eq!(
        rows.next().unwrap(),
        "source,target,status,depth,outcome,nofollow,download,content_type,bytes,ms,error,rendered,render_reason"
    );
    let html = "text/html; charset=utf-8";
    let size = SEED.len();
    let seed = |target: &str| format!("O/,{target},200,0,fetched,false,false,{html},{size},0,");
    let expected = [
        seed("O/a?b=c"),
        seed("O/gone"),
        seed("O/moved"),
        seed("https://other.test/"),
        seed("O/file"),
        seed("O/private/x"),
        seed("O/broken"),
        seed("O/gone"),
        "O/private/x,,,1,skipped,,,,0,0,blocked by robots.txt (Disallow: /private)".into(),
        format!(
            "O/a?b=c,O/,200,1,fetched,false,false,{html},{},0,",
            LEAF.len()
        ),
        "O/gone,,404,1,failed,,,,0,0,fetch failed: not found (404)".into(),
        "O/moved,O/target,301,1,redirected,false,false,,0,0,".into(),
        // A content type of "=1+1" must not become a formula in a spreadsheet.
        "O/file,,200,1,fetched,,,'=1+1,7,0,".into(),
        "O/broken,,500,1,failed,,,,0,0,fetch failed: server error (500)".into(),
        format!("O/target,,200,1,fetched,,,{html},8,0,"),
    ];
    // `rendered` and `render_reason` are empty without --js.
    let expected = expected.map(|row| row + ",,");
    assert_eq!(sorted(rows), sorted(expected));
}

#[test]
fn csv_cells_with_commas_and_quotes_are_quoted() {
    let body = "<a href=\"/a,b\">1</a><a href='tel:\"1\",2'>2</a>";
    let server = Server::start(Pages::new().html("/", body));
    let out = crawl(
        &server,
        &["--format", "csv", "--schemes", "all", "--exclude", "."],
    )
    .stdout;
    assert!(
        out.contains(&format!(",\"{}\",200,", server.url("/a,b"))),
        "{out}"
    );
    let cell = out.lines().find(|row| row.contains("tel:")).unwrap();
    assert!(
        cell.contains(",\"tel:\"\"1\"\",2\",") || cell.contains(",\"tel:%221%22,2\","),
        "{cell}"
    );
}

#[test]
fn an_empty_crawl_is_valid_in_every_machine_format() {
    // Nothing listens on this port.
    for (format, expected) in [("json", 1), ("ndjson", 1), ("csv", 2)] {
        let ended = crawler(&[
            "http://127.0.0.1:1/",
            "--format",
            format,
            "--max-attempts",
            "1",
        ]);
        assert_eq!(ended.code, Some(1));
        match format {
            "json" => assert_eq!(
                serde_json::from_str::<Vec<Value>>(&ended.stdout)
                    .unwrap()
                    .len(),
                expected
            ),
            "ndjson" => assert_eq!(ended.objects().len(), expected),
            _ => assert_eq!(ended.stdout.lines().count(), expected),
        }
    }
}

#[test]
fn json_is_valid_when_a_limit_ends_the_crawl() {
    for limit in ["1", "2", "5"] {
        let server = Server::start(testsite::Graph::new(100).site());
        let out = crawl(&server, &["--format", "json", "--max-pages", limit]).stdout;
        let array: Vec<Value> = serde_json::from_str(&out).unwrap();
        assert_eq!(array.len().to_string(), limit);
    }
}

#[test]
fn html_is_one_self_contained_page() {
    let server = server();
    let out = crawl(&server, &["--max-attempts", "1", "--format", "html"]).stdout;
    assert!(out.to_ascii_lowercase().starts_with("<!doctype html>"));
    assert!(out.trim_end().ends_with("</html>"), "it is complete");
    for path in [
        "/gone",
        "/moved",
        "/file",
        "/private/x",
        "/broken",
        "/target",
    ] {
        assert!(out.contains(&format!("\"{path}\"")), "{path}");
    }
    assert!(out.contains("not found (404)") && out.contains("server error (500)"));
    for outside in ["<link ", "src=", "@import", "url(http", "fetch("] {
        assert!(!out.contains(outside), "{outside}");
    }
    // The report names the seed and has all sections.
    assert!(out.contains(&server.url("/")));
    for part in [
        "table", "canvas", "Broken", "Slowest", "Largest", "Depth", "Status", "search",
    ] {
        assert!(out.contains(part), "{part}");
    }
}

#[test]
fn nothing_on_a_page_is_executed_in_the_report() {
    let body =
        "<a href='/x</script><script>alert(1)</script>'>1</a><a href='/\"onload=alert(1)'>2</a>";
    let server = Server::start(Pages::new().html("/", body));
    let out = crawl(&server, &["--format", "html"]).stdout;
    assert!(!out.contains("<script>alert"), "{out}");
    assert!(!out.contains("/x</script>"));
}

#[test]
fn what_counts_as_html() {
    let link = "<a href=\"/found\">a link</a>";
    let page = format!("<!doctype html><html><body>{link}</body></html>");
    let cases: [(&'static str, String, bool); 8] = [
        ("text/html", link.into(), true),
        ("TEXT/HTML;charset=latin1", link.into(), true),
        ("application/xhtml+xml", page.clone(), true),
        ("", page.clone(), true),
        ("", "just words <a href=\"/found\">x</a>".into(), false),
        ("text/plain", page.clone(), false),
        ("application/pdf", page.clone(), false),
        ("application/xml", page, false),
    ];
    for (content_type, body, is_html) in cases {
        let site = Pages::new()
            .links("/", &["/page"])
            .page("/page", SiteResponse::new(200, content_type, body.clone()));
        let server = Server::start(site);
        let ended = crawl(&server, &["--exclude", "found"]);
        assert_eq!(ended.visited_paths(&server), ["/", "/page"]);
        let expected: &[&str] = if is_html { &["/found"] } else { &[] };
        assert_eq!(
            ended.links(&server, "/page"),
            expected,
            "{content_type:?} {body}"
        );
        assert!(
            !ended.stderr.contains("Failed"),
            "not html is not an error: {}",
            ended.stderr
        );
    }
}

#[test]
fn an_unknown_format_is_bad_usage_and_lists_all() {
    let ended = crawler(&["http://127.0.0.1:1/", "--format", "yaml"]);
    assert_eq!(ended.code, Some(2));
    for word in [
        "yaml", "text", "tree", "edges", "json", "ndjson", "csv", "html",
    ] {
        assert!(ended.stderr.contains(word), "{}", ended.stderr);
    }
}
