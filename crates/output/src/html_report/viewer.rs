//! The viewer: markup, style and scripts, kept in separate files and embedded in the report.

/// The scripts, each after those it depends on.
const SCRIPTS: [&str; 13] = [
    include_str!("viewer/store.js"),
    include_str!("viewer/format.js"),
    include_str!("viewer/dom.js"),
    include_str!("viewer/ending.js"),
    include_str!("viewer/charts.js"),
    include_str!("viewer/lists.js"),
    include_str!("viewer/table.js"),
    include_str!("viewer/details.js"),
    include_str!("viewer/graph_model.js"),
    include_str!("viewer/graph_layout.js"),
    include_str!("viewer/graph_labels.js"),
    include_str!("viewer/graph.js"),
    include_str!("viewer/main.js"),
];

/// Writes everything that comes before the first page. `seed` is for the title.
pub(super) fn push_head(out: &mut Vec<u8>, seed: &str) {
    let page = include_str!("viewer/page.html");
    let (before_title, rest) = page.split_once("{{title}}").unwrap_or((page, ""));
    let (before_style, body) = rest.split_once("{{style}}").unwrap_or((rest, ""));
    out.extend_from_slice(before_title.as_bytes());
    push_escaped(out, seed);
    out.extend_from_slice(before_style.as_bytes());
    out.extend_from_slice(include_str!("viewer/style.css").as_bytes());
    out.extend_from_slice(body.as_bytes());
    out.extend_from_slice(b"<script>\n'use strict';\n");
    for script in SCRIPTS {
        out.extend_from_slice(script.as_bytes());
    }
    out.extend_from_slice(b"</script>\n");
}

fn push_escaped(out: &mut Vec<u8>, text: &str) {
    for &byte in text.as_bytes() {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            _ => out.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_loaded_from_the_network() {
        let mut out = Vec::new();
        push_head(&mut out, "https://example.org/?a=\"<b>\"");
        let page = String::from_utf8(out).unwrap();
        assert!(!page.contains("{{"));
        assert!(page.contains("a=&quot;&lt;b&gt;&quot;"));
        assert!(page.contains("default-src 'none'"));
        for outside in [
            "http:", "https:", "src=", "@import", "url(", "fetch(", "<link",
        ] {
            let own = page
                .replace("https://example.org/", "")
                .replace("http://www.w3.org/2000/svg", "");
            assert!(!own.contains(outside), "{outside}");
        }
        let scripts = SCRIPTS.concat();
        assert!(!scripts.contains("</script") && !scripts.contains("<!--"));
        assert!(
            !scripts.contains("innerHTML"),
            "text from the web must be set as text"
        );
    }
}
