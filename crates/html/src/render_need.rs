//! Whether a page that came by HTTP needs a browser, from its bytes alone.
//!
//! One walk over the tags, without a tree, counts what can be read: text, links, controls, images; and what stands
//! ready to write more: scripts, the empty root of a framework, a notice that JavaScript is needed. A page on which
//! enough can be read is plain, whatever else it has, and its walk ends there: for most pages, early.
//!
//! Where the facts leave a doubt the answer is *likely*, and what rendering did for the host decides.

mod facts;
mod roots;
mod scripts;
mod weight;
mod words;

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};
use model::RenderNeed::{self, Certain, Likely, Plain};
use model::RenderReason::{EmptyBody, EmptyRoot, LittleText, Noscript, ScriptRedirect};

use facts::Facts;
pub use weight::{PageWeight, rendering_helped};

/// A page with this much text (bytes that are not white space) is plain.
const ENOUGH: usize = 2_000;
/// An empty root beside less than this is the page; beside less than [`BESIDE_MOST`] it may be.
const BESIDE_ROOT: usize = 250;
const BESIDE_MOST: usize = 800;
/// A notice beside less than this is all the page has to say; beside less than [`NOTICE_MOST`] it may be.
const BESIDE_NOTICE: usize = 300;
const NOTICE_MOST: usize = 800;
/// What stands there for readers without scripts is no notice but the page when it is longer than this.
const FALLBACK: usize = 400;
/// A run of text this long is a sentence: somebody wrote it for readers.
const SENTENCE: usize = 70;
/// What a page says while it sends the reader elsewhere.
const FAREWELL: usize = 200;
/// What a page says while it loads.
const WAITING: usize = 60;
/// Less than this is little, for a page whose scripts could write more.
const LITTLE: usize = 250;
/// A script that is this much larger than the text is no ornament.
const HEAVY: usize = 20;

/// Whether the page needs a browser. `content_type` is the header's value; what is no HTML never needs one.
pub fn render_need(body: &[u8], content_type: Option<&str>) -> RenderNeed {
    if content_type.is_some_and(|named| !is_html(named)) {
        return Plain;
    }
    judge(&Facts::of(&readable(body, content_type), ENOUGH))
}

/// The page with its markup in ASCII: every encoding but UTF-16 has that as it is.
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

fn judge(facts: &Facts) -> RenderNeed {
    let text = if facts.noscript_text >= FALLBACK {
        facts.text + facts.noscript_text
    } else {
        facts.text
    };
    if text >= ENOUGH || !facts.has_scripts() {
        return Plain;
    }
    let sparse = facts.links < 10 && facts.images < 10;
    if facts.empty_root && text < BESIDE_ROOT && sparse && facts.controls < 3 {
        return Certain(EmptyRoot);
    }
    if facts.moves
        && text < FAREWELL
        && facts.links < 3
        && facts.images < 3
        && facts.shown_controls() == 0
    {
        return Certain(ScriptRedirect);
    }
    if facts.notice() {
        if text < BESIDE_NOTICE && sparse && facts.controls < 3 {
            return Certain(Noscript);
        }
        if text < NOTICE_MOST && facts.links < 20 && facts.images < 10 {
            return Likely(Noscript);
        }
    }
    // Menus and footers are links; they say little of the page between them.
    if facts.empty_root && text - facts.link_text < BESIDE_MOST && facts.links < 100 {
        return Likely(EmptyRoot);
    }
    little_text(facts, text)
}

/// For pages without any of the signs: how little there is, and what could write more.
fn little_text(facts: &Facts, text: usize) -> RenderNeed {
    let bare = facts.links == 0 && facts.images == 0 && facts.controls == 0 && facts.frames == 0;
    let writes = facts.bundles > 0 || facts.inline_scripts > 0 || facts.files > 0;
    if !writes {
        // What counts visitors writes no page.
        return Plain;
    }
    if text == 0 && bare {
        return if facts.canvases == 0 {
            Certain(EmptyBody)
        } else {
            Likely(EmptyBody)
        };
    }
    let few = facts.links < 5 && facts.images < 3 && facts.controls < 3;
    if text <= WAITING && few && facts.waits() {
        return if bare {
            Certain(LittleText)
        } else {
            Likely(LittleText)
        };
    }
    let heavy = facts.inline_scripts + facts.state > HEAVY * text.max(50);
    let templated = facts.mustaches >= 3 && facts.mustaches * 40 > text;
    if templated && text < BESIDE_MOST {
        return Likely(LittleText);
    }
    let prose = facts.longest >= SENTENCE;
    if text < LITTLE && few && !prose && (facts.bundles > 0 || heavy || facts.skeletons > 0) {
        return Likely(LittleText);
    }
    // A skeleton: many elements, hardly a word.
    if text < LITTLE && facts.skeletons >= 3 && facts.links < 20 {
        return Likely(LittleText);
    }
    Plain
}
