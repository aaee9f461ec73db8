//! One page for each common behavior of scripts.

use std::time::Duration;

use super::assets::{asset, script, shell};
use crate::{Request, Site, SiteResponse};

/// A page and the expected outcome of rendering it. Without its script the page has no content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Application {
    /// Name.
    pub name: &'static str,
    /// Path.
    pub path: &'static str,
    /// Expected outcome.
    pub outcome: ApplicationOutcome,
    /// Description.
    pub about: &'static str,
}

/// The expected outcome of rendering an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplicationOutcome {
    /// A document with all these texts and links.
    Document {
        /// Phrases in its text.
        texts: &'static [&'static str],
        /// `href` attributes of its links.
        links: &'static [&'static str],
    },
    /// A script navigates to this path.
    Moves(&'static str),
}

const fn document(
    name: &'static str,
    path: &'static str,
    texts: &'static [&'static str],
    links: &'static [&'static str],
    about: &'static str,
) -> Application {
    let outcome = ApplicationOutcome::Document { texts, links };
    Application {
        name,
        path,
        outcome,
        about,
    }
}

const fn moves(
    name: &'static str,
    path: &'static str,
    to: &'static str,
    about: &'static str,
) -> Application {
    let outcome = ApplicationOutcome::Moves(to);
    Application {
        name,
        path,
        outcome,
        about,
    }
}

/// All applications: name, path, expected outcome, description.
#[rustfmt::skip]
pub const APPLICATIONS: [Application; 26] = [
    document("lazy", "/lazy", &["the first load is ashore", "the second load is ashore"], &["/landed/lazy"],
        "text from two consecutive requests of 100 and 200 ms"),
    document("scroll", "/scroll", &["barrel 1 of many"], &["/landed/barrel-1"],
        "loads more whenever its end is in view, without end"),
    document("shadow", "/shadow", &["outer shade", "inner shade", "light in the slot"],
        &["/landed/shade", "/landed/slot"], "open shadow roots, nested, with a slot"),
    moves("replace", "/replace", "/landed/replace", "location.replace() while it loads"),
    moves("href", "/href", "/landed/href", "location.href set 100 ms after load"),
    moves("assign-late", "/assign-late", "/landed/assign", "location.assign() after its data has arrived"),
    moves("meta-refresh", "/meta-refresh", "/landed/meta", "a meta refresh of 0 s, added by a script"),
    moves("self-submit", "/self-submit", "/landed/form?ticket=7", "a form that submits itself by GET"),
    moves("link-click", "/link-click", "/landed/click", "clicks one of its own links"),
    document("replace-state", "/replace-state", &["the address changed and nothing was loaded"], &["/landed/state"],
        "history.replaceState() without a load"),
    document("push-state", "/push-state", &["three addresses, one load"], &["/landed/pushed"],
        "history.pushState() three times without a load"),
    document("hash-move", "/hash-move", &["moved within the page"], &["/landed/hash"],
        "sets location.hash: a navigation within the page"),
    document("polling", "/polling", &["the tide is known"], &["/landed/tide"],
        "polls every 50 ms forever: never idle"),
    document("long-poll", "/long-poll", &["waiting at the quay"], &["/landed/quay"],
        "a request that never gets a response"),
    document("error", "/error", &["written before the fault", "written in spite of it"], &["/landed/error"],
        "throws between two parts of its text, with an unhandled promise rejection"),
    document("noscript", "/noscript", &["the script wrote this"], &["/landed/noscript"],
        "a notice for browsers without scripts"),
    document("hash-routing", "/hash-routing", &["hash route: home"], &["#/about", "#/contact"],
        "routes in the URL fragment"),
    document("visits", "/visits", &["visits by cookie: 1", "visits by storage: 1", "visits by database: 1"], &[],
        "counts its visits in a cookie, local storage and IndexedDB"),
    document("shift-jis", "/shift-jis", &["日本語のページ", "スクリプトが書いた文"], &["/landed/minato"],
        "page and script in Shift_JIS"),
    document("dialogs", "/dialogs", &["alert, confirm, prompt and print are behind us"], &["/landed/dialogs"],
        "opens four dialogs before it adds its text, and tries to prevent leaving"),
    document("download", "/download", &["the download was clicked"], &["/download/cargo.bin"],
        "clicks a download link"),
    document("window-open", "/window-open", &["a window was asked for"], &["/landed/window"],
        "opens a window before it adds its text"),
    document("modules", "/modules", &["the imported module speaks"], &["/landed/module"],
        "JavaScript modules, one of them imported dynamically"),
    document("frame", "/frame", &["beside the frame"], &["/landed/frame"],
        "an inner frame that navigates; the page does not"),
    document("late", "/late", &["after a second of silence"], &["/landed/late"],
        "shows a spinner until its data arrives after a second"),
    document("web-component", "/web-component", &["said by a custom element"], &["/landed/component"],
        "a custom element that renders itself when it is connected"),
];

