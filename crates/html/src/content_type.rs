//! The charset named by a `Content-Type` header.
//!
//! Servers are sloppy, so this looks for parameters rather than parsing the grammar: it accepts missing
//! spaces, either kind of quotes and parameters in any order, and takes the first charset that is not empty.

/// Returns the charset label of a `Content-Type` value: `utf-8` for `text/html; charset="utf-8"`.
pub fn charset_label(content_type: &str) -> Option<&str> {
    let mut rest = content_type;
    loop {
        let (_, parameters) = rest.split_once(';')?;
        rest = parameters;
        let end = parameters.find([';', '=']).unwrap_or(parameters.len());
        let (name, after) = parameters.split_at(end);
        let Some(value) = after.strip_prefix('=') else {
            continue;
        };
        let (value, after) = split_value(value.trim_start());
        if name.trim().eq_ignore_ascii_case("charset") && !value.is_empty() {
            return Some(value);
        }
        rest = after;
    }
}

/// A parameter's value without its quotes, and the text after it.
fn split_value(written: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(inside) = written.strip_prefix(quote) {
            // An unclosed quote still holds a value.
            let (value, after) = inside.split_once(quote).unwrap_or((inside, ""));
            return (value.trim(), after);
        }
    }
    let end = written.find(';').unwrap_or(written.len());
    let (value, after) = written.split_at(end);
    // Some servers join two headers with a comma.
    (value.split(',').next().unwrap_or_default().trim(), after)
}

#[cfg(test)]
mod tests {
    use super::charset_label;

    #[test]
    fn labels_as_servers_write_them() {
        let table = [
            ("text/html; charset=utf-8", Some("utf-8")),
            ("text/html;charset=UTF-8", Some("UTF-8")),
            ("text/html; charset=\"utf-8\"", Some("utf-8")),
            ("text/html; charset='utf-8'", Some("utf-8")),
            (
                "text/html ; CharSet = windows-1251 ; x=y",
                Some("windows-1251"),
            ),
            (
                "text/html; boundary=\"a;charset=no\"; charset=yes",
                Some("yes"),
            ),
            ("text/html; x; charset=koi8-r", Some("koi8-r")),
            ("text/html; charset=; charset=big5", Some("big5")),
            ("text/html; charset=utf-8; charset=big5", Some("utf-8")),
            ("text/html; charset=utf-8, text/html", Some("utf-8")),
            ("text/html; charset=\"utf-8", Some("utf-8")),
            ("text/html;; charset=utf-8;", Some("utf-8")),
            (";charset=utf-8", Some("utf-8")),
            ("text/html", None),
            ("text/html;", None),
            ("text/html; charset", None),
            ("text/html; charset=", None),
            ("text/html; charset=\"\"", None),
            ("text/html; xcharset=utf-8", None),
            ("charset=utf-8", None),
            ("", None),
        ];
        for (content_type, label) in table {
            assert_eq!(charset_label(content_type), label, "{content_type:?}");
        }
    }
}
