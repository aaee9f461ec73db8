//! A million character references; fewer of the less common kinds.

use crate::survives;

const MANY: usize = 1_000_000;

#[test]
fn in_text() {
    for (name, reference) in [
        ("named", "&amp;"),
        ("two characters", "&NotEqualTilde;"),
        ("numeric", "&#65;"),
        ("in base sixteen", "&#x1F600;"),
        ("of markup", "&lt;"),
        ("of stars", "&#42;"),
        ("named, without an end", "&copy"),
        ("numeric, without an end", "&#65"),
        ("nothing but a start", "&"),
        ("unknown", "&nosuch;"),
        ("too large", "&#x110000;"),
        ("far too large", "&#99999999999999999999;"),
        ("half a character", "&#xD800;"),
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
    survives("one name without end", format!("&{}", "a".repeat(MANY)));
    survives("one number without end", format!("&#{}", "1".repeat(MANY)));
}
