//! Ten megabytes without a line break, and one megabyte in less common places.

use crate::survives;

const LONGEST: usize = 10_000_000;
const LONG: usize = 1_000_000;

#[test]
fn text() {
    survives("one word", "x".repeat(LONGEST));
    survives("words", "word ".repeat(LONG / 5));
    survives("spaces", format!("a{}b", " ".repeat(LONG)));
    survives("one character of three bytes", "漢".repeat(LONG / 3));
}

#[test]
fn one_value() {
    let long = "x".repeat(LONG);
    survives("title", format!("<p title='{}'>a", "x".repeat(LONGEST)));
    survives(
        "class",
        format!("<p class='{}'>a", "content nav ".repeat(LONG / 12)),
    );
    survives("style", format!("<p style='{}'>a", "a:b;".repeat(LONG / 4)));
    survives("alt", format!("<img src=x alt='{long}'>"));
    survives(
        "srcset",
        format!("<img srcset='{}'>", "a 1x,".repeat(LONG / 5)),
    );
    survives(
        "meta",
        format!("<meta name=description content='{long}'><p>a"),
    );
    survives("an attribute's name", format!("<p {long}>a"));
    survives("an element's name", format!("<{long}>a"));
}

#[test]
fn addresses() {
    let long = "x".repeat(LONG);
    survives(
        "link",
        format!("<p><a href='/{}'>a</a>", "x".repeat(LONGEST)),
    );
    survives(
        "link of marks",
        format!("<a href='{}'>a</a>", "()[]*_ ".repeat(LONG / 7)),
    );
    survives("image", format!("<p><img src='/{long}'>"));
    survives(
        "data image",
        format!("<img src='data:image/png;base64,{long}'>"),
    );
    survives("canonical", format!("<link rel=canonical href='{long}'>a"));
    survives("base", format!("<base href='{long}'><a href=x>a</a>"));
    survives("text", format!("<p>https://e.x/{long}"));
}

#[test]
fn invisible_content() {
    survives("comment", format!("a<!--{}-->b", "- ".repeat(LONGEST / 2)));
    survives(
        "comment of dashes",
        format!("a<!--{}>b", "--!".repeat(LONG / 3)),
    );
    survives(
        "script",
        format!("<script>{}</script>a", "<!--<script>".repeat(LONG / 12)),
    );
    survives(
        "style",
        format!("<style>{}</style>a", "a{}".repeat(LONG / 3)),
    );
    survives("doctype", format!("<!doctype {}>a", "x".repeat(LONG)));
    survives("tags", "<div></div>".repeat(LONGEST / 11));
    survives("inline tags", "<i></i>".repeat(LONG / 7));
    survives("end tags", "</div>".repeat(LONG / 6));
}

#[test]
fn preformatted() {
    survives(
        "one line",
        format!("<pre>{}</pre>", "a ".repeat(LONGEST / 2)),
    );
    survives(
        "lines",
        format!("<pre><code>{}</code></pre>", "a\n".repeat(LONG / 2)),
    );
    survives("blank lines", format!("<pre>{}</pre>", "\n".repeat(LONG)));
    survives(
        "lines in a quote",
        format!("<blockquote><pre>{}</pre>", "a\n".repeat(LONG / 8)),
    );
    survives(
        "marked lines",
        format!("<pre>{}", "<span class=k>a</span>\n".repeat(LONG / 24)),
    );
    survives(
        "textarea",
        format!("<textarea>{}</textarea>", "a\n".repeat(LONG / 2)),
    );
}
