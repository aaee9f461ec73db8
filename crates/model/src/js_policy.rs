//! Whether pages are rendered in a browser, and why one was or was not.

use std::time::Duration;

/// Whether pages are rendered in a browser.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum JsPolicy {
    /// By HTTP alone.
    #[default]
    Never,
    /// By HTTP first, and in a browser where the page needs it.
    Auto,
    /// In a browser.
    Always,
}

impl JsPolicy {
    /// The spelling on the command line.
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
    /// Why it was rendered or was not.
    pub reason: RenderReason,
    /// How long it waited for a free tab, which is not part of the page's own time.
    pub waited: Duration,
}

impl Rendering {
    /// Rendered, for this reason.
    pub fn because(reason: RenderReason) -> Self {
        Self {
            rendered: true,
            reason,
            waited: Duration::ZERO,
        }
    }

    /// Not rendered, for this reason.
    pub fn not(reason: RenderReason) -> Self {
        Self {
            rendered: false,
            ..Self::because(reason)
        }
    }

    /// The same, after a wait for a free tab.
    #[must_use]
    pub fn after(self, waited: Duration) -> Self {
        Self { waited, ..self }
    }
}

/// Why a page was rendered, or was not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RenderReason {
    /// Rendering was requested.
    Asked,
    /// The pages of this host needed it so far.
    HostNeeds,
    /// The body has scripts and nothing to read.
    EmptyBody,
    /// The root element of a framework is there and empty.
    EmptyRoot,
    /// The page says that it needs JavaScript.
    Noscript,
    /// A script, not the server, sends the reader elsewhere.
    ScriptRedirect,
    /// There is far less text than the markup and its scripts suggest.
    LittleText,
    /// The page can be read as it is.
    Readable,
    /// Rendering did not help on this host so far, and the page's need is not certain.
    HostPlain,
    /// It is not HTML, or a response without a page.
    NotHtml,
    /// A browser was needed and not available: the page is as HTTP delivered it.
    NoBrowser,
    /// The browser failed: the page is as HTTP delivered it.
    BrowserFailed,
}

impl RenderReason {
    /// Every reason, for tables and tests.
    pub const ALL: [Self; 12] = [
        Self::Asked,
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

    /// The stable spelling of machine formats.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asked => "asked",
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

    /// The meaning, for tables in the documentation.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Asked => "rendered: requested with `always` or `true`",
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

/// Whether a page that came by HTTP needs a browser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RenderNeed {
    /// It can be read as it is.
    Plain,
    /// It may need one.
    Likely(RenderReason),
    /// It is empty without one.
    Certain(RenderReason),
}
