//! A cell of a CSV file.
//!
//! Quoted according to RFC 4180. A cell that a spreadsheet would evaluate as a formula is prefixed with an apostrophe: the text
//! comes from the web, and opening the file must not run anything.

/// Appends one cell.
pub(crate) fn push_cell(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let is_formula = matches!(
        bytes.first(),
        Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r')
    );
    let quoted = bytes
        .iter()
        .any(|byte| matches!(byte, b'"' | b',' | b'\n' | b'\r'));
    if quoted {
        out.push(b'"');
    }
    if is_formula {
        out.push(b'\'');
    }
    for &byte in bytes {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    if quoted {
        out.push(b'"');
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn quotes_and_formulas() {
        for (text, cell) in [
            ("", ""),
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"a\"", "\"say \"\"a\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\tx"),
            ("\rx", "\"'\rx\""),
            ("=a,\"b\"", "\"'=a,\"\"b\"\"\""),
            ("a=b", "a=b"),
        ] {
            let mut out = Vec::new();
            super::push_cell(&mut out, text);
            assert_eq!(String::from_utf8(out).unwrap(), cell, "{text:?}");
        }
    }
}
