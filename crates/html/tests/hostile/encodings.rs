//! Bytes that do not match their declared encoding.

use crate::pipeline::survives_as;
use crate::survives;

const LABELS: [&str; 14] = [
    "utf-8",
    "utf-16",
    "utf-16le",
    "utf-16be",
    "windows-1252",
    "shift_jis",
    "euc-jp",
    "iso-2022-jp",
    "gb18030",
    "big5",
    "euc-kr",
    "x-user-defined",
    "replacement",
    "no such thing",
];

/// The text with two bytes per character.
fn utf_16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(order).collect()
}

#[test]
fn wrong_labels() {
    let page = "<p>Ünïcode 漢字 😀 <a href='/é'>ü</a> ".repeat(500);
    let bytes: Vec<u8> = (0..=255_u8).cycle().take(100_000).collect();
    for label in LABELS {
        survives_as(label, page.as_bytes(), Some(label));
        survives_as(
            &format!("any bytes as {label}"),
            bytes.as_slice(),
            Some(label),
        );
        let little = utf_16(&page, u16::to_le_bytes);
        survives_as(
            &format!("two bytes per character as {label}"),
            little,
            Some(label),
        );
        survives(
            &format!("meta {label}"),
            format!("<meta charset='{label}'>{page}"),
        );
    }
}

#[test]
fn lone_surrogates() {
    let with_bom = |units: &[u16], order: fn(u16) -> [u8; 2]| -> Vec<u8> {
        let units = [&[0xFEFF], units].concat();
        units.into_iter().flat_map(order).collect()
    };
    let mut surrogates = vec![0x3C, 0x70, 0x3E];
    surrogates.extend([0xD800, 0x61, 0xDC00, 0xDC00, 0xD800, 0xD800].repeat(20_000));
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        let even = with_bom(&surrogates, order);
        let odd = [even.as_slice(), b"<"].concat();
        survives("lone surrogates", even);
        survives("an odd number of bytes", odd);
    }
    survives(
        "surrogates encoded as UTF-8",
        b"<p>a\xED\xA0\x80b\xED\xBF\xBF".repeat(20_000),
    );
    survives(
        "surrogates as references",
        "<p>&#xD800;&#xDFFF;".repeat(20_000),
    );
    survives("only a byte order mark", b"\xFF\xFE".as_slice());
    survives(
        "a byte order mark and half a character",
        b"\xFE\xFF\x00".as_slice(),
    );
}

#[test]
fn broken_utf_8() {
    for (name, unit) in [
        ("overlong slash", b"<p>\xC0\xAF".as_slice()),
        ("overlong bracket", b"\xC0\xBCscript\xC0\xBE"),
        ("overlong, three bytes", b"<p>\xE0\x80\xBC"),
        ("overlong, four bytes", b"<p>\xF0\x80\x80\xBC"),
        ("beyond the last code point", b"<p>\xF4\x90\x80\x80"),
        ("begun", b"<p>\xF0\x9F\x98"),
        ("continued", b"\x80\x80"),
        ("never used", b"\xFE\xFF\xF8"),
        ("in a value", b"<a href='\xE2\x82'>\xE2</a>"),
        ("in a tag", b"<p\xE2\x82>a"),
        ("marks", b"\xEF\xBB\xBF"),
    ] {
        survives(name, unit.repeat(20_000));
        survives_as(name, unit.repeat(1_000), Some("utf-8"));
    }
}

#[test]
fn nul_bytes() {
    survives("only NUL bytes", vec![0; 1_000_000]);
    for unit in [
        "\0a",
        "<p>\0",
        "<\0p>",
        "<p\0 a\0=\0>b",
        "<a href='\0'>\0</a>",
        "&\0amp;",
        "<svg>\0a",
        "<table>\0",
        "<pre>\0\n",
        "<title>\0",
        "\u{1}\u{7f}\u{85}",
    ] {
        survives(unit, unit.repeat(20_000));
    }
}
