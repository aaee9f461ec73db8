//! `crawler scrape`: one module per part of its contract.

mod formats;
mod requests;
mod several;
mod types;

use testsite::{Pages, Server};

/// A typical page: an article between navigation and footer.
const ARTICLE: &str = r#"<!doctype html>
<html lang="en"><head><title>How bells are cast | The Foundry Post</title>
<meta name="description" content="From clay to bronze in nine days.">
<meta name="author" content="Ada Ringer">
<meta property="og:site_name" content="The Foundry Post">
<meta property="og:type" content="article">
<meta property="article:published_time" content="2024-05-06T07:08:09Z">
<meta name="twitter:card" content="summary">
<link rel="canonical" href="/bells">
<link rel="icon" href="/favicon.ico">
<link rel="alternate" hreflang="de" href="/de/glocken">
<script>alert("never")</script><style>p { color: red }</style></head>
<body>
<nav><a href="/">Home</a> <a href="/about">About us</a> <a href="/shop">Shop</a></nav>
<main><article>
<h1>How bells are cast</h1>
<p>A bell begins as a shape of clay, turned on a spindle until it has the outline that the founder drew. Over it a
second shape is built, the false bell, which later makes room for the <em>bronze</em>.</p>
<p onclick="alert(1)">The mould is buried in a pit and the earth is stamped down in layers. Only then is the furnace lit, for
<a href="alloys.html">the alloy</a> has to be poured in one go, and a pause of a few seconds would leave a seam.</p>
<h2>Nine days of waiting</h2>
<p>After the casting the pit is left alone. The bronze cools slowly, and a bell that is dug up too early can crack. What
is heard on the tenth day, when the clapper is hung for the first time, decides over half a year of work.</p>
<ul><li>Copper: four parts</li><li>Tin: one part</li></ul>
<pre><code class="language-python">weight = 1.5 * diameter ** 3
</code></pre>
<p>The rule of thumb above is older than the foundry. It was cut into the beam over the door by somebody who
had broken three bells, and every apprentice has to know it by heart before he may touch the clay.</p>
</article></main>
<footer>Copyright The Foundry Post. <a href="/imprint">Imprint</a></footer>
</body></html>"#;

fn site() -> Server {
    Server::start(Pages::new().html("/news/bells", ARTICLE))
}
