//! Callers that do not wait for a browser's start.

use model::ScrapeSpec;
use testsite::{Pages, Server};

use crate::family::{family, until};
use crate::launcher::Launcher;
use crate::stage::{Stage, markup};

/// Says that it is there, and starts the browser when it is let.
const HELD: &str = "echo >> \"$HERE/asked\"
while [ ! -e \"$HERE/go\" ]; do sleep 0.02; done
exec \"$CHROMIUM\" \"$@\"";

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_goes_away_during_a_start_costs_nobody_anything() {
    let site = Server::start(Pages::new().html("/", "<p>hello"));
    let launcher = Launcher::new(HELD);
    let stage = Stage::by(
        Some(&launcher.program),
        &ScrapeSpec::default(),
        |settings| {
            settings.tabs = 1;
        },
    );
    let url = site.url("/");
    for _ in 0..3 {
        tokio::select! {
            page = stage.document(&url) => panic!("nothing was started yet: {page:?}"),
            () = until("a start is under way", || launcher.beside("asked").exists()) => (),
        }
    }
    assert_eq!(stage.renderer.numbers().busy, 0, "their places are free");
    std::fs::write(launcher.beside("go"), "").unwrap();
    // The start they asked for is everybody's: this page gets its browser.
    let page = stage.document(&url).await.unwrap();
    assert!(markup(&page).contains("hello"));
    assert_eq!(stage.renderer.numbers().starts, 1);
    let asked = std::fs::read_to_string(launcher.beside("asked")).unwrap();
    assert_eq!(asked.lines().count(), 1, "one browser was asked for");
    stage.renderer.close().await;
    until("all are gone", || family().is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_nobody_waited_for_is_closed_with_the_rest() {
    let site = Server::start(Pages::new().html("/", "<p>hello"));
    let launcher = Launcher::new(HELD);
    let stage = Stage::by(Some(&launcher.program), &ScrapeSpec::default(), |_| ());
    let url = site.url("/");
    tokio::select! {
        page = stage.document(&url) => panic!("nothing was started yet: {page:?}"),
        () = until("a start is under way", || launcher.beside("asked").exists()) => (),
    }
    std::fs::write(launcher.beside("go"), "").unwrap();
    stage.renderer.close().await;
    until("all are gone", || family().is_empty()).await;
    assert_eq!(site.count("/"), 0);
}
