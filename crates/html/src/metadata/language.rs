//! Normalizes the language tags that pages use.

/// The tag in its usual spelling (`en`, `pt-BR`, `zh-Hans-CN`); `None` if it is not a tag.
pub(super) fn tag(written: &str) -> Option<String> {
    let first = written
        .split([',', ';', ' '])
        .find(|part| !part.is_empty())?;
    // A locale may carry a charset: `de_DE.UTF-8`.
    let locale = first.split(['.', '@']).next()?.trim();
    if locale.len() > 35 {
        return None;
    }
    let mut subtags = locale.split(['-', '_']);
    let mut tag = subtags.next()?.to_ascii_lowercase();
    let is_language = matches!(tag.len(), 2..=3) && tag.bytes().all(|b| b.is_ascii_lowercase());
    if !is_language || tag == "und" {
        return None;
    }
    for subtag in subtags {
        if !matches!(subtag.len(), 1..=8) || !subtag.bytes().all(|b| b.is_ascii_alphanumeric()) {
            break;
        }
        tag.push('-');
        match subtag.len() {
            2 => tag.push_str(&subtag.to_ascii_uppercase()),
            4 => {
                tag.push_str(&subtag[..1].to_ascii_uppercase());
                tag.push_str(&subtag[1..].to_ascii_lowercase());
            }
            _ => tag.push_str(&subtag.to_ascii_lowercase()),
        }
    }
    Some(tag)
}

#[cfg(test)]
mod tests {
    use super::tag;

    #[test]
    fn tags_get_their_usual_spelling() {
        let cases = [
            ("en", Some("en")),
            ("EN-us", Some("en-US")),
            ("pt_BR", Some("pt-BR")),
            ("zh-hans-cn", Some("zh-Hans-CN")),
            ("de_DE.UTF-8", Some("de-DE")),
            ("en, fr", Some("en")),
            ("es-419", Some("es-419")),
            ("en-", Some("en")),
            ("English", None),
            ("x-default", None),
            ("und", None),
            ("{{lang}}", None),
            ("", None),
        ];
        for (written, expected) in cases {
            assert_eq!(tag(written).as_deref(), expected, "{written}");
        }
    }
}
