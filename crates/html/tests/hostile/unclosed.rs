//! Constructs that are never closed.

use crate::survives;

const LONG: usize = 100_000;

#[test]
fn every_construct() {
    for open in [
        "<",
        "</",
        "<!",
        "<!-",
        "<!--",
        "<?",
        "<a",
        "<a ",
        "<a href",
        "<a href=",
        "<a href='",
        "<a href=\"x",
        "<p title=\"",
        "<title>",
        "<script>",
        "<script><!--",
        "<style>",
        "<textarea>",
        "<xmp>",
        "<iframe>",
        "<noframes>",
        "<plaintext>",
        "<noscript>",
        "<template>",
        "<select>",
        "<option>",
        "<table>",
        "<tr>",
        "<td>",
        "<caption>",
        "<colgroup>",
        "<frameset>",
        "<svg>",
        "<svg><![CDATA[",
        "<math>",
        "<math><annotation-xml>",
        "<button>",
        "<object>",
        "<marquee>",
        "<head>",
        "<body>",
        "<html>",
        "<form>",
        "<p>",
        "<ruby><rt>",
        "<dialog>",
        "<details>",
        "<picture>",
        "<video>",
        "<audio>",
        "<map>",
        "<legend>",
        "<label>",
        "<optgroup>",
        "&",
        "&#",
        "&#x",
    ] {
        let text = "Some words that nobody ends ";
        survives(&format!("{open}, repeated"), open.repeat(LONG / open.len()));
        survives(
            &format!("{open}, once"),
            format!("<p>{text}</p>{open}{}", text.repeat(LONG / 28)),
        );
    }
}

#[test]
fn a_page_truncated_anywhere() {
    let page = concat!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>A &amp; b</title>",
        "<script type=application/ld+json>{\"@type\":[\"Article\"],\"author\":{\"name\":\"N\"}}</script></head>",
        "<body><nav><a href=/>Home</a></nav><main><h1>A</h1><p>Some <b>bold</b> <a href='/x?a=1&amp;b=2'>link</a>",
        "<ul><li>a<li>b</ul><table><tr><th>a<th>b<tr><td colspan=2>c</table><pre><code class=language-c>x = 1;\n",
        "</code></pre><svg><title>t</title><![CDATA[ x ]]></svg><math><mi>é</mi></math><!-- end --></main></body></html>",
    );
    for end in 0..page.len() {
        survives("cut", &page.as_bytes()[..end]);
    }
}
