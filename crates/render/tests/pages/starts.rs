//! Callers that are canceled while the browser starts.

use crawler_model::RequestSpec;
use testsite::{Pages, Server};

use crate::launcher::Launcher;
use crate::process_tree::{descendants, until};
use crate::test_renderer::{TestRenderer, markup};

/// Records the start and waits for the file `go` before it executes the browser.
const WAITING_LAUNCHER: &str = "echo >> \"$HERE/started\"
while [ ! -e \"$HERE/go\" ]; do sleep 0.02; done
exec \"$CHROMIUM\" \"$@\"";

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_canceled_during_a_start_affects_no_other() {
    let site = Server::start(Pages::new().html("/", "<p>hello"));
    let launcher = Launcher::new(WAITING_LAUNCHER);
    let test = TestRenderer::by(
        Some(&launcher.program),
        &RequestSpec::default(),
        |settings| {
            settings.tabs = 1;
        },
    );
    let url = site.url("/");
    for _ in 0..3 {
        tokio::select! {
            page = test.document(&url) => panic!("nothing has started yet: {page:?}"),
            () = until("the browser is starting", || launcher.beside("started").exists()) => (),
        }
    }
    assert_eq!(
        test.renderer.numbers().busy,
        0,
        "their permits are released"
    );
    std::fs::write(launcher.beside("go"), "").unwrap();
    // The start continues for all callers: this page gets its browser.
    let page = test.document(&url).await.unwrap();
    assert!(markup(&page).contains("hello"));
    assert_eq!(test.renderer.numbers().starts, 1);
    let started = std::fs::read_to_string(launcher.beside("started")).unwrap();
    assert_eq!(started.lines().count(), 1, "one browser was started");
    test.renderer.close().await;
    until("all have exited", || descendants().is_empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_whose_caller_was_canceled_is_closed_too() {
    let site = Server::start(Pages::new().html("/", "<p>hello"));
    let launcher = Launcher::new(WAITING_LAUNCHER);
    let test = TestRenderer::by(Some(&launcher.program), &RequestSpec::default(), |_| ());
    let url = site.url("/");
    tokio::select! {
        page = test.document(&url) => panic!("nothing has started yet: {page:?}"),
        () = until("the browser is starting", || launcher.beside("started").exists()) => (),
    }
    std::fs::write(launcher.beside("go"), "").unwrap();
    test.renderer.close().await;
    until("all have exited", || descendants().is_empty()).await;
    assert_eq!(site.count("/"), 0);
}
