//! Tags of links and bases for generated pages.

/// Links and bases, with `u#` where each gets its number.
pub(crate) const LINKS: &[&str] = &[
    "<a href=u#>",
    "<a href='u#'>",
    "<A\nHREF = \"u#\" download>",
    "<a rel=\"me NoFollow\" href=u#>",
    "<a title='<a href=no>' href=u#>",
    "<a href=u# href=no>",
    "<a/href=u#/>",
    "<a href='u#&amp;x&copy;&notin&#x80;'>",
    "<a x=\"y\"href=u#\r\n>",
    "<base href=u#>",
    "<a href=u#></a>",
    "<a href=u#/>",
    "<a href=u# />",
];

/// Gives every link of a page its own number.
pub(crate) fn number_links(page: &str) -> String {
    let mut numbered = String::with_capacity(page.len() + 16);
    for (index, piece) in page.split("u#").enumerate() {
        if index > 0 {
            numbered.push('u');
            numbered.push_str(&index.to_string());
        }
        numbered.push_str(piece);
    }
    numbered
}
