//! State of one page is not visible to other pages or visits.

use std::time::{Duration, Instant};

use testsite::spa::Applications;
use testsite::{Pages, Server, SiteResponse};

use crate::test_renderer::{TestRenderer, markup};

#[tokio::test(flavor = "multi_thread")]
async fn every_page_sees_a_first_time_visitor() {
    let site = Server::start(Applications);
    let test = TestRenderer::new(|settings| settings.tabs = 1);
    // Three times in the same visit, which keeps its tab, and once in another.
    for visit in [1, 1, 1, 2] {
        let fetched = test.visit(&site.url("/visits"), visit).await.unwrap();
        let markup = markup(&fetched);
        for text in ["cookie: 1", "storage: 1", "database: 1"] {
            assert!(markup.contains(text), "{visit}: {text} is not in {markup}");
        }
    }
    test.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_of_a_visit_share_a_cache_and_visits_do_not() {
    let script = SiteResponse::new(200, "text/javascript", "document.title = 'x'")
        .header("Cache-Control", "max-age=600");
    let page = "<p>text<script src=/app.js></script>";
    let site = Pages::new()
        .html("/1", page)
        .html("/2", page)
        .page("/app.js", script);
    let site = Server::start(site);
    let test = TestRenderer::new(|settings| settings.tabs = 1);
    for (path, visit, requests) in [("/1", 1, 1), ("/2", 1, 1), ("/1", 1, 1), ("/1", 2, 2)] {
        test.visit(&site.url(path), visit).await.unwrap();
        assert_eq!(site.count("/app.js"), requests, "{path} of visit {visit}");
    }
    test.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_of_a_finished_page_are_stopped() {
    let busy = "<p>calm<script>
        setTimeout(() => setInterval(() => { fetch('/timer?' + Math.random()); alert('still here'); }, 50), 800);
        </script>";
    let site = Pages::new()
        .html("/busy", busy)
        .html("/next", "<p>next")
        .page(
            "/slow",
            testsite::SiteResponse::html("<p>slow").after(Duration::from_millis(1_500)),
        );
    let site = Server::start(site);
    let test = TestRenderer::new(|settings| settings.tabs = 2);
    let page = test.document(&site.url("/busy")).await.unwrap();
    assert!(markup(&page).contains("calm"));
    // Its timers would fire while another tab loads a page.
    test.visit(&site.url("/slow"), 2).await.unwrap();
    assert_eq!(site.count_below("/timer"), 0);
    let next = test.document(&site.url("/next")).await.unwrap();
    assert!(markup(&next).contains("next"));
    assert_eq!(test.renderer.numbers().starts, 1);
    test.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_wait_for_a_tab_is_reported_separately() {
    let slow = || testsite::SiteResponse::html("<p>slow").after(Duration::from_secs(1));
    let site = Server::start(Pages::new().page("/1", slow()).page("/2", slow()));
    let test = TestRenderer::new(|settings| settings.tabs = 1);
    let (one, two) = (site.url("/1"), site.url("/2"));
    let start = Instant::now();
    let pages = tokio::join!(test.visit(&one, 1), test.visit(&two, 1));
    let all = start.elapsed();
    let (mut first, mut second) = (pages.0.unwrap(), pages.1.unwrap());
    let waited = |page: &crawler_fetch::Fetched| page.rendering.unwrap().waited;
    if waited(&first) > waited(&second) {
        std::mem::swap(&mut first, &mut second);
    }
    assert_eq!(waited(&first), Duration::ZERO);
    // The second page waited for the start of the browser and the first page.
    assert!(waited(&second) > Duration::from_secs(1), "{second:?}");
    assert!(second.elapsed > Duration::from_secs(1), "{second:?}");
    assert!(
        waited(&second) + second.elapsed <= all,
        "{second:?} of {all:?}"
    );
    test.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_worker_does_not_serve_later_pages() {
    let register = "<p id=said>nothing<script>(async () => {
        const before = await navigator.serviceWorker.getRegistrations();
        await navigator.serviceWorker.register('/worker.js');
        await navigator.serviceWorker.ready;
        said.textContent = before.length + ' before, and one now';
        })()</script>";
    let worker = "addEventListener('install', () => skipWaiting());
        addEventListener('activate', event => event.waitUntil(clients.claim()));
        addEventListener('fetch', event => event.respondWith(
            new Response('<p>by the worker', {headers: {'Content-Type': 'text/html'}})));";
    let fetching = "<p>by the site<p id=said>nothing<script>
        fetch('/words').then(response => response.text()).then(text => { said.textContent = text; });
        </script>";
    let site = Pages::new()
        .html("/register", register)
        .page(
            "/worker.js",
            SiteResponse::new(200, "text/javascript", worker),
        )
        .page("/words", SiteResponse::text("words of the site"))
        .html("/fetching", fetching);
    let site = Server::start(site);
    let test = TestRenderer::new(|settings| {
        settings.tabs = 1;
        // The start of a worker is not a request of the page, and may be slow.
        settings.idle_timeout = Duration::from_secs(2);
    });
    for visit in [1, 1, 2] {
        let page = test.visit(&site.url("/register"), visit).await.unwrap();
        assert!(markup(&page).contains("0 before, and one now"), "{page:?}");
        let page = test.visit(&site.url("/fetching"), visit).await.unwrap();
        let markup = markup(&page);
        assert!(
            markup.contains("by the site") && markup.contains("words of the site"),
            "{markup}"
        );
    }
    assert_eq!(site.count("/fetching"), 3);
    test.renderer.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_slow_to_unload_does_not_block_a_tab() {
    const SLOW: Duration = Duration::from_millis(2_500);
    let unloading = format!(
        "<p>unloading<script>addEventListener('pagehide', () => {{
            const end = Date.now() + {};
            while (Date.now() < end);
        }})</script>",
        SLOW.as_millis()
    );
    let site = Pages::new()
        .html("/unloading", &unloading)
        .html("/next", "<p>next");
    let site = Server::start(site);
    let test = TestRenderer::new(|settings| settings.tabs = 4);
    let page = test.document(&site.url("/unloading")).await.unwrap();
    assert!(markup(&page).contains("unloading"));
    let responded = Instant::now();
    while test.renderer.numbers().busy > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let freed = responded.elapsed();
    assert!(freed < SLOW / 2, "{freed:?}");
    let next = test.document(&site.url("/next")).await.unwrap();
    assert!(markup(&next).contains("next"));
    test.renderer.close().await;
}
