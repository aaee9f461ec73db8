//! Budgets of a page. For each there is a page that exceeds it, and one that just does not.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use crawler_fetch::{Fetched, Guard, HttpFetch};
use crawler_model::{FailKind, Failure, PageBudgets, RequestSpec};
use crawler_render::RenderSettings;
use testsite::{Pages, Request, Server, SiteResponse, SocketStep, Tls};

use crate::launcher::Launcher;
use crate::process_tree::{Process, descendants, until};
use crate::test_renderer::{TestRenderer, markup};

/// Longer than any page here takes until it exceeds a budget.
const NAV_TIMEOUT: Duration = Duration::from_mins(1);

fn within(budgets: PageBudgets) -> impl FnOnce(&mut RenderSettings) {
    move |settings| {
        settings.tabs = 1;
        settings.nav_timeout = NAV_TIMEOUT;
        // A busy machine takes a while to start a worker or a frame, and no request is in flight in the meantime.
        settings.idle_timeout = Duration::from_secs(5);
        settings.blocked = Vec::new();
        settings.budgets = budgets;
    }
}

/// Asserts that a page ended because of a budget, that its processes ended as well, and that the next page is rendered.
async fn assert_over(
    test: &TestRenderer,
    page: Result<Fetched, Failure>,
    message: &str,
    healthy: &str,
) {
    let pages: Vec<u32> = descendants()
        .iter()
        .filter(|process| process.renders())
        .map(|process| process.id)
        .collect();
    let failure = page.unwrap_err();
    assert_eq!(failure.kind, FailKind::RenderBudget, "{failure}");
    assert!(failure.message.contains(message), "{failure}");
    let next = test.document(healthy).await.unwrap();
    assert!(markup(&next).contains("healthy"));
    // The only tab is idle again, and what rendered the page is gone.
    until("the tab is free", || test.renderer.numbers().busy == 0).await;
    until("the processes of the page have exited", || {
        let running = descendants();
        let is_left = |process: &&Process| pages.contains(&process.id);
        running.iter().filter(is_left).count() == 0
            // The browser keeps one process in reserve, and may reuse it.
            || running.iter().filter(|process| process.renders()).count() <= 2
    })
    .await;
}

async fn close(test: TestRenderer) {
    test.renderer.close().await;
    until("all have exited", || descendants().is_empty()).await;
}

