//! Inert HTML has no active content and is unchanged when parsed again.

use crawler_html::Tree;

use crate::active_content::{is_active_attribute, is_active_element};
use crate::inert_html;

#[test]
fn active_content_is_not_written() {
    for html in [
        "<p onclick=x()>a</p>",
        "<img src=/i onerror=x()>",
        "<a href='javascript:x()'>a</a>",
        "<a href=' java\nscript:x()'>a</a>",
        "<a href='data:text/html,<script>x</script>'>a</a>",
        "<img src='data:image/svg+xml,<svg onload=x()>'>",
        "<svg><script>x()</script></svg>",
        "<math><mtext><script>x()</script></mtext></math>",
        "<iframe srcdoc='<script>x</script>'></iframe>",
        "<object data='javascript:x()'></object>",
        "<form action='javascript:x()'><input formaction='javascript:x()'><button formaction=x>b</button></form>",
        "<meta http-equiv=refresh content='0;url=javascript:x()'>",
        "<base href='javascript:x()'>",
        "<style>a{background:url(javascript:x())}</style><p style='background:url(x)'>a</p>",
        "<noscript><p title='</noscript><img src=x onerror=x()>'></noscript>",
        "<template><script>x</script></template>",
        "<a href='x' title='\"><script>x()</script>'>a</a>",
        "<details ontoggle=x() open>a</details>",
        "<xmp><script>x()</script></xmp>",
        "<textarea></textarea><script>x()</script>",
        "<link rel=stylesheet href=x><embed src='javascript:x'>",
    ] {
        let written = inert_html(html);
        let tree = Tree::parse(&written);
        for id in tree.subtree(tree.root()) {
            let is_active = is_active_element(tree.tag(id));
            assert!(!is_active, "{html}\n{written}");
            for (name, value) in tree.attrs(id) {
                assert!(!is_active_attribute(name), "{html}\n{written}");
                let compact = value.to_lowercase().replace(char::is_whitespace, "");
                let is_address = matches!(name, "href" | "src");
                let is_web = compact.starts_with("https://") || compact.starts_with("mailto:");
                assert!(!is_address || is_web, "{html}\n{written}");
            }
        }
    }
}

/// Pages whose tree cannot be written as it is.
#[test]
fn output_is_unchanged_when_parsed_again() {
    for html in [
        "<p>a<table><tr><td>b</table>c",
        "<p><button><p>a</p></button>b",
        "<p><object><div>a</div></object>b",
        "<a href=/1>a<table><tr><td><a href=/2>b</a></table>c</a>",
        "<a href=/1>a<object><a href=/2>b</a></object>c</a>",
        "<ul><li>a<center><li>b</center></ul>",
        "<li>a<form><li>b</form>",
        "<dl><dt>a<fieldset><dd>b</fieldset></dl>",
        "<h1>a<h2>b</h2></h1><h3><button><h4>c</h4></button></h3>",
        "<pre>\n\n a</pre><pre> b</pre><listing>\nc</listing>",
        "<pre>a<pre>b</pre></pre>",
        "<select><option>a</select><p>b",
        "<b><p>a</b>b</p><i>c<div>d</i>e</div>",
        "<ruby>a<rt>b<rp>c</ruby><rt>d</rt>",
        "<table><caption>a<tr><td>b<tfoot><tr><td>c</table>",
        "<frameset><frame></frameset>",
        "<plaintext>a<b>c",
        "<details><summary>a<summary>b</details>",
        "<nobr>a<nobr>b</nobr></nobr>",
        "x<!-- c -->y<?php z?>",
        "a\u{a0}&nbsp;b &amp;amp; &#0; \u{1}",
    ] {
        let once = inert_html(html);
        assert_eq!(inert_html(&once), once, "{html}");
    }
}
