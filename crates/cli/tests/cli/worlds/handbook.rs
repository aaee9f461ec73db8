//! A real site, crawled by us and by wget: the Debian handbook in all its languages, more than three
//! thousand pages. The server compares what each of the two requested.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use testsite::{Folder, Request, Server, Site, SiteResponse};

use crate::worlds::crawl::Crawl;
use crate::worlds::machine_lock;

const HANDBOOK: &str = "/usr/share/doc/debian-handbook/html";
const MISSING: &str = "this comparison needs wget and the package debian-handbook; \
    `cargo xtask test` installs both";

/// The folder as a site, with a root page that links to every language.
fn handbook() -> impl Site {
    let mut languages: Vec<String> = std::fs::read_dir(HANDBOOK)
        .expect(MISSING)
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(HANDBOOK).join(name).join("index.html").is_file())
        .collect();
    languages.sort();
    assert!(languages.iter().any(|name| name == "en-US"), "{MISSING}");
    let mut root = String::from("<!doctype html><title>The handbook</title>\n");
    for name in &languages {
        writeln!(root, "<p><a href=\"{name}/index.html\">{name}</a></p>").unwrap();
    }
    let folder = Folder::new(HANDBOOK);
    move |request: &Request| match request.path() {
        "/" => SiteResponse::html(root.clone()),
        _ => folder.respond(request),
    }
}

/// The requested paths, without robots.txt.
fn requested(server: &Server) -> BTreeSet<String> {
    let targets = server.counts().into_iter().map(|(target, _)| target);
    targets.filter(|target| target != "/robots.txt").collect()
}

fn run_wget(server: &Server) {
    let folder = tempfile::tempdir().unwrap();
    let status = Command::new("wget")
        .args(["--recursive", "--level=inf", "--spider", "--no-verbose"])
        .args(["--execute", "robots=off", "--no-config", "--no-proxy"])
        .arg(server.url("/"))
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect(MISSING);
    // 8: the server returned an error for some URL.
    assert!(matches!(status.code(), Some(0 | 8)), "{status}");
}

fn is_page(target: &str) -> bool {
    let path = target.split('?').next().unwrap_or_default();
    path.ends_with('/') || Path::new(path).extension().is_some_and(|end| end == "html")
}

/// Whether a target is a page asset: an image or style sheet.
fn is_asset(target: &str) -> bool {
    let end = target.rsplit('.').next().unwrap_or_default();
    ["css", "gif", "png", "svg"].contains(&end)
}

#[test]
fn wget_visits_the_same_pages() {
    let _lock = machine_lock::shared();
    let (ours, theirs) = (Server::start(handbook()), Server::start(handbook()));
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| run_wget(&theirs));
        Crawl::of(&ours.url("/"))
            .flags("--format ndjson --profile exhaustive --robots ignore")
            .run()
    });
    ended.assert_done();
    let (by_us, by_wget) = (requested(&ours), requested(&theirs));
    let pages = |all: &BTreeSet<String>| -> BTreeSet<String> {
        all.iter().filter(|one| is_page(one)).cloned().collect()
    };
    let reported = ended.pages();
    let path_of = |url: &str| Some(url.strip_prefix(&ours.origin())?.to_owned());
    let reported_paths = reported.iter().filter_map(|page| path_of(&page.url));
    assert_eq!(
        reported_paths.collect::<BTreeSet<_>>(),
        by_us,
        "the reported pages are the requested ones"
    );

    assert!(pages(&by_us).len() > 3_000, "{}", pages(&by_us).len());
    assert_eq!(pages(&by_us), pages(&by_wget), "page for page");
    let more: Vec<_> = by_us.difference(&by_wget).collect();
    assert!(more.is_empty(), "only we requested {more:?}");

    // The only difference: wget also requests page assets, which no anchor links to.
    let linked: BTreeSet<String> = reported
        .iter()
        .flat_map(|page| &page.links)
        .filter_map(|link| path_of(link))
        .collect();
    let files: BTreeSet<&String> = by_wget.difference(&by_us).collect();
    assert!(!files.is_empty(), "wget requests images and styles");
    for file in &files {
        assert!(is_asset(file), "only wget requested {file}");
        assert!(!linked.contains(*file), "an anchor links to {file}");
    }
    eprintln!(
        "handbook: {} pages by us and by wget, {} images and styles by wget alone",
        pages(&by_us).len(),
        files.len()
    );
}
