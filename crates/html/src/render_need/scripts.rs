//! Guesses the purpose of a script without running it.

use memchr::memmem;

/// The purpose of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// A file whose name suggests an application.
    Bundle,
    /// Another file.
    File,
    /// Analytics, advertising or consent: does not write content.
    Analytics,
    /// JSON for another script.
    State,
    /// Code in the page.
    Inline,
    /// Does not run: structured data, templates, rules.
    Inert,
}

/// Number of bytes of a script that are examined.
const WINDOW: usize = 20_000;

/// Parts of the address or code of analytics scripts.
const ANALYTICS: [&str; 34] = [
    "googletagmanager",
    "google-analytics",
    "googlesyndication",
    "doubleclick",
    "googleanalyticsobject",
    "recaptcha",
    "gtag(",
    "_gaq",
    "datalayer",
    "matomo",
    "piwik",
    "_paq",
    "plausible",
    "cloudflareinsights",
    "/cdn-cgi/",
    "hotjar",
    "clarity.ms",
    "connect.facebook.net",
    "fbq(",
    "segment.com",
    "newrelic",
    "nreum",
    "hs-scripts",
    "hs-analytics",
    "cookielaw",
    "cookiebot",
    "onetrust",
    "usercentrics",
    "consent",
    "umami",
    "goatcounter",
    "quantserve",
    "scorecardresearch",
    "wp-emoji",
];

/// Parts of the address of application bundles.
const BUNDLES: [&str; 24] = [
    "/_next/",
    "/_nuxt/",
    "/_app/",
    "/static/js/",
    "/assets/index",
    "/assets/app",
    "/@vite/",
    "main.",
    "main-",
    "app.",
    "app-",
    "bundle",
    "chunk",
    "runtime",
    "vendor",
    "polyfills",
    "webpack",
    "index.js",
    "index-",
    "client.",
    "entry",
    "react",
    "vue",
    "angular",
];

impl Script {
    /// Classifies a script by its type, address and code.
    pub(super) fn of(kind: Option<&[u8]>, source: Option<&[u8]>, code: &[u8]) -> Self {
        let kind = kind.unwrap_or_default().trim_ascii();
        let is_module = kind.eq_ignore_ascii_case(b"module");
        if !kind.is_empty() && !is_module && !is_javascript(kind) {
            return if kind.eq_ignore_ascii_case(b"application/json") {
                Self::State
            } else {
                Self::Inert
            };
        }
        if let Some(source) = source {
            return if contains_any(source, &ANALYTICS) {
                Self::Analytics
            } else if is_module || contains_any(source, &BUNDLES) {
                Self::Bundle
            } else {
                Self::File
            };
        }
        let code = &code[..code.len().min(WINDOW)];
        if code.trim_ascii().is_empty() {
            Self::Inert
        } else if code.len() < WINDOW && contains_any(code, &ANALYTICS) && !is_redirect(code) {
            Self::Analytics
        } else {
            Self::Inline
        }
    }
}

fn is_javascript(kind: &[u8]) -> bool {
    let essence = kind.split(|byte| *byte == b';').next().unwrap_or_default();
    [
        "text/javascript",
        "application/javascript",
        "application/x-javascript",
        "text/ecmascript",
        "application/ecmascript",
        "text/jscript",
    ]
    .iter()
    .any(|known| essence.trim_ascii().eq_ignore_ascii_case(known.as_bytes()))
        // Some proxies write this type to delay a script; it runs all the same.
        || (kind.len() > 16 && kind.ends_with(b"-text/javascript"))
}

fn contains_any(text: &[u8], words: &[&str]) -> bool {
    let lower = text[..text.len().min(WINDOW)].to_ascii_lowercase();
    words
        .iter()
        .any(|word| memmem::find(&lower, word.as_bytes()).is_some())
}

/// Whether the code redirects: sets the location, submits a form, or writes a `meta refresh`.
pub(super) fn is_redirect(code: &[u8]) -> bool {
    let code = &code[..code.len().min(WINDOW)];
    let sets = memmem::find_iter(code, b"location").any(|at| sets_location(&code[at + 8..]));
    sets || submits(code) || writes_refresh(code)
}

