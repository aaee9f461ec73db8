//! The browser's processes: sandboxed, not root, replaced when due, and ended.

use std::fs;
use std::time::{Duration, Instant};

use crawler_model::FailKind;
use crawler_render::BrowserState;
use testsite::spa::ClientRoutedSite;
use testsite::{Pages, Server};

use crate::process_tree::{Process, browsers, descendants, signal, until};
use crate::test_renderer::{TestRenderer, markup};

/// A timeout of pages that no test waits for: the death of a process is noticed by itself.
const ENDLESS: Duration = Duration::from_hours(1);
/// Far longer than a page takes on a busy machine.
const LONGEST_WAIT: Duration = Duration::from_mins(2);

/// Waits for a page whose own timeout is endless.
async fn soon<T>(page: impl Future<Output = T>) -> T {
    let page = tokio::time::timeout(LONGEST_WAIT, page).await;
    page.expect("the page waits for a process that has ended")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_process_is_sandboxed_and_none_is_root() {
    let site = Server::start(Pages::new().html("/", "<p>hello"));
    let test = TestRenderer::new(|_| ());
    assert_eq!(test.renderer.state(), BrowserState::NotRunning);
    test.document(&site.url("/")).await.unwrap();
    assert_eq!(test.renderer.state(), BrowserState::Running);
    let all = descendants();
    let chromium: Vec<_> = all
        .iter()
        .filter(|process| process.command.contains("chrom"))
        .collect();
    assert!(
        chromium
            .iter()
            .all(|process| process.status_field("Uid:") != Some("0")),
        "{chromium:#?}"
    );
    let renders = |process: &&&Process| process.renders();
    let pages: Vec<_> = chromium.iter().filter(renders).collect();
    assert!(!pages.is_empty());
    for page in pages {
        assert_eq!(page.status_field("Seccomp:"), Some("2"), "{page:?}");
        assert_eq!(page.status_field("NoNewPrivs:"), Some("1"), "{page:?}");
    }
    // Our environment is not passed on.
    let browser = browsers(descendants()).pop().unwrap();
    let environment = fs::read(format!("/proc/{}/environ", browser.id)).unwrap();
    assert!(!String::from_utf8_lossy(&environment).contains("CARGO"));
    test.renderer.close().await;
    until("all have exited", || descendants().is_empty()).await;
    assert_eq!(test.renderer.state(), BrowserState::NotRunning);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_browser_fails_its_page_and_is_restarted() {
    let site = Server::start(ClientRoutedSite::new(50).after(Duration::from_secs(2)));
    let test = TestRenderer::new(|settings| settings.nav_timeout = ENDLESS);
    let url = site.url("/p/1");
    let page = soon(test.document(&url));
    let killer = async {
        until("the page is loading", || site.count("/api/page/1.json") > 0).await;
        assert!(signal("-9", browsers(descendants()).pop().unwrap().id));
    };
    let (page, ()) = tokio::join!(page, killer);
    let failure = page.unwrap_err();
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailKind::Browser, "the browser has exited")
    );
    // It would fail if the browser were not restarted within three seconds.
    let again = soon(test.document(&url)).await.unwrap();
    assert!(markup(&again).contains("Chapter 1 of 50"));
    let numbers = test.renderer.numbers();
    assert_eq!((numbers.starts, numbers.deaths), (2, 1));
    test.renderer.close().await;
    until("all have exited", || descendants().is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dead_page_process_fails_only_its_page() {
    let site = Server::start(ClientRoutedSite::new(50).after(Duration::from_secs(2)));
    let test = TestRenderer::new(|settings| settings.tabs = 2);
    // Render a first page, so that the processes of the second can be told apart.
    test.visit(&site.url("/p/1"), 1).await.unwrap();
    let before: Vec<u32> = descendants().iter().map(|process| process.id).collect();
    let url = site.url("/p/2");
    let page = test.visit(&url, 2);
    let killer = async {
        until("the page is loading", || site.count("/api/page/2.json") > 0).await;
        let new = |process: &Process| process.renders() && !before.contains(&process.id);
        for process in descendants().into_iter().filter(new) {
            assert!(signal("-9", process.id));
        }
    };
    let (page, ()) = tokio::join!(page, killer);
    let failure = page.unwrap_err();
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailKind::Browser, "the page's process crashed")
    );
    assert!(test.visit(&url, 2).await.is_ok());
    assert!(test.visit(&site.url("/p/3"), 1).await.is_ok());
    let numbers = test.renderer.numbers();
    assert_eq!((numbers.starts, numbers.crashes, numbers.deaths), (1, 1, 0));
    test.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_is_replaced_after_its_maximum_number_of_pages() {
    let site = Server::start(ClientRoutedSite::new(50));
    let test = TestRenderer::new(|settings| {
        settings.tabs = 2;
        settings.recycle_pages = 4;
    });
    for page in 1..=9 {
        test.document(&site.url(&format!("/p/{page}")))
            .await
            .unwrap();
        assert!(browsers(descendants()).len() <= 2);
    }
    assert_eq!(test.renderer.numbers().starts, 3);
    assert_eq!(test.renderer.numbers().deaths, 0);
    until("the old ones have exited", || {
        browsers(descendants()).len() == 1
    })
    .await;
    test.renderer.close().await;
    until("all have exited", || descendants().is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_renderer_leaves_no_processes() {
    let site = Server::start(Pages::new().html("/", "<p>hello"));
    let test = TestRenderer::new(|_| ());
    test.document(&site.url("/")).await.unwrap();
    assert!(!browsers(descendants()).is_empty());
    drop(test);
    until("all have exited", || descendants().is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_dies_between_pages_fails_at_most_one() {
    let site = Server::start(ClientRoutedSite::new(50));
    let test = TestRenderer::new(|settings| {
        settings.tabs = 1;
        settings.nav_timeout = ENDLESS;
    });
    for page in 1..=5 {
        test.document(&site.url(&format!("/p/{page}")))
            .await
            .unwrap();
        let mut renderers = descendants();
        renderers.retain(Process::renders);
        for process in &renderers {
            signal("-9", process.id);
        }
        let is_gone = || {
            let running = descendants();
            let left = |killed: &Process| running.iter().any(|process| process.id == killed.id);
            !renderers.iter().any(left)
        };
        until("they have exited", is_gone).await;
        let url = site.url(&format!("/p/{}", page + 10));
        let next = match soon(test.document(&url)).await {
            Err(failure) if failure.kind == FailKind::Browser => soon(test.document(&url)).await,
            next => next,
        };
        let markup = markup(&next.unwrap());
        assert!(
            markup.contains(&format!("Chapter {} of 50", page + 10)),
            "{page}: {markup}"
        );
    }
    test.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_over_its_memory_limit_is_replaced_and_the_limit_grows_with_tabs() {
    let site = Server::start(ClientRoutedSite::new(50));
    let with_tabs = |tabs| {
        TestRenderer::new(move |settings| {
            settings.tabs = tabs;
            settings.recycle_memory = 0;
            settings.page_memory = 256 << 20;
        })
    };
    // 128 MB for one tab: every browser exceeds that.
    let test = with_tabs(1);
    let start = Instant::now();
    while test.renderer.numbers().starts < 2 {
        test.document(&site.url("/p/1")).await.unwrap();
        assert!(start.elapsed() < Duration::from_mins(1), "not replaced");
    }
    assert_eq!(test.renderer.numbers().deaths, 0);
    test.renderer.close().await;
    // The same for each of 64 tabs, which one tab does not reach. Run as long as the first replacement took.
    let duration = start.elapsed().max(Duration::from_secs(2));
    let test = with_tabs(64);
    let start = Instant::now();
    while start.elapsed() < duration {
        test.document(&site.url("/p/1")).await.unwrap();
    }
    assert_eq!(test.renderer.numbers().starts, 1);
    test.renderer.close().await;
    until("all have exited", || descendants().is_empty()).await;
}
