//! Images, video, audio, frames and formulas.

use crate::tree::{NodeId, Tag};
use crate::writing::formula::Formula;
use crate::writing::image::{image_source, is_tracking_pixel, media_source};
use crate::writing::target::{link_target, media_target};

use super::Leave;
use super::page_writer::{FlowContext, PageWriter};
use crate::markdown::inline::TextFormat;
use crate::markdown::run::Style;

impl PageWriter<'_> {
    pub(super) fn write_image(&mut self, id: NodeId) {
        if let Some(formula) = Formula::of_image(self.tree, id) {
            self.write_formula(&formula);
            return;
        }
        if self.format == TextFormat::Text || is_tracking_pixel(self.tree, id) {
            return;
        }
        let mut alt = String::new();
        for word in self
            .tree
            .attr(id, "alt")
            .unwrap_or_default()
            .split_whitespace()
        {
            if !alt.is_empty() {
                alt.push(' ');
            }
            alt.push_str(word);
        }
        let target = image_source(self.tree, id).and_then(|src| media_target(self.resolve, src));
        match target {
            Some(target) => {
                let target = self.add_target(target, String::new());
                self.run.push_image(&alt, target, self.style);
            }
            None => self.run.push_text(&alt, self.style),
        }
    }

    /// Writes a video, audio or embedded page as a link to it.
    pub(super) fn enter_media(&mut self, id: NodeId, tag: Tag) -> Option<Leave> {
        let target = media_source(self.tree, id)
            .filter(|_| self.format == TextFormat::Markdown)
            .and_then(|src| link_target(self.resolve, src));
        let Some(target) = target else {
            // The content is a fallback for browsers that cannot show the object itself.
            return (tag == Tag::Object).then_some(Leave::Nothing);
        };
        let label = ["title", "aria-label"]
            .iter()
            .find_map(|name| {
                self.tree
                    .attr(id, name)
                    .filter(|label| !label.trim().is_empty())
            })
            .unwrap_or(match tag {
                Tag::Video => "video",
                Tag::Audio => "audio",
                _ => "embedded page",
            });
        let link = if self.style.link == 0 {
            self.add_target(target, String::new())
        } else {
            self.style.link
        };
        let style = Style { link, ..self.style };
        self.run.push_space(self.style);
        self.run.push_text(label, style);
        self.run.push_space(self.style);
        None
    }

    pub(super) fn write_formula(&mut self, formula: &Formula) {
        if self.format == TextFormat::Text || !formula.is_tex {
            self.run.push_text(&formula.text, self.style);
            return;
        }
        let tex = inert(&formula.text, self.context == FlowContext::Cell);
        if formula.display && self.context == FlowContext::Flow {
            self.boundary();
            self.run
                .push_verbatim(&format!("$${tex}$$"), Style::default());
            self.boundary();
        } else {
            self.run.push_verbatim(&format!("${tex}$"), self.style);
        }
    }
}

/// Rewrites TeX so that no Markdown parser sees tags, links or code in it, without changing its meaning.
fn inert(tex: &str, in_cell: bool) -> String {
    let mut inert = String::with_capacity(tex.len() + 8);
    let mut before = ' ';
    let mut characters = tex.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '<' if characters.peek() == Some(&' ') => inert.push_str("\\lt"),
            '<' => inert.push_str("\\lt "),
            '`' => inert.push('\''),
            '(' if before == ']' => inert.push_str(" ("),
            '[' if matches!(before, ']' | '!') => inert.push_str(" ["),
            ':' if before == ']' => inert.push_str(" :"),
            '|' if in_cell && before == '\\' => inert.push_str("Vert "),
            '|' if in_cell => inert.push_str("\\vert "),
            character => inert.push(character),
        }
        before = character;
    }
    inert.truncate(inert.trim_end().len());
    inert
}
