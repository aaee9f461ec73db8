//! Whether pages are rendered in a browser, and why a page was or was not rendered.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Allowed time limits for rendering one page.
pub const NAV_TIMEOUTS: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_hours(1);

/// Whether pages are rendered in a browser.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum JsPolicy {
    /// Never: fetch by HTTP only.
    #[default]
    Never,
    /// Fetch by HTTP, and render pages that need it.
    Auto,
    /// Always render.
    Always,
}

impl JsPolicy {
    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Auto => "auto",
            Self::Always => "always",
        }
    }
}

/// Whether a page was rendered, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rendering {
    /// Whether it was rendered.
    pub rendered: bool,
    /// Why it was or was not rendered.
    pub reason: RenderReason,
    /// Time spent waiting for a free tab, which does not count toward the page's time.
    pub waited: Duration,
    /// Time for which a tab was used, including attempts that failed.
    pub browser_time: Duration,
    /// Whether its scripts were still running at the time limit: the page may be incomplete.
    pub timed_out: bool,
}

impl Rendering {
    /// Creates a value for a rendered page.
    pub fn because(reason: RenderReason) -> Self {
        Self {
            rendered: true,
            reason,
            waited: Duration::ZERO,
            browser_time: Duration::ZERO,
            timed_out: false,
        }
    }

    /// Creates a value for a page that was not rendered.
    pub fn not(reason: RenderReason) -> Self {
        Self {
            rendered: false,
            ..Self::because(reason)
        }
    }

    /// Sets the time spent waiting for a free tab.
    #[must_use]
    pub fn after(self, waited: Duration) -> Self {
        Self { waited, ..self }
    }
}

/// Why a page was or was not rendered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RenderReason {
    /// Rendering was requested.
    Requested,
    /// Earlier pages of this host needed it.
    HostNeeds,
    /// The body has scripts and no text.
    EmptyBody,
    /// The root element of a framework is empty.
    EmptyRoot,
    /// The page says that it needs JavaScript.
    Noscript,
    /// A script redirects to another page.
    ScriptRedirect,
    /// Far less text than the markup and scripts suggest.
    LittleText,
    /// The page is readable without JavaScript.
    Readable,
    /// Rendering did not help on earlier pages of this host.
    HostPlain,
    /// Not HTML, or a response without a page.
    NotHtml,
    /// Needed, but no browser is available; the HTTP response is used.
    NoBrowser,
    /// Needed, but the browser failed; the HTTP response is used.
    BrowserFailed,
}

impl RenderReason {
    /// Every reason, for tables and tests.
    pub const ALL: [Self; 12] = [
        Self::Requested,
        Self::HostNeeds,
        Self::EmptyBody,
        Self::EmptyRoot,
        Self::Noscript,
        Self::ScriptRedirect,
        Self::LittleText,
        Self::Readable,
        Self::HostPlain,
        Self::NotHtml,
        Self::NoBrowser,
        Self::BrowserFailed,
    ];

    /// Returns the stable name used in machine-readable formats.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "asked",
            Self::HostNeeds => "host_needs",
            Self::EmptyBody => "empty_body",
            Self::EmptyRoot => "empty_root",
            Self::Noscript => "noscript",
            Self::ScriptRedirect => "script_redirect",
            Self::LittleText => "little_text",
            Self::Readable => "readable",
            Self::HostPlain => "host_plain",
            Self::NotHtml => "not_html",
            Self::NoBrowser => "no_browser",
            Self::BrowserFailed => "browser_failed",
        }
    }

    /// Returns a description for the documentation.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Requested => "rendered: requested with `always` or `true`",
            Self::HostNeeds => "rendered: earlier pages of this host needed it",
            Self::EmptyBody => "rendered: the body has scripts and no text",
            Self::EmptyRoot => "rendered: the root element of a framework is empty",
            Self::Noscript => "rendered: the page says that it needs JavaScript",
            Self::ScriptRedirect => "rendered: a script redirects to another page",
            Self::LittleText => "rendered: far less text than the markup and scripts suggest",
            Self::Readable => "not rendered: the page is readable without JavaScript",
            Self::HostPlain => "not rendered: rendering did not help on earlier pages of this host",
            Self::NotHtml => "not rendered: not HTML, or a response without a page",
            Self::NoBrowser => "not rendered: needed, but no browser is available",
            Self::BrowserFailed => {
                "not rendered: needed, but the browser failed; the HTTP response is used"
            }
        }
    }
}

/// Whether a page fetched by HTTP needs rendering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RenderNeed {
    /// Readable without JavaScript.
    Plain,
    /// Likely needed.
    Likely(RenderReason),
    /// Certainly needed: the page is empty without JavaScript.
    Certain(RenderReason),
}
