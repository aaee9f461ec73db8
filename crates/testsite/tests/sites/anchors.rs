//! A simple link finder, to check what a site reports about its links.

/// Returns the href of every anchor outside scripts, styles and comments.
pub(crate) fn hrefs(body: &str) -> Vec<String> {
    let mut text = body.to_owned();
    for (open, close) in [
        ("<script", "</script>"),
        ("<style", "</style>"),
        ("<!--", "-->"),
    ] {
        while let Some(start) = text.find(open) {
            let end = start + text[start..].find(close).unwrap() + close.len();
            text.replace_range(start..end, "");
        }
    }
    let tags = text.split('<').filter(|tag| {
        let name: String = tag.chars().take(2).collect();
        name.eq_ignore_ascii_case("a ") || name == "a\n"
    });
    tags.filter_map(|tag| {
        let tag = tag.split('>').next()?.replace("HREF", "href");
        let value = tag
            .split_once("href")?
            .1
            .trim_start()
            .strip_prefix('=')?
            .trim_start();
        let quote = value.chars().next().filter(|first| "'\"".contains(*first));
        let value = match quote {
            Some(quote) => value[1..].split(quote).next()?,
            None => value,
        };
        Some(value.replace("&amp;", "&"))
    })
    .collect()
}
