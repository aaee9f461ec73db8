//! Pages that are hard to parse.

use super::Expect;
use super::case::{Case, ONE_LINK, case, fixed, page_of};
use crate::SiteResponse;
use crate::pages::list_of_links;

const LINK: &str = "<a href=\"/healthy/2\">healthy</a>";
const TWO_LINKS: Expect = Expect::Fetched { links: 2 };

pub(super) fn cases() -> Vec<Case> {
    let mut cases = large();
    cases.extend(broken());
    cases
}

/// Generated on request, because they are large and most tests do not need them.
fn large() -> Vec<Case> {
    vec![
        case(
            "nesting-blocks",
            TWO_LINKS,
            "100,000 nested elements: a tree builder without a depth limit is quadratic",
            |_| {
                let (open, close) = ("<div>".repeat(100_000), "</div>".repeat(100_000));
                page_of(&format!("{open}{LINK}{close}{LINK}"))
            },
        ),
        case(
            "nesting-lists",
            TWO_LINKS,
            "100,000 nested lists, never closed",
            |_| page_of(&format!("{LINK}{}{LINK}", "<ul><li>".repeat(100_000))),
        ),
        case(
            "nesting-formats",
            TWO_LINKS,
            "50,000 open formatting elements, which a tree builder reopens",
            |_| page_of(&format!("{LINK}{}{LINK}", "<p><b><i>".repeat(25_000))),
        ),
        case(
            "attribute-giant",
            ONE_LINK,
            "one attribute of 1.5 MB",
            |_| {
                page_of(&format!(
                    "<div data-x=\"{}\"></div>{LINK}",
                    "x".repeat(1_500_000)
                ))
            },
        ),
        case(
            "attributes-20000",
            ONE_LINK,
            "one element with 20,000 attributes",
            |_| {
                let attributes: Vec<String> = (0..20_000)
                    .map(|count| format!("a{count}=\"{count}\""))
                    .collect();
                page_of(&format!("<div {}></div>{LINK}", attributes.join(" ")))
            },
        ),
        case(
            "entities-300000",
            ONE_LINK,
            "1.5 MB of character references",
            |_| page_of(&format!("<p>{}</p>{LINK}", "&amp;".repeat(300_000))),
        ),
        case(
            "one-line",
            ONE_LINK,
            "1.5 MB of text without a line break",
            |_| page_of(&format!("<p>{}</p>{LINK}", "text ".repeat(300_000))),
        ),
        case(
            "tags-unfinished",
            ONE_LINK,
            "half a million `<` that start no tag",
            |_| page_of(&format!("{LINK}{}", "< ".repeat(500_000))),
        ),
        case(
            "links-12000",
            Expect::AnyOf(&[
                Expect::Fetched { links: 12_000 },
                Expect::Fetched { links: 10_000 },
            ]),
            "more links than any page needs: all of them, or the first 10,000",
            |_| {
                SiteResponse::html(list_of_links(
                    (0..12_000).map(|link| format!("/healthy/{}", link % 100)),
                ))
            },
        ),
    ]
}

fn broken() -> Vec<Case> {
    let hidden = "<a href=\"hidden\">hidden</a>";
    let one = |name, why, markup: String| {
        fixed(name, ONE_LINK, why, page_of(&markup)).also("hidden", Expect::Never)
    };
    vec![
        one("comment-unclosed", "the rest of the page is a comment", format!("{LINK}<!-- {hidden}")),
        one("comment-odd", "a comment ends as specified", format!("<!-- {hidden} --!>{LINK}<!-- a -- b {hidden} -->")),
        one("script-unclosed", "the rest of the page is a script", format!("{LINK}<script>var a = '{hidden}';")),
        one("script-text", "markup in scripts, styles, titles and text areas is text", format!(
            "<script>'{hidden}'</script><style>{hidden}</style><title>{hidden}</title>\
             <textarea>{hidden}</textarea><xmp>{hidden}</xmp>{LINK}"
        )),
        one("script-nested", "a script inside a comment inside a script", format!(
            "<script><!-- <script> {hidden} </script> {hidden} --></script>{LINK}"
        )),
        one("attribute-unclosed", "the rest of the page is an attribute", format!("{LINK}<a href=\"hidden><a href=hidden>hidden</a>")),
        one("attribute-twice", "the first of two attributes with the same name is used", "<a href=\"/healthy/2\" href=\"hidden\">x</a>".to_owned()),
        one("attribute-like", "names that only start or end like href", format!("<a data-href=hidden hrefs=hidden xhref='hidden'>x</a>{LINK}")),
        fixed(
            "attribute-forms",
            Expect::Fetched { links: 4 },
            "without quotes, in single quotes, in capitals, with spaces",
            page_of("<a href=/healthy/2>1</a><a href='/healthy/2'>2</a><A HREF=\"/healthy/2\">3</A><a\nhref\n=\n\"/healthy/2\">4</a>"),
        ),
        fixed(
            "attribute-references",
            Expect::Fetched { links: 3 },
            "character references in an attribute are decoded, but not in the middle of a query",
            page_of("<a href=\"list?a=1&amp;b=2\">1</a><a href=\"&#x6c;ist?a=1&amp;b&#61;2\">2</a><a href=\"list?a=1&copy=2\">3</a>"),
        )
        .expects_page("list?a=1&b=2")
        .expects_page("list?a=1&copy=2"),
    ]
}
