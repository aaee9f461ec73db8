//! Building blocks of generated pages, grouped by how they interact.

#[rustfmt::skip]
pub(crate) const BLOCKS: &[&str] = &[
    "p", "div", "ul", "li", "dl", "dd", "dt", "h1", "h2", "pre", "listing", "hr", "br", "img", "center", "section",
    "address", "details", "summary", "main", "nav", "article", "blockquote", "dialog", "search", "menu", "image",
];

#[rustfmt::skip]
pub(crate) const FORMATTING: &[&str] = &[
    "a", "b", "i", "font", "nobr", "em", "code", "u", "span", "sub", "ruby", "rt", "rb", "x", "x-y", "var",
];

#[rustfmt::skip]
pub(crate) const TABLES: &[&str] = &[
    "table", "tr", "td", "th", "tbody", "thead", "tfoot", "caption", "col", "colgroup",
];

#[rustfmt::skip]
pub(crate) const FORMS: &[&str] = &[
    "form", "select", "option", "optgroup", "input", "button", "textarea", "keygen", "fieldset", "label",
];

pub(crate) const CONTAINERS: &[&str] = &[
    "object", "applet", "marquee", "template", "template", "noscript", "embed", "param",
];

#[rustfmt::skip]
pub(crate) const FRAMES: &[&str] = &[
    "frameset", "frame", "noframes", "html", "head", "body", "meta", "link", "noscript", "basefont",
];

#[rustfmt::skip]
pub(crate) const RAW: &[&str] = &[
    "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript",
];

#[rustfmt::skip]
pub(crate) const SVG: &[&str] = &[
    "svg", "svg", "g", "path", "title", "desc", "foreignObject", "style", "script", "use", "text", "template",
    "feComponentTransfer", "base", "plaintext", "table", "mi", "math", "font", "font size=1", "image", "svg:g",
];

#[rustfmt::skip]
pub(crate) const MATH: &[&str] = &[
    "math", "math", "mi", "mo", "mtext", "mrow", "mglyph", "malignmark", "annotation-xml", "annotation",
    "annotation-xml encoding=text/html", "annotation-xml encoding='application/xhtml+xml'",
    "annotation-xml encoding=text&#x2f;html", "semantics", "svg", "title", "style", "desc", "merror",
];

#[rustfmt::skip]
pub(crate) const SNIPPETS: &[&str] = &[
    "<!--", "-->", "--!>", "--", "<!-->", "<!--->", "<!doctype html>", "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 3.2//EN\">",
    "<!x ", "<?x ", "</ ", "</>", "<![CDATA[", "]]>", ">", "<", "</", "/", "\"", "'", "=", " ", "\n", "\r\n", "\0", "&amp;", "&#",
    "text", "é", "!", "-", "a", "<a ", "href=", "<a href=\"", "<a href='", "<script>", "</script>", "<svg", "<plaintext>",
    "<a\0>", "<svg><title>x</title>", "</svg>", "<svg><g\0></g\u{fffd}>", "<table><td>", "x", "  ", "\t", "\u{feff}",
    "&lt;", "&notit;", "\x0c", "<font color=x>", "<input type=hidden>", "<template shadowrootmode=open>",
];
