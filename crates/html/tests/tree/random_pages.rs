//! Random pages: our tree against html5ever's own, and the consistency of its links.
//!
//! Pages are sequences of fragments that open, close or break something. The seed is fixed, so failures are
//! reproducible.

use crawler_html::{NodeId, Tree, WalkEvent};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};

use crate::oracle::{ours, theirs};

#[rustfmt::skip]
const FRAGMENTS: &[&str] = &[
    "text", " ", "\n", "x &amp; y", "&notit;", "\0", "é", "\r\n", "<", "</", "&",
    "<a href=x>", "<a href=y rel='z'>", "</a>", "<b>", "<b class=c>", "</b>", "<i>", "</i>",
    "<font size=1>", "<font>", "</font>", "<nobr>", "</nobr>", "<code>", "</code>",
    "<p>", "</p>", "<div>", "</div>", "<div id=1>", "<span>", "</span>", "<h1>", "</h1>", "<h2>",
    "<ul>", "</ul>", "<li>", "</li>", "<dl>", "<dt>", "<dd>", "</dl>",
    "<table>", "</table>", "<caption>", "</caption>", "<colgroup>", "<col>", "<tbody>", "<thead>",
    "<tr>", "</tr>", "<td>", "</td>", "<th>", "</tbody>",
    "<select>", "</select>", "<option>", "<optgroup>", "</option>", "<button>", "</button>",
    "<form>", "</form>", "<input>", "<input type=hidden>", "<textarea>\n", "</textarea>",
    "<pre>\n", "</pre>", "<hr>", "<br>", "</br>", "<img src=i>", "<image>", "<wbr/>",
    "<object>", "</object>", "<marquee>", "</marquee>", "<applet>", "</applet>",
    "<template>", "</template>", "<noscript>", "</noscript>", "<iframe>", "</iframe>",
    "<script>", "</script>", "<style>", "</style>", "<title>", "</title>", "<xmp>", "</xmp>",
    "<head>", "</head>", "<body class=d>", "</body>", "<html lang=e>", "</html>",
    "<meta charset=utf-8>", "<link rel=f>", "<base href=g>", "<frameset>", "<noframes>",
    "</noframes>", "<ruby>", "<rt>", "<rp>", "</ruby>", "<address>", "<center>", "<details>",
    "<svg>", "</svg>", "<g>", "</g>", "<path d=h />", "<foreignObject>", "</foreignObject>",
    "<desc>", "</desc>", "<svg viewbox=1 xlink:href=2>", "<math>", "</math>", "<mi>", "</mi>",
    "<annotation-xml encoding=text/html>", "<annotation-xml>", "</annotation-xml>", "<mglyph>",
    "<![CDATA[ x <b> ]]>", "<!-- c -->", "<!doctype html>", "<?pi?>", "</ bogus>",
    "<x-custom a=1 a=2>", "</x-custom>", "<p a b=c d='e' f=\"g\">", "<p/>", "<plaintext>",
];

fn page() -> impl Strategy<Value = String> {
    prop::collection::vec(select(FRAGMENTS), 0..60).prop_map(|fragments| fragments.concat())
}

fn run(cases: u32, test: impl Fn(&str) -> Result<(), TestCaseError>) {
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(7),
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&page(), |page| test(&page))
        .unwrap();
}

#[test]
fn our_tree_equals_the_one_of_html5ever() {
    run(6_000, |page| {
        prop_assert_eq!(ours(page), theirs(page));
        Ok(())
    });
}

#[test]
fn links_between_nodes_are_consistent() {
    run(2_000, |page| {
        let tree = Tree::parse(page);
        prop_assert!(!tree.is_truncated());
        check(&tree)
    });
}

/// Checks every method of the tree against the parents alone.
pub(crate) fn check(tree: &Tree) -> Result<(), TestCaseError> {
    let all: Vec<NodeId> = tree.subtree(tree.root()).collect();
    prop_assert_eq!(all.len(), tree.len());
    let mut children: Vec<Vec<NodeId>> = vec![Vec::new(); all.len()];
    for &id in &all[1..] {
        let parent = tree.parent(id).unwrap();
        prop_assert!(parent < id && id < tree.end(parent));
        prop_assert!(tree.end(id) <= tree.end(parent));
        prop_assert_eq!(tree.depth(id), tree.depth(parent) + 1);
        prop_assert!(tree.text(parent).is_none());
        children[parent.index()].push(id);
    }
    for &id in &all {
        let inside = &children[id.index()];
        prop_assert_eq!(&tree.children(id).collect::<Vec<_>>(), inside);
        prop_assert_eq!(tree.first_child(id), inside.first().copied());
        for pair in inside.windows(2) {
            prop_assert_eq!(tree.next_sibling(pair[0]), Some(pair[1]));
            prop_assert_eq!(tree.prev_sibling(pair[1]), Some(pair[0]));
            prop_assert_eq!(tree.end(pair[0]), pair[1]);
            let both_text = tree.text(pair[0]).is_some() && tree.text(pair[1]).is_some();
            prop_assert!(!both_text, "two texts side by side");
        }
        if let (Some(first), Some(last)) = (inside.first(), inside.last()) {
            prop_assert_eq!(tree.prev_sibling(*first), None);
            prop_assert_eq!(tree.next_sibling(*last), None);
        }
        prop_assert_ne!(tree.text(id), Some(""));
        prop_assert_eq!(tree.ancestors(id).count(), tree.depth(id) as usize);
    }
    let mut open = Vec::new();
    let mut entered = Vec::new();
    for event in tree.walk(tree.root()) {
        match event {
            WalkEvent::Enter(id) => {
                open.push(id);
                entered.push(id);
            }
            WalkEvent::Leave(id) => prop_assert_eq!(open.pop(), Some(id)),
        }
    }
    prop_assert!(open.is_empty());
    prop_assert_eq!(entered, all);
    Ok(())
}
