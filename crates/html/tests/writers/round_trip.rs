//! HTML to Markdown and back: every case lists what a parser must find.

use crate::reading::read;
use crate::{check_shape, markdown};

/// Name, HTML, and what a parser finds.
type Case = (&'static str, &'static str, &'static [&'static str]);

#[rustfmt::skip]
const CASES: &[Case] = &[
    // headings
    ("headings", "<h1>A</h1><h2>B</h2><h3>C</h3><h4>D</h4><h5>E</h5><h6>F</h6>", &["h1: A", "h2: B", "h3: C", "h4: D", "h5: E", "h6: F"]),
    ("heading with marks", "<h2>A <em>b</em> <code>c</code></h2>", &["h2: A {i:b} {c:c}"]),
    ("heading with break", "<h2>A<br>b</h2>", &["h2: A b"]),
    ("heading with block in it", "<h2><div>A</div><div>b</div></h2>", &["h2: A b"]),
    ("heading that ends in hashes", "<h2>C #</h2><h3>##</h3>", &["h2: C #", "h3: ##"]),
    ("heading with permalink", "<h2>Title<a class=headerlink href='#t'>¶</a></h2>", &["h2: Title"]),
    ("heading that links to itself", "<h2 id=t><a href='#t'>Title</a></h2>", &["h2: Title"]),
    ("empty heading", "<h2> </h2><p>x", &["p: x"]),
    ("linked heading", "<a href=/x><h3>T</h3></a>", &["h3: {@https://e.x/x:T}"]),
    // paragraphs and whitespace
    ("whitespace collapses", "<p>  a \n\t b  <span> c </span> d</p>", &["p: a b c d"]),
    ("no-break space", "<p>a&nbsp;b</p><p>&nbsp;</p>", &["p: a b"]),
    ("text beside blocks", "a<div>b</div>c", &["p: a", "p: b", "p: c"]),
    ("break", "<p>a<br>b</p>", &["p: a{br}b"]),
    ("break at the edges", "<p><br>a<br></p>", &["p: a"]),
    ("two breaks", "<p>a<br><br>b</p>", &["p: a", "p: b"]),
    ("rule", "<p>a</p><hr><p>b</p>", &["p: a", "hr", "p: b"]),
    ("rule in an item", "<ul><li>a<hr>b</li></ul>", &["ul.1/p: a", "ul.1/hr", "ul.1/p: b"]),
    // emphasis
    ("strong and em", "<p><b>a</b> <i>b</i> <strong><em>c</em></strong>", &["p: {b:a} {i:b} {bi:c}"]),
    ("spaces inside marks", "<p>a<b> b </b>c", &["p: a {b:b} c"]),
    ("wide spaces inside marks", "<p>a<b>\u{3000}b\u{2003}</b>c", &["p: a {b:b} c"]),
    ("marks inside a word", "<p>un<b>frigging</b>believable", &["p: un{b:frigging}believable"]),
    ("punctuation inside marks in a word", "<p>word<b>(x)</b>word", &["p: word{b:(x)}word"]),
    ("colon inside marks", "<p><b>Note:</b>text <i>“q”</i>x", &["p: {b:Note:}text {i:“q”}x"]),
    ("cjk marks", "<p>これは<b>「強調」</b>です", &["p: これは{b:「強調」}です"]),
    ("marks touch", "<p><b>a</b><i>b</i><b>c</b>", &["p: {b:a}{i:b}{b:c}"]),
    ("marks overlap a link", "<p><b>a <a href=/u>b</a></b> <a href=/v><i>c</i>d</a>", &["p: {b:a} {b@https://e.x/u:b} {i@https://e.x/v:c}{@https://e.x/v:d}"]),
    ("doubled marks", "<p><b><b>a</b></b><b>b</b><strong> c</strong>", &["p: {b:ab c}"]),
    ("empty marks", "<p>a<b></b><i> </i>b", &["p: a b"]),
    ("marks over blocks", "<b><p>a</p><p>b</p></b>", &["p: {b:a}", "p: {b:b}"]),
    ("strike", "<p><del>a</del> <s>b</s>c", &["p: {s:a b}c"]),
    ("marks nested three deep", "<p><b>a <i>b <s>c</s></i></b>", &["p: {b:a} {bi:b} {bis:c}"]),
    ("bold by style", "<p><span style='font-weight: 700'>a</span><b style='font-weight:normal'>b</b>", &["p: {b:a}b"]),
    ("bold over a link in a word", "<p>x<b><a href=/u>a</a></b>y", &["p: x{b@https://e.x/u:a}y"]),
    // code
    ("code", "<p>use <code>a_b*c</code>", &["p: use {c:a_b*c}"]),
    ("code with ticks", "<p><code>a`b``c</code> <code>`x`</code>", &["p: {c:a`b``c} {c:`x`}"]),
    ("code with spaces", "<p>a<code> b </code>c", &["p: a {c:b} c"]),
    ("code with a link in it", "<p><code>Vec&lt;<a href=/t>T</a>></code>", &["p: {c:Vec<}{c@https://e.x/t:T}{c:>}"]),
    ("kbd, samp", "<p><kbd>Ctrl</kbd>+<kbd>C</kbd> <samp>ok</samp>", &["p: {c:Ctrl}+{c:C} {c:ok}"]),
    ("code block", "<pre><code class='language-rust'>fn a() {\n    b();\n\n}\n</code></pre>", &["pre rust: fn a() {\\n    b();\\n\\n}"]),
    ("code block with fences", "<pre>```\nx\n````</pre>", &["pre : ```\\nx\\n````"]),
    ("code languages", "<div class='highlight highlight-source-shell'><pre>a</pre></div><pre data-lang=toml>b</pre><pre><code class='hljs python'>c</code></pre><pre class='prettyprint lang-js'>d</pre>", &["pre shell: a", "pre toml: b", "pre python: c", "pre js: d"]),
    ("code without gutter", "<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre></td><td class=code><pre><span>a</span>\nb</pre></td></tr></table>", &["pre : a\\nb"]),
    ("code in lines of a table", "<pre><code><table><tr><td class=hljs-ln-numbers>1</td><td>a</td></tr><tr><td class=hljs-ln-numbers>2</td><td>  b</td></tr></table></code></pre>", &["pre : a\\n  b"]),
    ("preformatted poem", "<pre>Roses\n   are  *red*\n\tand # so</pre>", &["pre : Roses\\n   are  *red*\\n\tand # so"]),
    ("code in a list in a quote", "<blockquote><ul><li>a<pre>x\n\n  y</pre></li></ul></blockquote>", &["q/ul.1/p: a", "q/ul.1/pre : x\\n\\n  y"]),
    // links and images
    ("link", "<p><a href='a b'>x</a> <a href='https://o.x/(a)_b?c=1&amp;copy=2'>y</a>", &["p: {@https://e.x/a%20b:x} {@https://o.x/(a)_b?c=1&copy=2:y}"]),
    ("link with odd address", "<p><a href='https://o.x/a)b(c&amp;amp;d`e|f\\g'>y</a>", &["p: {@https://o.x/a)b(c&amp;d%60e%7Cf%5Cg:y}"]),
    ("link with brackets", "<p><a href=/u>a [b] c]</a> [<a href=/v>d</a>](e)", &["p: {@https://e.x/u:a [b] c]} [{@https://e.x/v:d}](e)"]),
    ("link after an exclamation mark", "<p>Hey!<a href=/u>a</a>", &["p: Hey!{@https://e.x/u:a}"]),
    ("adjacent links", "<p><a href=/u>a</a><a href=/v>b</a>", &["p: {@https://e.x/u:a}{@https://e.x/v:b}"]),
    ("links that run scripts", "<p><a href='javascript:x()'>a</a> <a href='data:text/html,x'>b</a> <a>c</a>", &["p: a b c"]),
    ("empty link", "<p>a<a href=/u> </a>b", &["p: a b"]),
    ("link around blocks", "<a href=/u><img src=/i alt=I><h3>T</h3><p>t</p></a>", &["p: {img @https://e.x/u https://e.x/i I}", "h3: {@https://e.x/u:T}", "p: {@https://e.x/u:t}"]),
    ("image", "<p><img src=/i.png alt='a [b] *c*'> <a href=/u><img src=/j alt=''></a>", &["p: {img https://e.x/i.png a [b] *c*} {img @https://e.x/u https://e.x/j }"]),
    ("lazy images", "<p><img src='data:image/gif;base64,R0' data-src=/a alt=A><img src='data:,' srcset='/b,1.jpg 1x, /c 2x' alt=B><picture><source srcset='/d 1x'><img alt=D></picture><img width=1 height=1 src=/p>", &["p: {img https://e.x/a A}{img https://e.x/b,1.jpg B}{img https://e.x/d D}"]),
    ("noscript", "<p><img data-src=/a alt=A><noscript><img src=/a alt=A></noscript></p><noscript>turn it on</noscript><div><img class=lazy><noscript><img src=/b alt=B></noscript></div>", &["p: {img https://e.x/a A}", "p: {img https://e.x/b B}"]),
    ("video and frames", "<iframe src='https://v.x/1' title='A film'></iframe><video><source src=/v.mp4>old</video>", &["p: {@https://v.x/1:A film} {@https://e.x/v.mp4:video}"]),
    // lists
    ("lists", "<ul><li>a<li>b</ul><ol><li>c<li>d</ol>", &["ul.1/p: a", "ul.2/p: b", "ol1.1/p: c", "ol1.2/p: d"]),
    ("nested lists", "<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>", &["ul.1/p: a", "ul.1/ul.1/p: b", "ul.1/ul.1/ol1.1/p: c", "ul.2/p: d"]),
    ("list that starts later", "<ol start=9><li>a<li>b</ol><ol start=3><li>x<ol start=7><li>y</ol></ol>", &["ol9.1/p: a", "ol9.2/p: b", "ol3.1/p: x", "ol3.1/ol7.1/p: y"]),
    ("list beside list", "<ul><li>a</ul><ul><li>b</ul><ol><li>c</ol><ol><li>d</ol>", &["ul.1/p: a", "ul.1/p: b", "ol1.1/p: c", "ol1.1/p: d"]),
    ("loose list", "<ul><li><p>a</p><p>b</p><li>c</ul>", &["ul.1/p: a", "ul.1/p: b", "ul.2/p: c"]),
    ("list in a list without an item", "<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>", &["ul.1/p: a", "ul.1/ul.1/p: b", "ul.2/p: c"]),
    ("items without a list", "<div><li>a</li><li>b</li></div><p>c", &["ul.1/p: a", "ul.2/p: b", "p: c"]),
    ("item of lists and blocks", "<ul><li><ul><li>a</ul><li><h3>b</h3><li><pre>c</pre><li><blockquote>d</blockquote></ul>", &["ul.1/ul.1/p: a", "ul.2/h3: b", "ul.3/pre : c", "ul.4/q/p: d"]),
    ("empty items", "<ul><li></li><li>a</li><li> </li></ul>", &["ul.1/p: a"]),
    ("tasks", "<ul><li><input type=checkbox checked> a<li><label><input type=checkbox>b</label><li>[ ] c</ul>", &["ul.1/p: {x}a", "ul.2/p: {o}b", "ul.3/p: [ ] c"]),
    ("definitions", "<dl><dt>T<dd>a<dd>b<dt>U<dd><p>c<p>d</dl>", &["p: {b:T}", "ul.1/p: a", "ul.2/p: b", "p: {b:U}", "ul.1/p: c", "ul.1/p: d"]),
    // quotes
    ("quotes", "<blockquote><p>a</p><blockquote>b</blockquote><ul><li>c</ul></blockquote><blockquote>d</blockquote>", &["q/p: a", "q/q/p: b", "q/ul.1/p: c", "q/p: d"]),
    ("quote with break", "<blockquote>a<br># b<br>> c</blockquote>", &["q/p: a{br}# b{br}> c"]),
    ("inline quote", "<p>He said <q>no</q>.", &["p: He said “no”."]),
    // tables
    ("table", "<table><thead><tr><th>A<th align=right>B<tbody><tr><td>1<td>2</table>", &["table", "th: A | B", "tr: 1 | 2"]),
    ("table without header", "<table><tr><td>1<td>2<tr><td>3<td>4</table>", &["table", "th:  | ", "tr: 1 | 2", "tr: 3 | 4"]),
    ("pipes and breaks in cells", "<table><tr><th>a|b<th><code>c|d</code><tr><td>e<br>f<td>\\|<p>g</p></table>", &["table", "th: a|b | {c:c|d}", "tr: e{br}f | \\|{br}g"]),
    ("spans", "<table><tr><th colspan=2>A<th>B<tr><td rowspan=2>1<td>2<td>3<tr><td>4<td>5</table>", &["table", "th: A |  | B", "tr: 1 | 2 | 3", "tr:  | 4 | 5"]),
    ("nested table", "<table><tr><th>A<th>B<tr><td>1<td><table><tr><td>x<td>y<tr><td>z</table></table>", &["table", "th: A | B", "tr: 1 | x y{br}z"]),
    ("layout tables", "<table><tr><td><h2>A</h2><p>b</table><table role=presentation><tr><td>c<td>d</table>", &["h2: A", "p: b", "p: c", "p: d"]),
    ("list and code in a cell", "<table><tr><th>A<th>B<tr><td><ul><li>x<li>y</ul><td><pre>p\nq</pre></table>", &["table", "th: A | B", "tr: - x{br}- y | {c:p}{br}{c:q}"]),
    ("caption", "<table><caption>C</caption><tr><th>A<th>B<tr><td>1<td>2</table>", &["p: C", "table", "th: A | B", "tr: 1 | 2"]),
    ("table in an item", "<ul><li>a<table><tr><th>A<th>B<tr><td>1<td>2</table></ul>", &["ul.1/p: a", "ul.1/table", "ul.1/th: A | B", "ul.1/tr: 1 | 2"]),
    ("short and empty rows", "<table><tr><th>A<th>B<tr><td><td><tr><td>1</table>", &["table", "th: A | B", "tr: 1 | "]),
    // text that looks like markup
    ("marks as text", "<p>*a* **b** _c_ __d__ `e` ~~f~~ ***", &["p: *a* **b** _c_ __d__ `e` ~~f~~ ***"]),
    ("line starts as text", "<p># a</p><p>- b</p><p>+ c</p><p>1. d</p><p>2) e</p><p>> f</p><p>* g</p><p>---</p><p>***</p><p>___</p><p>===</p><p>```</p><p>~~~</p><p>- - -</p>", &["p: # a", "p: - b", "p: + c", "p: 1. d", "p: 2) e", "p: > f", "p: * g", "p: ---", "p: ***", "p: ___", "p: ===", "p: ```", "p: ~~~", "p: - - -"]),
    ("line starts behind a break", "<p>a<br>---<br>===<br>- b<br>1. c<br>| - | - |", &["p: a{br}---{br}==={br}- b{br}1. c{br}| - | - |"]),
    ("table as text", "<p>a | b<br>--- | ---<br>c | d", &["p: a | b{br}--- | ---{br}c | d"]),
    ("links as text", "<p>[a](b) ![c](d) [e][f] [g] &lt;http://h.x></p><p>[i]: http://j</p><p>[^1] x</p><p>[^1]: y", &["p: [a](b) ![c](d) [e][f] [g] <http://h.x>", "p: [i]: http://j", "p: [^1] x", "p: [^1]: y"]),
    ("tags as text", "<p>&lt;script>alert(1)&lt;/script> &lt;b>x&lt;/b> &lt;!-- c --> &lt;?php 1 &lt; 2</p><p>&lt;div>", &["p: <script>alert(1)</script> <b>x</b> <!-- c --> <?php 1 < 2", "p: <div>"]),
    ("references as text", "<p>&amp;amp; &amp;lt; &amp;#60;b> &amp;#x3c; AT&amp;T &amp;nosuch", &["p: &amp; &lt; &#60;b> &#x3c; AT&T &nosuch"]),
    ("backslashes", "<p>C:\\dir\\* \\\\ \\[a\\] end\\</p><p>a\\<br>b", &["p: C:\\dir\\* \\\\ \\[a\\] end\\", "p: a\\{br}b"]),
    ("alert as text", "<blockquote>[!NOTE]<br>x</blockquote>", &["q/p: [!NOTE]{br}x"]),
    // the rest
    ("footnotes", "<p>a<sup><a href='#fn1'>1</a></sup>: b</p><section class=footnotes><ol><li id=fn1><p>n <a class=footnote-backref href='#r1'>↩</a></p><p>m</p></li></ol></section>", &["p: a{^1}: b", "note1/p: n", "note1/p: m"]),
    ("scripts", "<p>x<sup>2</sup> H<sub>2</sub>O 10<sup>th</sup> a<sub>ij</sub> e<sup>n+1</sup> b<sup>*</sup> T<sup>TM</sup> y<sup>x+1</sup>", &["p: x² H₂O 10th a_ij eⁿ⁺¹ b* T™ y^(x+1)"]),
    ("formulas", "<p><math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x < y</annotation></semantics></math> <math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mi>c</mi></mrow></mfrac></math>", &["p: $x \\lt y$ a/(b+c)"]),
    ("figure", "<figure><img src=/i alt=A><figcaption>C</figcaption></figure>", &["p: {img https://e.x/i A}", "p: C"]),
    ("details", "<details><summary>S</summary><p>t</p></details>", &["p: {b:S}", "p: t"]),
    ("minor inline elements", "<p><abbr title='x'>A</abbr> <mark>m</mark> <ins>i</ins> <u>u</u> <cite>c</cite> <var>v</var>", &["p: A m i u {i:c v}"]),
    ("ruby", "<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", &["p: 漢(kan)"]),
    ("hidden", "<p hidden>a</p><p style='display: none'>b</p><p>c<span aria-hidden=true>d</span></p><div aria-hidden=true>e</div>", &["p: c", "p: e"]),
    ("dropped", "<script>a</script><style>b</style><template>c</template><svg><text>d</text></svg><select><option>e</select><textarea>f</textarea><p>g", &["p: g"]),
];

