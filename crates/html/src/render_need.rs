//! Decides from the bytes of a fetched page whether it needs a browser.
//!
//! One pass over the tags, without a tree, counts what can be read (text, links, form controls, images) and
//! what could add more: scripts, the empty root element of a framework, a notice that JavaScript is required.
//! A page with enough readable text is plain, whatever else it contains, and the pass stops there: early on
//! most pages.
//!
//! If the signals are inconclusive the result is *likely*, and the results of rendering other pages of the
//! host decide.

mod phrases;
mod roots;
mod scripts;
mod signals;
mod weight;

use std::borrow::Cow;

use crawler_model::RenderNeed::{self, Certain, Likely, Plain};
use crawler_model::RenderReason::{EmptyBody, EmptyRoot, LittleText, Noscript, ScriptRedirect};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use signals::PageSignals;
pub use weight::{PageWeight, rendering_helped};

/// A page with this much text (in bytes that are not white space) is plain.
const ENOUGH_TEXT: usize = 2_000;
/// With less text than this beside an empty root, the page is certainly empty; with less than
/// [`ROOT_LIKELY_TEXT`] it probably is.
const ROOT_CERTAIN_TEXT: usize = 250;
const ROOT_LIKELY_TEXT: usize = 800;
/// With less text than this beside a JavaScript notice, the notice is all the page shows; with less than
/// [`NOTICE_LIKELY_TEXT`] it probably is.
const NOTICE_CERTAIN_TEXT: usize = 300;
const NOTICE_LIKELY_TEXT: usize = 800;
/// A `noscript` text longer than this is the page itself, not a notice.
const MIN_FALLBACK_TEXT: usize = 400;
/// A run of text this long is a sentence written for readers.
const MIN_SENTENCE: usize = 70;
/// Maximum text of a page that redirects by script.
const MAX_REDIRECT_TEXT: usize = 200;
/// Maximum text of a page that shows only a loading message.
const MAX_LOADING_TEXT: usize = 60;
/// Less text than this is little for a page whose scripts could add more.
const LITTLE_TEXT: usize = 250;
/// A script this many times larger than the text is not decoration.
const HEAVY_SCRIPT_FACTOR: usize = 20;

/// Decides whether a page needs a browser. `content_type` is the value of the header; anything but HTML never
/// needs one.
pub fn render_need(body: &[u8], content_type: Option<&str>) -> RenderNeed {
    if content_type.is_some_and(|named| !is_html(named)) {
        return Plain;
    }
    need_from(&PageSignals::of(&readable(body, content_type), ENOUGH_TEXT))
}

/// The page with its markup in ASCII: true of every encoding except UTF-16.
fn readable<'a>(body: &'a [u8], content_type: Option<&str>) -> Cow<'a, [u8]> {
    let named = content_type
        .and_then(crate::charset_label)
        .and_then(|label| Encoding::for_label(label.as_bytes()));
    let wide = Encoding::for_bom(body)
        .map(|(encoding, _)| encoding)
        .or(named)
        .filter(|encoding| *encoding == UTF_16LE || *encoding == UTF_16BE);
    match wide {
        Some(encoding) => Cow::Owned(encoding.decode(body).0.into_owned().into_bytes()),
        None => Cow::Borrowed(body),
    }
}

fn is_html(content_type: &str) -> bool {
    let essence = content_type.split([';', ',']).next().unwrap_or_default();
    let essence = essence.trim();
    essence.is_empty()
        || essence.eq_ignore_ascii_case("text/html")
        || essence.eq_ignore_ascii_case("application/xhtml+xml")
}

fn need_from(signals: &PageSignals) -> RenderNeed {
    let text = if signals.noscript_text >= MIN_FALLBACK_TEXT {
        signals.text + signals.noscript_text
    } else {
        signals.text
    };
    if text >= ENOUGH_TEXT || !signals.has_scripts() {
        return Plain;
    }
    let sparse = signals.links < 10 && signals.images < 10;
    if signals.empty_root && text < ROOT_CERTAIN_TEXT && sparse && signals.controls < 3 {
        return Certain(EmptyRoot);
    }
    if signals.redirects
        && text < MAX_REDIRECT_TEXT
        && signals.links < 3
        && signals.images < 3
        && signals.shown_controls() == 0
    {
        return Certain(ScriptRedirect);
    }
    if signals.has_notice() {
        if text < NOTICE_CERTAIN_TEXT && sparse && signals.controls < 3 {
            return Certain(Noscript);
        }
        if text < NOTICE_LIKELY_TEXT && signals.links < 20 && signals.images < 10 {
            return Likely(Noscript);
        }
    }
    // Menus and footers are links; they say little about the page between them.
    if signals.empty_root && text - signals.link_text < ROOT_LIKELY_TEXT && signals.links < 100 {
        return Likely(EmptyRoot);
    }
    little_text(signals, text)
}

/// Decides for pages without any of the clear signs, by how little text there is and what could add more.
fn little_text(signals: &PageSignals, text: usize) -> RenderNeed {
    let bare =
        signals.links == 0 && signals.images == 0 && signals.controls == 0 && signals.frames == 0;
    let writes = signals.bundles > 0 || signals.inline_scripts > 0 || signals.files > 0;
    if !writes {
        // Analytics scripts do not write content.
        return Plain;
    }
    if text == 0 && bare {
        return if signals.canvases == 0 {
            Certain(EmptyBody)
        } else {
            Likely(EmptyBody)
        };
    }
    let few = signals.links < 5 && signals.images < 3 && signals.controls < 3;
    if text <= MAX_LOADING_TEXT && few && signals.is_loading() {
        return if bare {
            Certain(LittleText)
        } else {
            Likely(LittleText)
        };
    }
    let heavy = signals.inline_scripts + signals.state > HEAVY_SCRIPT_FACTOR * text.max(50);
    let templated = signals.mustaches >= 3 && signals.mustaches * 40 > text;
    if templated && text < ROOT_LIKELY_TEXT {
        return Likely(LittleText);
    }
    let prose = signals.longest >= MIN_SENTENCE;
    if text < LITTLE_TEXT
        && few
        && !prose
        && (signals.bundles > 0 || heavy || signals.skeletons > 0)
    {
        return Likely(LittleText);
    }
    // A skeleton screen: many elements, hardly any text.
    if text < LITTLE_TEXT && signals.skeletons >= 3 && signals.links < 20 {
        return Likely(LittleText);
    }
    Plain
}
