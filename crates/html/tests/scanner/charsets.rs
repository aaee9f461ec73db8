//! The order of evidence for a page's encoding, and the public encoding tests.

use crawler_html::{CharsetSource, charset};
use encoding_rs::Encoding;

fn decided(body: &[u8], header: Option<&str>, tld: Option<&str>) -> (&'static str, CharsetSource) {
    let charset = charset(body, header, tld);
    (charset.encoding.name(), charset.source)
}

#[test]
fn evidence_is_used_in_order() {
    use CharsetSource::{Bom, Detected, Header, Meta};
    let meta: &[u8] = b"<meta charset=koi8-r>\xE9";
    let both: &[u8] = b"\xEF\xBB\xBF<meta charset=koi8-r>\xE9";
    assert_eq!(decided(both, Some("big5"), None), ("UTF-8", Bom));
    assert_eq!(
        decided(b"\xFF\xFE<\0", Some("big5"), None),
        ("UTF-16LE", Bom)
    );
    assert_eq!(decided(b"\xFE\xFF\0<", None, None), ("UTF-16BE", Bom));
    assert_eq!(decided(meta, Some("big5"), None), ("Big5", Header));
    assert_eq!(
        decided(meta, Some(" Latin1 "), None),
        ("windows-1252", Header)
    );
    assert_eq!(decided(meta, Some("no-such"), None), ("KOI8-R", Meta));
    assert_eq!(decided(meta, None, None), ("KOI8-R", Meta));
    let xml = b"<?xml version='1.0' encoding='euc-jp'?><html>";
    assert_eq!(decided(xml, None, None), ("EUC-JP", Meta));
    assert_eq!(decided("<p>é".as_bytes(), None, None), ("UTF-8", Detected));
    assert_eq!(decided(b"<p>", None, None), ("UTF-8", Detected));
    assert_eq!(decided(b"", None, None), ("UTF-8", Detected));
}

#[test]
fn a_page_cut_inside_a_character_is_still_utf8() {
    let page = "<p>日本語".as_bytes();
    for cut in 0..3 {
        let (name, source) = decided(&page[..page.len() - cut], None, None);
        assert_eq!((name, source), ("UTF-8", CharsetSource::Detected), "{cut}");
    }
    assert_ne!(decided(b"<p>\xE6\x97 x", None, None).0, "UTF-8");
}

#[test]
fn unlabeled_text_is_guessed() {
    let table = [
        (
            "KOI8-U",
            "Съешь же ещё этих мягких французских булок да выпей чаю",
            None,
        ),
        (
            "windows-1251",
            "Съешь же ещё этих мягких французских булок да выпей чаю",
            Some("ru"),
        ),
        (
            "Shift_JIS",
            "吾輩は猫である。名前はまだ無い。どこで生れたか見当がつかぬ",
            Some("jp"),
        ),
        (
            "EUC-JP",
            "吾輩は猫である。名前はまだ無い。どこで生れたか見当がつかぬ",
            None,
        ),
        (
            "windows-1252",
            "Voix ambiguë d'un cœur qui au zéphyr préfère les jattes",
            Some("fr"),
        ),
    ];
    for (name, text, tld) in table {
        let encoding = Encoding::for_label(name.as_bytes()).unwrap();
        let (bytes, _, _) = encoding.encode(text);
        assert_eq!(
            decided(&bytes, None, tld),
            (name, CharsetSource::Detected),
            "{text}"
        );
    }
}

#[test]
fn bytes_that_fit_no_guess_fall_back() {
    // The hint alone would suggest Shift_JIS, which these bytes are not.
    let noise = b"\xA0\xFF\xFD\x80\xA0\xFF";
    assert_eq!(
        decided(noise, None, Some("jp")),
        ("windows-1252", CharsetSource::Fallback)
    );
}

#[test]
fn invalid_hints_are_ignored() {
    for tld in ["RU", "co.jp", "рф", ""] {
        decided(b"\xE9\xE8", None, Some(tld));
    }
}

/// The cases of a data file: page and expected encoding.
fn cases(file: &'static [u8]) -> Vec<(&'static [u8], &'static [u8])> {
    let starts: Vec<usize> = memchr::memmem::find_iter(file, b"#data\n").collect();
    let ends = starts.iter().skip(1).copied().chain([file.len()]);
    let separator = b"\n#encoding\n";
    let case = |(start, end): (&usize, usize)| {
        let case = &file[start + b"#data\n".len()..end];
        let split = memchr::memmem::find(case, separator)?;
        Some((&case[..split], case[split + separator.len()..].trim_ascii()))
    };
    starts.iter().zip(ends).filter_map(case).collect()
}

#[test]
fn public_encoding_tests() {
    let mut checked = 0;
    let files: [&[u8]; 2] = [
        include_bytes!("../data/encoding1.dat"),
        include_bytes!("../data/encoding2.dat"),
    ];
    for (page, label) in files.into_iter().flat_map(cases) {
        // A browser starts over when it finds a declaration after the prescan window, or one written by a
        // script; we do not.
        let meta = memchr::memmem::rfind(page, b"<meta").unwrap_or(0);
        if meta > 4000 {
            continue;
        }
        let (name, source) = decided(page, None, None);
        let expected = Encoding::for_label(label).unwrap().name();
        let page = String::from_utf8_lossy(page);
        if matches!(source, CharsetSource::Detected | CharsetSource::Fallback) {
            // Undeclared: the tests expect a browser's default, where we examine the bytes.
            assert_eq!(expected, "windows-1252", "{page}");
        } else {
            assert_eq!(name, expected, "{page}");
        }
        checked += 1;
    }
    assert!(checked > 70, "{checked}");
}
