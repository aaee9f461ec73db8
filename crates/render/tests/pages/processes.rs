//! The browser's processes: sandboxed, not root, replaced, and gone when they should be.

use std::fs;
use std::time::{Duration, Instant};

use model::FailKind;
use render::BrowserState;
use testsite::spa::Routed;
use testsite::{Pages, Server};

use crate::family::{Process, browsers, family, signal, until};
use crate::stage::{Stage, markup};

#[tokio::test(flavor = "multi_thread")]
async fn every_page_process_is_in_its_sandbox_and_nobody_is_root() {
    let site = Server::start(Pages::new().html("/", "<p>hello"));
    let stage = Stage::new(|_| ());
    assert_eq!(stage.renderer.state(), BrowserState::Asleep);
    stage.document(&site.url("/")).await.unwrap();
    assert_eq!(stage.renderer.state(), BrowserState::Running);
    let all = family();
    let chromium: Vec<_> = all
        .iter()
        .filter(|process| process.command.contains("chrom"))
        .collect();
    assert!(
        chromium
            .iter()
            .all(|process| process.says("Uid:") != Some("0")),
        "{chromium:#?}"
    );
    let renders = |process: &&&Process| process.renders();
    let pages: Vec<_> = chromium.iter().filter(renders).collect();
    assert!(!pages.is_empty());
    for page in pages {
        assert_eq!(page.says("Seccomp:"), Some("2"), "{page:?}");
        assert_eq!(page.says("NoNewPrivs:"), Some("1"), "{page:?}");
    }
    // Nothing of our own environment is there for it to find.
    let browser = browsers(family()).pop().unwrap();
    let environment = fs::read(format!("/proc/{}/environ", browser.id)).unwrap();
    assert!(!String::from_utf8_lossy(&environment).contains("CARGO"));
    stage.renderer.close().await;
    until("all are gone", || family().is_empty()).await;
    assert_eq!(stage.renderer.state(), BrowserState::Asleep);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_is_killed_costs_its_page_and_is_started_again() {
    let site = Server::start(Routed::new(50).after(Duration::from_secs(2)));
    let stage = Stage::new(|_| ());
    let url = site.url("/p/1");
    let page = stage.document(&url);
    let killer = async {
        until("the page is under way", || {
            site.count("/api/page/1.json") > 0
        })
        .await;
        assert!(signal("-9", browsers(family()).pop().unwrap().id));
    };
    let (page, ()) = tokio::join!(page, killer);
    let failure = page.unwrap_err();
    assert_eq!(
        (failure.kind, failure.words.as_str()),
        (FailKind::Browser, "the browser is gone")
    );
    let begun = Instant::now();
    let again = stage.document(&url).await.unwrap();
    assert!(markup(&again).contains("Chapter 1 of 50"));
    assert!(
        begun.elapsed() < Duration::from_secs(2 + 5),
        "{:?}",
        begun.elapsed()
    );
    let numbers = stage.renderer.numbers();
    assert_eq!((numbers.starts, numbers.deaths), (2, 1));
    stage.renderer.close().await;
    until("all are gone", || family().is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_whose_process_dies_costs_itself_alone() {
    let site = Server::start(Routed::new(50).after(Duration::from_secs(2)));
    let stage = Stage::new(|settings| settings.tabs = 2);
    // A first page, so that the processes of the second are known.
    stage.visit(&site.url("/p/1"), 1).await.unwrap();
    let before: Vec<u32> = family().iter().map(|process| process.id).collect();
    let url = site.url("/p/2");
    let page = stage.visit(&url, 2);
    let killer = async {
        until("the page is under way", || {
            site.count("/api/page/2.json") > 0
        })
        .await;
        let new = |process: &Process| process.renders() && !before.contains(&process.id);
        for process in family().into_iter().filter(new) {
            assert!(signal("-9", process.id));
        }
    };
    let (page, ()) = tokio::join!(page, killer);
    let failure = page.unwrap_err();
    assert_eq!(
        (failure.kind, failure.words.as_str()),
        (FailKind::Browser, "the page's process crashed")
    );
    assert!(stage.visit(&url, 2).await.is_ok());
    assert!(stage.visit(&site.url("/p/3"), 1).await.is_ok());
    let numbers = stage.renderer.numbers();
    assert_eq!((numbers.starts, numbers.crashes, numbers.deaths), (1, 1, 0));
    stage.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_did_enough_is_replaced() {
    let site = Server::start(Routed::new(50));
    let stage = Stage::new(|settings| {
        settings.tabs = 2;
        settings.recycle_pages = 4;
    });
    for page in 1..=9 {
        stage
            .document(&site.url(&format!("/p/{page}")))
            .await
            .unwrap();
        assert!(browsers(family()).len() <= 2);
    }
    assert_eq!(stage.renderer.numbers().starts, 3);
    assert_eq!(stage.renderer.numbers().deaths, 0);
    until("the old ones are gone", || browsers(family()).len() == 1).await;
    stage.renderer.close().await;
    until("all are gone", || family().is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renderer_that_is_dropped_leaves_nothing_behind() {
    let site = Server::start(Pages::new().html("/", "<p>hello"));
    let stage = Stage::new(|_| ());
    stage.document(&site.url("/")).await.unwrap();
    assert!(!browsers(family()).is_empty());
    drop(stage);
    until("all are gone", || family().is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_dies_between_two_pages_costs_at_most_one_of_them() {
    let site = Server::start(Routed::new(50));
    let stage = Stage::new(|settings| settings.tabs = 1);
    for page in 1..=5 {
        stage
            .document(&site.url(&format!("/p/{page}")))
            .await
            .unwrap();
        let mut renderers = family();
        renderers.retain(Process::renders);
        for process in &renderers {
            signal("-9", process.id);
        }
        let is_gone = || {
            let family = family();
            let left = |killed: &Process| family.iter().any(|process| process.id == killed.id);
            !renderers.iter().any(left)
        };
        until("they are gone", is_gone).await;
        let url = site.url(&format!("/p/{}", page + 10));
        let begun = Instant::now();
        let next = match stage.document(&url).await {
            Err(failure) if failure.kind == FailKind::Browser => stage.document(&url).await,
            next => next,
        };
        let (took, markup) = (begun.elapsed(), markup(&next.unwrap()));
        assert!(
            markup.contains(&format!("Chapter {} of 50", page + 10)),
            "{page}: {markup}"
        );
        println!("{page}: {took:?}");
        assert!(took < Duration::from_secs(10), "{page}: {took:?}");
    }
    stage.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_holds_too_much_is_replaced_and_more_tabs_may_hold_more() {
    let site = Server::start(Routed::new(50));
    let held = |tabs| {
        Stage::new(move |settings| {
            settings.tabs = tabs;
            settings.recycle_memory = 0;
            settings.page_memory = 256 << 20;
        })
    };
    // 128 MB for one tab: no browser is as small.
    let stage = held(1);
    let begun = Instant::now();
    while stage.renderer.numbers().starts < 2 {
        stage.document(&site.url("/p/1")).await.unwrap();
        assert!(begun.elapsed() < Duration::from_mins(1), "not replaced");
    }
    assert_eq!(stage.renderer.numbers().deaths, 0);
    stage.renderer.close().await;
    // The same for each of 64: what one holds is little of that. As long as it took to notice the other one.
    let enough = begun.elapsed().max(Duration::from_secs(2));
    let stage = held(64);
    let begun = Instant::now();
    while begun.elapsed() < enough {
        stage.document(&site.url("/p/1")).await.unwrap();
    }
    assert_eq!(stage.renderer.numbers().starts, 1);
    stage.renderer.close().await;
    until("all are gone", || family().is_empty()).await;
}
