//! What a content type says about a body.

/// What an answer's head says about its body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// HTML or XHTML.
    Html,
    /// Other text: plain, markdown, tables, JSON.
    Text,
    /// Something else.
    Other,
    /// It says nothing; the first bytes decide.
    Unnamed,
}

impl Kind {
    /// The kind of a content type: its essence, whatever its case and parameters.
    pub fn of(content_type: Option<&str>) -> Self {
        let essence = content_type
            .and_then(|text| text.split([';', ',']).next())
            .unwrap_or_default()
            .trim();
        if essence.is_empty() {
            Self::Unnamed
        } else if essence.eq_ignore_ascii_case("text/html")
            || essence.eq_ignore_ascii_case("application/xhtml+xml")
        {
            Self::Html
        } else if is_text(&essence.to_ascii_lowercase()) {
            Self::Text
        } else {
            Self::Other
        }
    }
}

fn is_text(essence: &str) -> bool {
    matches!(
        essence,
        "text/plain"
            | "text/markdown"
            | "text/x-markdown"
            | "text/csv"
            | "text/tab-separated-values"
            | "text/json"
            | "application/json"
            | "application/x-ndjson"
            | "application/ndjson"
            | "application/jsonl"
    ) || essence.starts_with("application/") && essence.ends_with("+json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_essence_decides() {
        for (text, kind) in [
            ("text/html", Kind::Html),
            (" TEXT/HTML ; charset=x", Kind::Html),
            ("application/xhtml+xml;q=1", Kind::Html),
            ("text/html,text/html", Kind::Html),
            ("text/htmlx", Kind::Other),
            ("text/plain", Kind::Text),
            ("Text/Markdown; charset=utf-8", Kind::Text),
            ("application/json", Kind::Text),
            ("application/ld+JSON", Kind::Text),
            ("image/svg+xml", Kind::Other),
            ("text/css", Kind::Other),
            ("application/pdf", Kind::Other),
            ("html", Kind::Other),
            ("", Kind::Unnamed),
            (" ", Kind::Unnamed),
            (";charset=utf-8", Kind::Unnamed),
        ] {
            assert_eq!(Kind::of(Some(text)), kind, "{text:?}");
        }
        assert_eq!(Kind::of(None), Kind::Unnamed);
    }
}