/// `/images/N` has N images, `/many` 10,000.
fn image_site() -> Server {
    Server::start(|request: &Request| match request.path() {
        "/healthy" => SiteResponse::html("<p>healthy"),
        path => match path.strip_prefix("/images/") {
            Some(number) => SiteResponse::html(format!(
                "<p>gallery<script>for (let i = 0; i < {number}; i++) new Image().src = '/image/' + i</script>"
            )),
            None => SiteResponse::new(200, "image/png", "no image"),
        },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn requests() {
    let site = image_site();
    let test = TestRenderer::new(within(PageBudgets {
        requests: 50,
        ..PageBudgets::UNLIMITED
    }));
    let page = test.document(&site.url("/images/49")).await.unwrap();
    assert!(markup(&page).contains("gallery"));
    assert_eq!(site.count_below("/image/"), 49);
    site.forget();
    let page = test.document(&site.url("/images/50")).await;
    assert_over(&test, page, "more than 50 requests", &site.url("/healthy")).await;
    site.forget();
    let page = test.document(&site.url("/images/10000")).await;
    assert_over(&test, page, "more than 50 requests", &site.url("/healthy")).await;
    // Requests of the page before may arrive late.
    assert!(site.count_below("/image/") < 100, "{}", site.total());
    close(test).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn resources_that_are_not_loaded_do_not_count() {
    let site = image_site();
    let test = TestRenderer::new(|settings| settings.tabs = 1);
    let page = test.document(&site.url("/images/2000")).await.unwrap();
    assert!(markup(&page).contains("gallery"));
    assert_eq!(site.count_below("/image/"), 0);
    close(test).await;
}

/// Over TLS the proxy sees one tunnel, whatever the page and its workers request.
#[tokio::test(flavor = "multi_thread")]
async fn requests_of_workers_over_tls() {
    let fetches =
        "(async () => { for (let i = 0; i < NUMBER; i++) await fetch('/thing?' + i); })()";
    let worker = |number: &str| {
        let code = fetches.replace("NUMBER", number);
        SiteResponse::new(200, "text/javascript", code)
    };
    let pages = Pages::new()
        .html("/healthy", "<p>healthy")
        .html(
            "/page",
            "<p>busy<script>new Worker('/many.js'); new Worker('/many.js')</script>",
        )
        .html(
            "/near",
            "<p>near<script>new Worker('/few.js'); new Worker('/few.js')</script>",
        )
        .page("/many.js", worker("100000"))
        .page("/few.js", worker("15"));
    let tls = Tls::generate();
    let site = Server::start_tls(pages, &tls);
    let trusting = format!(
        "exec \"$CHROMIUM\" --ignore-certificate-errors-spki-list={} \"$@\"",
        tls.key_hash()
    );
    let launcher = Launcher::new(&trusting);
    let budgets = PageBudgets {
        requests: 40,
        ..PageBudgets::UNLIMITED
    };
    let program = Some(launcher.program.as_path());
    let test = TestRenderer::by(program, &RequestSpec::default(), within(budgets));
    let page = test.document(&site.url("/near")).await.unwrap();
    assert!(markup(&page).contains("near"));
    // The end of the workers' scripts is seen, so that the page is ready in time.
    assert!(page.elapsed < NAV_TIMEOUT / 2, "{page:?}");
    let page = test.document(&site.url("/page")).await;
    assert_over(&test, page, "more than 40 requests", &site.url("/healthy")).await;
    close(test).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_of_a_stream_that_never_ends() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n";
    let site = Server::start(move |request: &Request| match request.path() {
        "/healthy" => SiteResponse::html("<p>healthy"),
        "/near" => SiteResponse::html("<p>near<script>fetch('/part').then(r => r.text())</script>"),
        "/part" => SiteResponse::text("x".repeat(900_000)),
        "/stream" => SiteResponse::script(vec![
            SocketStep::send(head),
            SocketStep::SendTimes("x".repeat(64_000).into(), u64::MAX),
        ]),
        _ => SiteResponse::html(
            "<p>stream<script>(async () => { const all = (await fetch('/stream')).body.getReader();
            for (;;) await all.read(); })()</script>",
        ),
    });
    let test = TestRenderer::new(within(PageBudgets {
        bytes: 1_000_000,
        ..PageBudgets::UNLIMITED
    }));
    let page = test.document(&site.url("/near")).await.unwrap();
    assert!(page.wire_bytes > 900_000, "{page:?}");
    let page = test.document(&site.url("/")).await;
    assert_over(&test, page, "more than 1MB", &site.url("/healthy")).await;
    close(test).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_of_a_wildcard_name() {
    let site = Server::start(|request: &Request| {
        let path = request.path();
        let Some(number) = path.strip_prefix("/hosts/") else {
            return SiteResponse::html("<p>healthy").header("Access-Control-Allow-Origin", "*");
        };
        SiteResponse::html(format!(
            "<p>hosts<script>for (let i = 0; i < {number}; i++) fetch(`http://n${{i}}.wild.test:${{location.port}}/x`)</script>"
        ))
    });
    let budgets = PageBudgets {
        hosts: 20,
        ..PageBudgets::UNLIMITED
    };
    let spec = RequestSpec::default();
    let test = TestRenderer::fetching(None, &spec, within(budgets), |rules| {
        let look_up = Arc::new(|_: &str| vec![Ipv4Addr::LOCALHOST.into()]);
        let sniff = crawler_html::looks_like_html;
        HttpFetch::resolving(rules, 8, Guard::anywhere(), sniff, look_up)
    });
    let url = |path: &str| format!("http://www.wild.test:{}{path}", site.port());
    let page = test.document(&url("/hosts/19")).await.unwrap();
    assert!(markup(&page).contains("hosts"));
    let page = test.document(&url("/hosts/20")).await;
    assert_over(&test, page, "more than 20 hosts", &url("/healthy")).await;
    let page = test.document(&url("/hosts/10000")).await;
    assert_over(&test, page, "more than 20 hosts", &url("/healthy")).await;
    close(test).await;
}

/// Uses the CPU for this many milliseconds of a worker's or a frame's time.
fn spin(milliseconds: &str) -> String {
    format!("for (const end = Date.now() + {milliseconds}; Date.now() < end;);")
}

/// Pages that spin in the page itself, in workers, in frames of its origin, and in sandboxed frames, which have a process
/// of their own. Returns name and markup.
fn spinning(milliseconds: &str) -> [(&'static str, String); 4] {
    let spin = spin(milliseconds);
    [
        (
            "page",
            format!("<script>setTimeout(() => {{ {spin} }}, 50)</script>"),
        ),
        (
            "workers",
            format!(
                "<script>const code = URL.createObjectURL(new Blob(['{spin}']));
                for (let i = 0; i < 4; i++) new Worker(code);</script>"
            ),
        ),
        (
            "frames",
            format!("<iframe srcdoc='<script>{spin}</script>'></iframe>").repeat(3),
        ),
        (
            "sandboxed",
            format!("<iframe sandbox=allow-scripts srcdoc='<script>{spin}</script>'></iframe>")
                .repeat(2),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn cpu_time_of_a_page_its_workers_and_its_frames() {
    let hang = SiteResponse::script(vec![SocketStep::Hang]);
    let mut pages = Pages::new()
        .html("/healthy", "<p>healthy")
        .page("/hang", hang);
    for (name, code) in spinning("3600000") {
        // Not ready before it runs over.
        let page = format!("<p>busy {code}<script>fetch('/hang')</script>");
        pages = pages.html(&format!("/over/{name}"), &page);
    }
    for (name, code) in spinning("100") {
        pages = pages.html(&format!("/near/{name}"), &format!("<p>near {code}"));
    }
    let site = Server::start(pages);
    let test = TestRenderer::new(within(PageBudgets {
        cpu: Duration::from_secs(3),
        ..PageBudgets::UNLIMITED
    }));
    for (name, _) in spinning("") {
        let page = test.document(&site.url(&format!("/near/{name}"))).await;
        assert!(markup(&page.unwrap()).contains("near"), "{name}");
        let page = test.document(&site.url(&format!("/over/{name}"))).await;
        assert!(page.is_err(), "{name}: {page:?}");
        assert_over(
            &test,
            page,
            "more than 3s of CPU time",
            &site.url("/healthy"),
        )
        .await;
    }
    close(test).await;
}

/// The CPU time of a tab's earlier pages does not count.
#[tokio::test(flavor = "multi_thread")]
async fn every_page_has_budgets_of_its_own() {
    let spin = spin("400");
    let page = format!("<p>page<script>{spin} fetch('/healthy')</script>");
    let site = Server::start(Pages::new().html("/healthy", "<p>healthy").html("/", &page));
    let test = TestRenderer::new(within(PageBudgets {
        requests: 2,
        cpu: Duration::from_secs(3),
        ..PageBudgets::default()
    }));
    for _ in 0..12 {
        let page = test.document(&site.url("/")).await.unwrap();
        assert!(markup(&page).contains("page"));
    }
    assert_eq!(test.renderer.numbers().crashes, 0);
    close(test).await;
}
