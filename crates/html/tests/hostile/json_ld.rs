//! Extreme JSON-LD.

use crate::survives;

const LONGEST: usize = 5_000_000;
const LONG: usize = 500_000;

fn json(name: &str, json: &str) {
    survives(
        name,
        format!("<script type=application/ld+json>{json}</script><p>a"),
    );
}

#[test]
fn nested() {
    json("arrays", &"[".repeat(LONGEST));
    json(
        "arrays, closed",
        &("[".repeat(LONGEST / 2) + &"]".repeat(LONGEST / 2)),
    );
    json("objects", &"{\"a\":".repeat(LONG / 5));
    json("graphs", &"{\"@graph\":[".repeat(LONG / 11));
    json(
        "authors",
        &"{\"@type\":\"Article\",\"author\":".repeat(LONG / 28),
    );
    let deep = |n: usize| {
        "{\"@graph\":[".repeat(n) + "{\"@type\":\"Article\",\"headline\":\"h\"}" + &"]}".repeat(n)
    };
    json("a hundred deep", &deep(100));
}

#[test]
fn long() {
    let long = "x".repeat(LONG);
    json("a string", &format!("\"{}\"", "x".repeat(LONGEST)));
    json(
        "a headline",
        &format!("{{\"@type\":\"Article\",\"headline\":\"{long}\",\"author\":\"{long}\"}}"),
    );
    json("a name", &format!("{{\"{long}\":1}}"));
    json("a number", &"1".repeat(LONG));
    json(
        "escapes",
        &format!(
            "{{\"@type\":\"Article\",\"headline\":\"{}\"}}",
            "\\u00e9\\n".repeat(LONG / 8)
        ),
    );
    json(
        "half characters",
        &format!(
            "{{\"@type\":\"Article\",\"headline\":\"{}\"}}",
            "\\ud800".repeat(LONG / 6)
        ),
    );
    json(
        "lines in strings",
        &format!(
            "{{\"@type\":\"Article\",\"headline\":\"{}\"}}",
            "a\n\t".repeat(LONG / 3)
        ),
    );
    json(
        "a date",
        &format!(
            "{{\"@type\":\"Article\",\"datePublished\":\"{}\"}}",
            "2024-".repeat(LONG / 5)
        ),
    );
}

#[test]
fn many() {
    json("elements", &format!("[{}0]", "0,".repeat(LONG / 2)));
    json(
        "objects side by side",
        &format!("[{}{{}}]", "{\"@type\":\"Article\"},".repeat(LONG / 20)),
    );
    json(
        "authors",
        &format!(
            "{{\"@type\":\"Article\",\"author\":[{}\"z\"]}}",
            "\"a b\",".repeat(LONG / 6)
        ),
    );
    json("comments", &"<!-- ".repeat(LONG / 5));
    json("no json", &"*/ ,]} ".repeat(LONG / 7));
    json(
        "one name repeated",
        &format!("{{{}\"a\":1}}", "\"author\":\"b\",".repeat(LONG / 13)),
    );
}
