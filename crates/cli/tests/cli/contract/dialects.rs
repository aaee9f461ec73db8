//! The three older command-line styles, exactly as they are documented; only the URL is replaced.

use std::path::Path;

use serde_json::Value;
use testsite::{Pages, Server, SiteResponse};

use crate::contract::run::run;
use crate::run::Finished;

/// A site with a cycle, a fragment, an external host, a dead link, a broken page and a file.
fn server() -> Server {
    let site = Pages::new()
        .links(
            "/",
            &[
                "/about",
                "/about/",
                "/contact#form",
                "https://External.test/x",
                "/missing",
                "/error",
                "/doc.pdf",
            ],
        )
        .links("/about", &["/"])
        .links("/about/", &["/"])
        .links("/contact", &["/about"])
        .page("/error", SiteResponse::status(500))
        .page(
            "/doc.pdf",
            SiteResponse::new(200, "application/pdf", "%PDF"),
        );
    Server::start(site)
}

/// Runs a command line in which `U` stands for the URL of the site.
fn run_line(folder: &Path, server: &Server, line: &str) -> Finished {
    let url = server.url("/");
    let args: Vec<&str> = line
        .split(' ')
        .skip(1)
        .map(|word| if word == "U" { url.as_str() } else { word })
        .collect();
    let ended = run(&args).in_folder(folder).finish().success();
    for message in [
        "not found (404) [dead link]",
        "server error (500) [server error (retry-able)]",
    ] {
        assert!(ended.stderr.contains(message), "{line}: {}", ended.stderr);
    }
    ended
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

const EXHAUSTIVE: [&str; 7] = [
    "/", "/about", "/about/", "/contact", "/doc.pdf", "/error", "/missing",
];
const MERGED: [&str; 6] = ["/", "/about", "/contact", "/doc.pdf", "/error", "/missing"];

#[test]
fn single_dash_url() {
    for line in [
        "crawler -url U",
        "crawler -url=U",
        "crawler -url U -workers 16 -max-pages 100 -rate-ms 5",
        "crawler -url U -workers 8 -max-pages 0 -rate-ms 0",
        "crawler -url U -format text",
        "crawler -max-pages 100 -url U",
    ] {
        let (folder, server) = (tempfile::tempdir().unwrap(), server());
        let line = line.replace("-url=U", &format!("-url={}", server.url("/")));
        let ended = run_line(folder.path(), &server, &line);
        assert_eq!(ended.visited_paths(&server), EXHAUSTIVE, "{line}");
        assert_eq!(server.count("/error"), 1, "no retries: {line}");
        let text: Vec<&str> = ended.stdout.lines().take(3).collect();
        assert_eq!(
            text,
            [
                format!("Visited: {}", server.url("/")).as_str(),
                "Links found:",
                &server.url("/about")
            ]
        );
        assert!(files(folder.path()).is_empty(), "{line}");
    }
}

#[test]
fn single_dash_flags_are_obeyed() {
    let (folder, server) = (tempfile::tempdir().unwrap(), server());
    let url = server.url("/");
    let args = [
        "-url",
        &url,
        "-workers",
        "1",
        "-max-pages",
        "2",
        "-rate-ms",
        "100",
    ];
    let ended = run(&args).in_folder(folder.path()).finish().success();
    assert_eq!(ended.visited_paths(&server), ["/", "/about"]);
    assert!(
        ended
            .stderr
            .contains("profile exhaustive, max pages 2, max depth no limit, workers 1"),
        "{}",
        ended.stderr
    );
    assert!(
        server.hits().last().unwrap().at - ended.started_at
            >= std::time::Duration::from_millis(200)
    );
}

#[test]
fn single_dash_workers_are_8_by_default() {
    let (folder, server) = (tempfile::tempdir().unwrap(), server());
    let ended = run_line(folder.path(), &server, "crawler -url U");
    assert!(
        ended
            .stderr
            .contains("max pages no limit, max depth no limit, workers 8"),
        "{}",
        ended.stderr
    );
}

#[test]
fn single_dash_json_is_one_object_per_line() {
    for line in [
        "crawler -url U -format json",
        "crawler -url U -format=json",
        "crawler -format json -url U",
    ] {
        let (folder, server) = (tempfile::tempdir().unwrap(), server());
        let ended = run_line(folder.path(), &server, line);
        let objects = ended.objects();
        assert_eq!(objects.len(), EXHAUSTIVE.len(), "{line}");
        let about = crate::contract::run::object(&objects, &server.url("/about"));
        assert_eq!(about["links"], serde_json::json!([server.url("/")]));
        assert!(about.get("error").is_none());
        let broken = crate::contract::run::object(&objects, &server.url("/error"));
        assert_eq!(broken["links"], serde_json::json!([]));
        assert_eq!(broken["error"], "fetch failed: server error (500)");
        let start = format!("{{\"url\":\"{}\",\"links\":[", server.url("/"));
        assert!(ended.stdout.starts_with(&start), "{line}");
    }
}

#[test]
fn single_dash_invalid_input_is_bad_usage() {
    let folder = tempfile::tempdir().unwrap();
    for args in [
        ["-url", "not a url"].as_slice(),
        &["-url"],
        &["-workers", "8"],
        &["-url", "http://127.0.0.1:1/", "-workers", "many"],
        &["-url", "http://127.0.0.1:1/", "-format", "yaml"],
    ] {
        assert_eq!(
            run(args).in_folder(folder.path()).finish().code,
            Some(2),
            "{args:?}"
        );
    }
}

#[test]
fn output_text_is_a_tree_in_output_txt() {
    for (line, file) in [
        ("crawler U --output text", "output.txt"),
        ("crawler U --output=text", "output.txt"),
        (
            "crawler U --output text --output-file pages.out",
            "pages.out",
        ),
        (
            "crawler --output text U --output-file=pages.out",
            "pages.out",
        ),
    ] {
        let (folder, server) = (tempfile::tempdir().unwrap(), server());
        let ended = run_line(folder.path(), &server, line);
        assert_eq!(ended.stdout, "", "{line}");
        assert_eq!(files(folder.path()), [file], "{line}");
        let written = std::fs::read_to_string(folder.path().join(file)).unwrap();
        let origin = server.origin();
        let mut pages: Vec<&str> = written
            .lines()
            .filter(|line| !line.starts_with("  - "))
            .map(|line| line.strip_prefix(&origin).unwrap())
            .collect();
        pages.sort_unstable();
        assert_eq!(pages, MERGED, "{line}");
        let start =
            format!("{origin}/\n  - {origin}/about\n  - {origin}/about/\n  - {origin}/contact\n");
        assert!(written.starts_with(&start), "{written}");
    }
}

#[test]
fn output_json_is_an_array_in_output_json() {
    for (line, file) in [
        ("crawler U --output json", "output.json"),
        (
            "crawler U --profile balanced --output json --robots respect --user-agent crawler/1.0",
            "output.json",
        ),
        (
            "crawler U --profile conservative --output json --output-file a.json --robots ignore",
            "a.json",
        ),
        (
            "crawler U --profile aggressive --output json --strip-fragments",
            "output.json",
        ),
    ] {
        let (folder, server) = (tempfile::tempdir().unwrap(), server());
        run_line(folder.path(), &server, line);
        assert_eq!(files(folder.path()), [file], "{line}");
        let written = std::fs::read_to_string(folder.path().join(file)).unwrap();
        let array: Vec<Value> = serde_json::from_str(&written).unwrap();
        assert_eq!(array.len(), MERGED.len(), "{line}");
        assert_eq!(array[0]["page_url"], server.url("/"));
        assert_eq!(array[0]["links"][0], server.url("/about"));
    }
}

#[test]
fn an_unknown_output_kind_is_bad_usage() {
    let folder = tempfile::tempdir().unwrap();
    let ended = run(&["http://127.0.0.1:1/", "--output", "yaml"])
        .in_folder(folder.path())
        .finish();
    assert_eq!(ended.code, Some(2));
    assert!(files(folder.path()).is_empty());
}

#[test]
fn max_parallel_and_url_print_edges() {
    for line in [
        "crawler --url U --max-parallel 10",
        "crawler --max-parallel 10 --url U",
    ] {
        let (folder, server) = (tempfile::tempdir().unwrap(), server());
        let ended = run_line(folder.path(), &server, line);
        let origin = server.origin();
        assert!(
            ended
                .stdout
                .starts_with(&format!("[{origin}/] -> [{origin}/about]\n")),
            "{}",
            ended.stdout
        );
        assert!(
            ended
                .stdout
                .contains(&format!("[{origin}/contact] -> [{origin}/about]\n")),
            "{}",
            ended.stdout
        );
        assert!(
            ended
                .stdout
                .lines()
                .all(|edge| edge.starts_with('[') && edge.contains("] -> ["))
        );
        assert!(ended.stderr.contains("workers 10,"), "{}", ended.stderr);
        assert_eq!(
            server.count("/about") + server.count("/about/"),
            1,
            "not crawled twice"
        );
    }
}

#[test]
fn max_parallel_exports_with_format_and_output_path() {
    for (format, starts) in [
        ("json", "["),
        ("html", "<!doctype html>"),
        ("csv", "source,target,status,depth"),
    ] {
        let (folder, server) = (tempfile::tempdir().unwrap(), server());
        let line = format!(
            "crawler --url U --max-parallel 10 --format {format} --outputPath out.{format}"
        );
        let ended = run_line(folder.path(), &server, &line);
        assert_eq!(ended.stdout, "");
        assert_eq!(files(folder.path()), [format!("out.{format}")]);
        let written = std::fs::read_to_string(folder.path().join(format!("out.{format}"))).unwrap();
        assert!(written.to_lowercase().starts_with(starts), "{format}");
        if format == "json" {
            assert_eq!(
                serde_json::from_str::<Vec<Value>>(&written).unwrap().len(),
                MERGED.len()
            );
        }
    }
}

#[test]
fn either_flag_alone_prints_text() {
    let server = server();
    let folder = tempfile::tempdir().unwrap();
    for line in ["crawler U --max-parallel 10", "crawler --url U"] {
        let ended = run_line(folder.path(), &server, line);
        assert!(ended.stdout.starts_with("Visited: "), "{line}");
    }
}
