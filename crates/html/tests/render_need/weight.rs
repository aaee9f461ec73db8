//! Whether rendering added content.

use crawler_html::{PageWeight, rendering_helped};

#[test]
fn text_and_links_are_counted() {
    for (page, text, links) in [
        ("", 0, 0),
        ("<p>one two</p>", 6, 0),
        (
            "<a href=/a>a</a><a href=#b>b</a><a>c</a><a href='javascript:d()'>d</a>",
            4,
            1,
        ),
        (
            "<title>none</title><script>none</script><style>none</style>x",
            1,
            0,
        ),
        ("a&nbsp;&amp;&nbsp;b", 3, 0),
        ("<template><a href=/a>none</a></template>", 0, 0),
    ] {
        assert_eq!(
            PageWeight::of(page.as_bytes(), None),
            PageWeight { text, links },
            "{page}"
        );
    }
}

#[test]
fn a_gain_is_at_least_a_quarter_and_a_minimum() {
    let weight = |text, links| PageWeight { text, links };
    for (before, after, helped) in [
        (weight(0, 0), weight(0, 0), false),
        (weight(0, 0), weight(59, 0), false),
        (weight(0, 0), weight(60, 0), true),
        (weight(0, 0), weight(0, 2), false),
        (weight(0, 0), weight(0, 3), true),
        (weight(1_000, 40), weight(1_200, 49), false),
        (weight(1_000, 40), weight(1_250, 40), true),
        (weight(1_000, 40), weight(1_000, 50), true),
        (weight(1_000, 40), weight(10, 0), false),
    ] {
        assert_eq!(after.is_gain_over(before), helped, "{before:?} {after:?}");
    }
}

#[test]
fn rendering_a_shell_helps() {
    let shell = b"<div id=root></div><script src=app.js></script>";
    let rendered = b"<div id=root><h1>Chapter 7</h1><p>It tells of the harbour.</p>\
        <a href=/p/1>1</a><a href=/p/2>2</a><a href=/p/3>3</a></div><script src=app.js></script>";
    assert!(rendering_helped(shell, Some("text/html"), rendered));
    assert!(!rendering_helped(rendered, Some("text/html"), rendered));
    assert!(!rendering_helped(rendered, Some("text/html"), shell));
    // Converting from UTF-16 to UTF-8 is not a gain.
    let wide: Vec<u8> = String::from_utf8(rendered.to_vec())
        .unwrap()
        .encode_utf16()
        .flat_map(u16::to_be_bytes)
        .collect();
    assert!(!rendering_helped(
        &wide,
        Some("text/html; charset=utf-16be"),
        rendered
    ));
}
