//! Invariants of every result: parts in order, none inside another, quality between 0 and 1.

use crawler_html::{MainContent, Tree, main_content, whole_body};
use proptest::prelude::*;

fn check(tree: &Tree, content: &MainContent) -> Result<(), TestCaseError> {
    prop_assert!(
        (0.0..=1.0).contains(&content.quality),
        "{}",
        content.quality
    );
    for list in [&content.roots, &content.excluded] {
        for two in list.windows(2) {
            prop_assert!(
                tree.end(two[0]) <= two[1],
                "{two:?} overlap or are out of order"
            );
        }
    }
    for cut in &content.excluded {
        let inside = |root: &crawler_html::NodeId| root < cut && *cut < tree.end(*root);
        prop_assert!(content.roots.iter().any(inside), "{cut:?} is in no root");
    }
    Ok(())
}

const PIECES: [&str; 26] = [
    "<div>",
    "</div>",
    "<p>",
    "</p>",
    "<article>",
    "</article>",
    "<nav>",
    "</nav>",
    "<table><tr><td>",
    "</table>",
    "<ul><li>",
    "</ul>",
    "<a href=x>",
    "</a>",
    "<h2>",
    "</h2>",
    "<br><br>",
    "<img src=a>",
    "<footer>",
    "</footer>",
    "<section class='related posts'>",
    "</section>",
    "<span>",
    "</span>",
    "<form><button>",
    "</form>",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn results_are_well_formed(
        parts in proptest::collection::vec((0..PIECES.len(), "[ a-zA-Z0-9.,|]{0,40}"), 0..60)
    ) {
        let mut html = String::new();
        for (piece, text) in &parts {
            html.push_str(PIECES[*piece]);
            html.push_str(text);
        }
        let tree = Tree::parse(&html);
        check(&tree, &main_content(&tree))?;
        check(&tree, &whole_body(&tree))?;
    }
}
