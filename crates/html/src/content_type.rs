//! The charset a `Content-Type` header names.
//!
//! Headers come from servers of every age, so this reads parameters and not grammar: it accepts
//! missing spaces, either kind of quotes, and parameters in any order, and takes the first charset
//! that says anything.

/// The charset label of a `Content-Type` value: `utf-8` for `text/html; charset="utf-8"`.
pub fn charset_label(content_type: &str) -> Option<&str> {
    let mut rest = content_type;
    loop {
        let (_, parameters) = rest.split_once(';')?;
        rest = parameters;
        let end = parameters.find([';', '=']).unwrap_or(parameters.len());
        let (name, behind) = parameters.split_at(end);
        let Some(value) = behind.strip_prefix('=') else {
            continue;
        };
        let (value, behind) = split_value(value.trim_start());
        if name.trim().eq_ignore_ascii_case("charset") && !value.is_empty() {
            return Some(value);
        }
        rest = behind;
    }
}

/// A parameter's value, without its quotes, and what follows it.
fn split_value(written: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(inside) = written.strip_prefix(quote) {
            // quotes that never close hold a value all the same
            let (value, behind) = inside.split_once(quote).unwrap_or((inside, ""));
            return (value.trim(), behind);
        }
    }
    let end = written.find(';').unwrap_or(written.len());
    let (value, behind) = written.split_at(end);
    // some servers join two headers with a comma
    (value.split(',').next().unwrap_or_default().trim(), behind)
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