#[test]
fn every_case_reads_back_with_the_same_meaning() {
    let mut failures = Vec::new();
    for &(name, html, expected) in CASES {
        let written = markdown(html);
        check_shape(&written);
        let found = read(&written);
        if found != expected {
            failures.push(format!(
                "{name}\n  markdown: {written:?}\n  found:    {found:?}\n  expected: {expected:?}"
            ));
        }
    }
    println!("{} of {} cases", CASES.len() - failures.len(), CASES.len());
    assert!(
        failures.is_empty(),
        "{} of {} fail:\n{}",
        failures.len(),
        CASES.len(),
        failures.join("\n")
    );
}

/// Text that needs no escape gets none.
#[test]
fn nothing_is_escaped_needlessly() {
    for (html, expected) in [
        (
            "<p>snake_case and 2 * 3 = 6, a < b, AT&amp;T, [sic], x~y, C#, #1</p>",
            "snake_case and 2 * 3 = 6, a < b, AT&T, [sic], x~y, C#, #1\n",
        ),
        (
            "<p>one * star, one _under, one `tick</p>",
            "one * star, one _under, one `tick\n",
        ),
        ("<p>5*3</p>", "5*3\n"),
        (
            "<p>-5 degrees +1 (2.5) 3.14 1.</p>",
            "-5 degrees +1 (2.5) 3.14 1.\n",
        ),
        ("<p>[edit] a|b $5 ^ { } !</p>", "[edit] a|b $5 ^ { } !\n"),
        ("<p>C:\\Users\\me</p>", "C:\\Users\\me\n"),
        ("<p>2024 was good. 10. too</p>", "2024 was good. 10. too\n"),
    ] {
        assert_eq!(markdown(html), expected);
    }
}

#[test]
fn tags_replace_only_delimiters_that_would_not_parse() {
    assert_eq!(
        markdown("<p>word<b>(x)</b>word"),
        "word<strong>(x)</strong>word\n"
    );
    assert_eq!(markdown("<p>a <b>(x)</b> b"), "a **(x)** b\n");
}
