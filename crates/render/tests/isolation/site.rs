//! A site that tries every channel.

use std::fmt::Write;
use std::time::Duration;

use testsite::{Request, Server, SiteResponse};

use crate::canary::Canary;

/// Longer than the slowest channel, WebRTC, needs.
const HOLD_TIME: Duration = Duration::from_secs(6);

/// Ways a page can navigate by itself: `(name, page)`, with `{}` for the target URL.
pub(crate) const SELF_NAVIGATIONS: [(&str, &str); 6] = [
    ("move-location", "<script>location = '{}'</script>"),
    ("move-replace", "<script>location.replace('{}')</script>"),
    (
        "move-refresh",
        "<meta http-equiv=refresh content='0;url={}'>",
    ),
    (
        "move-form",
        "<form action='{}'></form><script>document.forms[0].submit()</script>",
    ),
    (
        "move-click",
        "<a href='{}'>x</a><script>document.links[0].click()</script>",
    ),
    (
        "move-top",
        "<iframe srcdoc=\"<script>top.location = '{}'</script>\"></iframe>",
    ),
];

/// Serves `/`, which tries every channel at every canary; `/move/<canary>/<name>`; `/redirect/<canary>/<status>`.
pub(crate) fn start(canaries: &[Canary], file: &str) -> Server {
    let bases: Vec<String> = canaries
        .iter()
        .map(|canary| format!("http://{}", canary.address))
        .collect();
    let named = format!("http://canary.test:{}", canaries[0].address.port());
    let file = file.to_owned();
    Server::start(move |request: &Request| respond(request, &bases, &named, &file))
}

fn respond(request: &Request, bases: &[String], named: &str, file: &str) -> SiteResponse {
    let script = |text: &str| SiteResponse::new(200, "text/javascript", text.to_owned());
    let mut parts = request.path().split('/').skip(1);
    let (first, second, third) = (parts.next(), parts.next(), parts.next());
    let base = second.and_then(|at| bases.get(at.parse::<usize>().ok()?));
    match (first, base, third) {
        (Some(""), ..) => home(bases, named, file),
        (Some("hold"), ..) => SiteResponse::text("held").after(HOLD_TIME),
        (Some("redirect"), Some(base), Some(status)) => {
            SiteResponse::redirect(status.parse().unwrap(), &format!("{base}/c/redirect"))
        }
        (Some("move"), Some(base), Some(name)) => {
            let page = SELF_NAVIGATIONS
                .iter()
                .find(|(navigation, _)| *navigation == name)
                .unwrap()
                .1;
            let page = page.replace("{}", &format!("{base}/c/{name}"));
            // Keeps the page busy until it has navigated, however slow the machine is.
            SiteResponse::html(format!("<script>fetch('/hold')</script>{page}"))
        }
        (Some("channels.js"), ..) => script(include_str!("site/channels.js")),
        (Some("shared.js"), ..) => script(include_str!("site/shared.js")),
        (Some("service.js"), ..) => script(include_str!("site/service.js")),
        _ => SiteResponse::status(404),
    }
}

fn home(bases: &[String], named: &str, file: &str) -> SiteResponse {
    let all: Vec<&str> = bases.iter().map(String::as_str).chain([named]).collect();
    let list = serde_json::to_string(&all).unwrap();
    let mut page = format!(
        "<!doctype html><title>everything</title><script>const BASES = {list}, FILE = {file:?}</script>"
    );
    let mut rules = String::new();
    let mut reports = String::new();
    for base in &all {
        let at = |channel: &str| format!("{base}/c/{channel}");
        // The preload scanner also finds what is in the initial markup.
        for (rel, rest) in [
            ("stylesheet", ""),
            ("icon", ""),
            ("manifest", ""),
            ("preconnect", ""),
            ("dns-prefetch", ""),
            ("prefetch", ""),
            ("prerender", ""),
            ("modulepreload", ""),
            ("preload", " as=image"),
        ] {
            let _ = write!(
                page,
                "<link rel={rel} href='{}'{rest}>",
                at(&format!("link-{rel}"))
            );
        }
        let _ = write!(rules, "\"{}\",", at("speculation"));
        let _ = write!(reports, " {}", at("csp-report"));
    }
    let rules = rules.trim_end_matches(',');
    let _ = write!(
        page,
        "<script type=speculationrules>{{\"prefetch\":[{{\"urls\":[{rules}],\"eagerness\":\"immediate\"}}],\"prerender\":[{{\"urls\":[{rules}],\"eagerness\":\"immediate\"}}]}}</script>"
    );
    page += "<body><script src=/channels.js></script>";
    SiteResponse::html(page).header(
        "Content-Security-Policy-Report-Only",
        &format!("script-src 'none'; report-uri{reports}"),
    )
}