/// Whether the code after `location` sets it.
fn sets_location(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii_start();
    if let Some(call) = rest.strip_prefix(b".") {
        let call = call.trim_ascii_start();
        if let Some(open) = strip_one(call, &[b"replace", b"assign"]) {
            return open.trim_ascii_start().starts_with(b"(");
        }
        return call.strip_prefix(b"href").is_some_and(assigns);
    }
    for quoted in [b"[\"href\"]".as_slice(), b"['href']"] {
        if let Some(after) = rest.strip_prefix(quoted) {
            return assigns(after);
        }
    }
    assigns(rest)
}

fn strip_one<'a>(text: &'a [u8], starts: &[&[u8]]) -> Option<&'a [u8]> {
    starts.iter().find_map(|start| text.strip_prefix(*start))
}

/// Whether an assignment follows, rather than a comparison.
fn assigns(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii_start();
    rest.first() == Some(&b'=') && !matches!(rest.get(1), Some(b'=' | b'>'))
}

fn submits(code: &[u8]) -> bool {
    let form = memmem::find(code, b"form").is_some() || memmem::find(code, b"getElement").is_some();
    form && memmem::find(code, b".submit()").is_some()
}

fn writes_refresh(code: &[u8]) -> bool {
    let lower = code.to_ascii_lowercase();
    let names = |word: &str| memmem::find(&lower, word.as_bytes()).is_some();
    (names("http-equiv") || names("httpequiv")) && names("refresh")
}

#[cfg(test)]
mod tests {
    use super::{Script, is_redirect};

    #[test]
    fn redirecting_code() {
        let table = [
            ("location='/a'", true),
            ("window.location = \"/a\"", true),
            ("document.location.href='/a';", true),
            ("top.location.replace('/a')", true),
            ("self.location.assign ( '/a' )", true),
            ("location[\"href\"] = to", true),
            ("document.forms[0].submit()", true),
            ("document.getElementById('f').submit();", true),
            (
                "document.write('<meta http-equiv=\"refresh\" content=\"0;url=/a\">')",
                true,
            ),
            ("if (location == top.location) x()", false),
            ("if (location.href === '/a') x()", false),
            ("const at = location.href;", false),
            ("const path = location.pathname", false),
            ("location.reload()", false),
            ("send({ page: location.href })", false),
            ("on('submit', (e) => e.preventDefault())", false),
            ("", false),
        ];
        for (code, expected) in table {
            assert_eq!(is_redirect(code.as_bytes()), expected, "{code}");
        }
    }

    #[test]
    fn scripts_by_purpose() {
        let table: [(&str, &str, &str, Script); 11] = [
            ("", "/static/js/main.3f2.js", "", Script::Bundle),
            ("module", "/src/start.ts", "", Script::Bundle),
            ("", "/menu.js", "", Script::File),
            (
                "",
                "https://www.googletagmanager.com/gtag/js?id=G-1",
                "",
                Script::Analytics,
            ),
            (
                "",
                "",
                "window.dataLayer = window.dataLayer || [];",
                Script::Analytics,
            ),
            ("", "", "draw(document.body)", Script::Inline),
            ("text/javascript", "", "draw(document.body)", Script::Inline),
            ("application/json", "", "{\"a\":1}", Script::State),
            (
                "application/ld+json",
                "",
                "{\"@type\":\"Thing\"}",
                Script::Inert,
            ),
            ("text/x-handlebars", "", "<p>{{name}}</p>", Script::Inert),
            ("", "", "  \n ", Script::Inert),
        ];
        for (kind, source, code, expected) in table {
            let kind = Some(kind.as_bytes()).filter(|kind| !kind.is_empty());
            let source = Some(source.as_bytes()).filter(|source| !source.is_empty());
            assert_eq!(
                Script::of(kind, source, code.as_bytes()),
                expected,
                "{code:?} {source:?}"
            );
        }
    }
}
