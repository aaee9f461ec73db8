//! A megabyte of characters that are special in Markdown.

use crate::survives;

const LONG: usize = 1_000_000;

#[test]
fn one_character() {
    for character in [
        "*", "_", "`", "[", "]", "&lt;", "|", "\\", "#", "&gt;", "~", "!", "(", ")", "-", "+", "=",
        "$", "^", ":", "1", ".",
    ] {
        survives(character, character.repeat(LONG / character.len()));
        let run = character.repeat(LONG / 10 / character.len());
        for (open, close) in [
            ("<p>", ""),
            ("<code>", "</code>"),
            ("<pre>", "</pre>"),
            ("<table><tr><td>", ""),
        ] {
            survives(&format!("{open}{character}"), format!("{open}{run}{close}"));
        }
    }
}

#[test]
fn patterns() {
    for unit in [
        "* ",
        "*a",
        "_a_",
        "**a** ",
        "*a**b",
        "`a``b",
        "[a](b)",
        "![a](b)",
        "[a]: b ",
        "[^1]: ",
        "&lt;b>",
        "&lt;!--",
        "&amp;amp;",
        "a|b<br>-|-<br>",
        "# a<br>",
        "- a<br>",
        "1. a<br>",
        "> a<br>",
        "    a<br>",
        "```<br>",
        "---<br>",
        "===<br>",
        "http://a.b/_*",
        "a@b.c ",
        "\\*",
        "\\`",
        "$a$",
        "~~a~",
        "<b>*</b>",
        "<i>_</i>_",
        "a<b>(</b>b",
        "<code>`</code>",
        "<a href=x>[</a>",
        "<a href=x>]</a>(",
        "<li>- ",
        "<p># ",
        "<b> </b>",
        "<b>a </b>b<i> c</i>",
        "\u{a0}",
        "\u{200b}",
        "\u{ad}a",
        "\u{301}",
        "\u{202e}a",
        "\u{feff}",
    ] {
        survives(
            unit,
            format!("<div>{}", unit.repeat(LONG / 10 / unit.len())),
        );
    }
}