/// Serves all of [`APPLICATIONS`]; `/landed/…` are plain pages, `/` links to every application.
#[derive(Debug, Clone, Copy, Default)]
pub struct Applications;

impl Site for Applications {
    fn respond(&self, request: &Request) -> SiteResponse {
        let path = request.path();
        if path == "/" {
            let paths = APPLICATIONS.iter().map(|application| application.path);
            return SiteResponse::html(crate::pages::list_of_links(paths));
        }
        if let Some(place) = path.strip_prefix("/landed/") {
            return SiteResponse::html(format!(
                "<!doctype html><title>Landed</title><p>You have landed at {place}.</p>"
            ));
        }
        asset(path)
            .or_else(|| data(path))
            .or_else(|| code(path))
            .or_else(|| page(path))
            .unwrap_or_else(|| SiteResponse::status(404))
    }
}

fn page(path: &str) -> Option<SiteResponse> {
    let application = APPLICATIONS
        .iter()
        .find(|application| application.path == path)?;
    if application.name == "shift-jis" {
        return Some(shift_jis());
    }
    let mut body = shell(application.name, &format!("/code{path}.js"));
    if application.name == "noscript" {
        let notice =
            "<noscript>You need to enable JavaScript to run this app.</noscript>\n    <div";
        body = body.replace("<div", notice);
    }
    if application.name == "modules" {
        body = body.replace("<script defer", "<script type=\"module\"");
    }
    Some(SiteResponse::html(body))
}

/// Data requested by the scripts.
fn data(path: &str) -> Option<SiteResponse> {
    let json = |text: &'static str, delay: u64| {
        SiteResponse::new(200, "application/json", text)
            .header("Cache-Control", "no-store")
            .after(Duration::from_millis(delay))
    };
    Some(match path {
        "/data/first.json" => json("{\"text\":\"the first load is ashore\"}", 100),
        "/data/second.json" => json("{\"text\":\"the second load is ashore\"}", 200),
        "/data/late.json" => json("{\"text\":\"after a second of silence\"}", 1_000),
        "/data/tide.json" => json("{\"text\":\"the tide is known\"}", 0),
        "/data/assign.json" => json("{\"to\":\"/landed/assign\"}", 50),
        "/data/never.json" => SiteResponse::script(vec![crate::SocketStep::Hang]),
        "/download/cargo.bin" => {
            SiteResponse::new(200, "application/octet-stream", vec![0x7F_u8; 4_096])
                .header("Content-Disposition", "attachment; filename=\"cargo.bin\"")
        }
        "/inner" => SiteResponse::html(
            "<!doctype html><p>inner frame<script>location.replace('/landed/inner')</script>",
        ),
        _ => return None,
    })
}

