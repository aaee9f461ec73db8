//! A million character references; fewer of the less common kinds.

use crate::survives;

const MANY: usize = 1_000_000;

#[test]
fn in_text() {
    for (name, reference) in [
        ("named", "&amp;"),
        ("two characters", "&NotEqualTilde;"),
        ("numeric", "&#65;"),
        ("hexadecimal", "&#x1F600;"),
        ("of markup", "&lt;"),
        ("of stars", "&#42;"),
        ("named, without a semicolon", "&copy"),
        ("numeric, without a semicolon", "&#65"),
        ("only an ampersand", "&"),
        ("unknown", "&nosuch;"),
        ("too large", "&#x110000;"),
        ("far too large", "&#99999999999999999999;"),
        ("surrogate", "&#xD800;"),
        ("zero", "&#0;"),
        ("empty", "&#;"),
        ("control", "&#x81;"),
        ("no-break", "&nbsp;"),
    ] {
        let common = matches!(reference, "&amp;" | "&#65;" | "&copy" | "&#xD800;");
        survives(
            name,
            reference.repeat(if common { MANY } else { MANY / 10 }),
        );
    }
}

#[test]
fn in_values() {
    for reference in ["&amp;", "&copy", "&#xD800;", "&", "&quot;"] {
        let many = reference.repeat(MANY);
        survives(
            &format!("link of {reference}"),
            format!("<a href='{many}'>a</a>"),
        );
        survives(
            &format!("alt of {reference}"),
            format!("<img src=x alt='{many}'>"),
        );
    }
}

#[test]
fn in_other_places() {
    for around in ["title", "pre", "code", "td", "textarea", "h1", "li"] {
        survives(
            around,
            format!("<{around}>{}", "&amp;&lt;".repeat(MANY / 40)),
        );
    }
    survives("one endless name", format!("&{}", "a".repeat(MANY)));
    survives("one endless number", format!("&#{}", "1".repeat(MANY)));
}
