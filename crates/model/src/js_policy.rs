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
    /// The word on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Auto => "auto",
            Self::Always => "always",
        }
    }
}

/// Whether a page was rendered and why, where that was a question at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rendering {
    /// It was.
    pub rendered: bool,
    /// Why, or why not.
    pub reason: RenderReason,
    /// How long it waited for a free tab: our time, not the page's.
    pub waited: Duration,
}

impl Rendering {
    /// It was rendered, because …
    pub fn because(reason: RenderReason) -> Self {
        Self {
            rendered: true,
            reason,
            waited: Duration::ZERO,
        }
    }

    /// It was not, because …
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
    /// Somebody asked for it.
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
    /// It is no HTML, or an answer without a page.
    NotHtml,
    /// A browser was needed and could not be had: what came by HTTP is all there is.
    NoBrowser,
    /// The browser was tried and failed: what came by HTTP is all there is.
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

    /// What it means, for the tables of the documentation.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Asked => "rendered: it was asked for (`always`, `true`)",
            Self::HostNeeds => "rendered: the pages of this host needed it so far",
            Self::EmptyBody => "rendered: the body has scripts and nothing to read",
            Self::EmptyRoot => "rendered: a framework's root element is there and empty",
            Self::Noscript => "rendered: the page says that it needs JavaScript",
            Self::ScriptRedirect => "rendered: a script sends the reader elsewhere",
            Self::LittleText => "rendered: far less text than the markup and scripts suggest",
            Self::Readable => "not rendered: the page can be read as it is",
            Self::HostPlain => "not rendered: it did not help on this host so far",
            Self::NotHtml => "not rendered: no HTML, or an answer without a page",
            Self::NoBrowser => "not rendered: needed, and there is no browser",
            Self::BrowserFailed => "not rendered: needed, and the browser failed; it came by HTTP",
        }
    }
}

/// Whether a page that came by HTTP needs a browser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RenderNeed {
    /// It can be read as it is.
    Plain,
    /// It may need one: worth a try where nothing speaks against it.
    Likely(RenderReason),
    /// There is nothing in it without one.
    Certain(RenderReason),
}