fn code(path: &str) -> Option<SiteResponse> {
    let name = path.strip_prefix("/code/")?.strip_suffix(".js")?;
    if name == "shift-jis" {
        return Some(shift_jis_code());
    }
    Some(script(match name {
        "lazy" => include_str!("scripts/lazy.js"),
        "scroll" => include_str!("scripts/scroll.js"),
        "shadow" => include_str!("scripts/shadow.js"),
        "replace" => "location.replace('/landed/replace');",
        "href" => {
            "addEventListener('load', () => setTimeout(() => { location.href = '/landed/href'; }, 100));"
        }
        "assign-late" => {
            "fetch('/data/assign.json').then((response) => response.json()).then(({ to }) => location.assign(to));"
        }
        "meta-refresh" => {
            "const meta = document.createElement('meta'); meta.httpEquiv = 'refresh';
meta.content = '0; url=/landed/meta'; document.head.append(meta);"
        }
        "self-submit" => {
            "root.innerHTML = '<form action=\"/landed/form\"><input type=\"hidden\" name=\"ticket\" value=\"7\"></form>';
root.querySelector('form').submit();"
        }
        "link-click" => "root.innerHTML = '<a href=\"/landed/click\">on</a>'; root.firstChild.click();",
        "replace-state" => {
            "history.replaceState(null, '', '/replace-state/elsewhere');
root.innerHTML = '<p>the address changed and nothing was loaded</p><a href=\"/landed/state\">on</a>';"
        }
        "push-state" => {
            "for (const step of [1, 2, 3]) history.pushState(null, '', `/push-state/${step}`);
root.innerHTML = '<p>three addresses, one load</p><a href=\"/landed/pushed\">on</a>';"
        }
        "hash-move" => {
            "location.hash = 'below';
root.innerHTML = '<p id=\"below\">moved within the page</p><a href=\"/landed/hash\">on</a>';"
        }
        "polling" => include_str!("scripts/polling.js"),
        "long-poll" => {
            "fetch('/data/never.json').catch(() => {});
root.innerHTML = '<p>waiting at the quay</p><a href=\"/landed/quay\">on</a>';"
        }
        "error" => include_str!("scripts/error.js"),
        "noscript" => {
            "root.innerHTML = '<p>the script wrote this</p><a href=\"/landed/noscript\">on</a>';"
        }
        "hash-routing" => include_str!("scripts/hash_routing.js"),
        "visits" => include_str!("scripts/visits.js"),
        "dialogs" => include_str!("scripts/dialogs.js"),
        "download" => {
            "root.innerHTML = '<p>the download was clicked</p><a href=\"/download/cargo.bin\" download>cargo</a>';
root.querySelector('a').click();"
        }
        "window-open" => {
            "window.open('/landed/opened'); window.open('/landed/opened-too', 'two', 'popup,width=200');
root.innerHTML = '<p>a window was asked for</p><a href=\"/landed/window\" target=\"_blank\">on</a>';"
        }
        "modules" => {
            "const { speak } = await import('/code/spoken.js'); speak(document.getElementById('root'));"
        }
        "spoken" => {
            "export const speak = (place) => {
  place.innerHTML = '<p>the imported module speaks</p><a href=\"/landed/module\">on</a>'; };"
        }
        "frame" => {
            "root.innerHTML = '<p>beside the frame</p><iframe src=\"/inner\"></iframe><a href=\"/landed/frame\">on</a>';"
        }
        "late" => {
            "root.innerHTML = '<div class=\"spinner\">Loading…</div>';
fetch('/data/late.json').then((response) => response.json()).then(({ text }) => {
  root.innerHTML = `<p>${text}</p><a href=\"/landed/late\">on</a>`; });"
        }
        "web-component" => include_str!("scripts/web_component.js"),
        _ => return None,
    }))
}

/// The title is in the page, the text is added by its script; both are in Shift_JIS, which the header does not state.
fn shift_jis() -> SiteResponse {
    let mut body =
        b"<!doctype html><html lang=\"ja\"><head><meta charset=\"shift_jis\"><title>".to_vec();
    body.extend_from_slice(MINATO);
    body.extend_from_slice(
        b"</title><link rel=\"stylesheet\" href=\"/assets/app.css\"></head><body><h1>",
    );
    body.extend_from_slice(NIHONGO_NO_PEEJI);
    body.extend_from_slice(
        b"</h1><div id=\"root\"></div><script src=\"/code/shift-jis.js\"></script></body></html>",
    );
    SiteResponse::new(200, "text/html", body)
}

fn shift_jis_code() -> SiteResponse {
    let mut code = b"document.getElementById('root').innerHTML = '<p>".to_vec();
    code.extend_from_slice(SUKURIPUTO_GA_KAITA_BUN);
    code.extend_from_slice(b"</p><a href=\"/landed/minato\">");
    code.extend_from_slice(MINATO);
    code.extend_from_slice(b"</a>';");
    SiteResponse::new(200, "text/javascript", code)
}

/// 日本語のページ
const NIHONGO_NO_PEEJI: &[u8] = b"\x93\xFA\x96{\x8C\xEA\x82\xCC\x83y\x81[\x83W";
/// スクリプトが書いた文
const SUKURIPUTO_GA_KAITA_BUN: &[u8] =
    b"\x83X\x83N\x83\x8A\x83v\x83g\x82\xAA\x8F\x91\x82\xA2\x82\xBD\x95\xB6";
/// 静かな港
const MINATO: &[u8] = b"\x90\xC3\x82\xA9\x82\xC8\x8D`";
