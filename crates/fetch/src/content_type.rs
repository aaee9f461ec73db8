//! Classifies a body by its `Content-Type`.

/// What `Content-Type` says about a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContentKind {
    /// HTML or XHTML.
    Html,
    /// Other text: plain, Markdown, CSV, JSON.
    Text,
    /// Anything else.
    Other,
    /// No content type; the first bytes decide.
    Unnamed,
}

impl ContentKind {
    /// Classifies a content type by its essence, ignoring case and parameters.
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
            ("text/html", ContentKind::Html),
            (" TEXT/HTML ; charset=x", ContentKind::Html),
            ("application/xhtml+xml;q=1", ContentKind::Html),
            ("text/html,text/html", ContentKind::Html),
            ("text/htmlx", ContentKind::Other),
            ("text/plain", ContentKind::Text),
            ("Text/Markdown; charset=utf-8", ContentKind::Text),
            ("application/json", ContentKind::Text),
            ("application/ld+JSON", ContentKind::Text),
            ("image/svg+xml", ContentKind::Other),
            ("text/css", ContentKind::Other),
            ("application/pdf", ContentKind::Other),
            ("html", ContentKind::Other),
            ("", ContentKind::Unnamed),
            (" ", ContentKind::Unnamed),
            (";charset=utf-8", ContentKind::Unnamed),
        ] {
            assert_eq!(ContentKind::of(Some(text)), kind, "{text:?}");
        }
        assert_eq!(ContentKind::of(None), ContentKind::Unnamed);
    }
}
