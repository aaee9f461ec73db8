//! Small pages lose nothing: every page made of up to three parts in `main`, or in a body that has nothing else, is kept
//! completely.
//!
//! On such a page a person would keep everything. The parts are short, so a single one can change the scores of its
//! neighbors.

use crawler_html::{Tree, main_content, to_markdown};

/// The parts of a page, and a text that is in the output if the part was kept.
const PARTS: [(char, &str, &str); 8] = [
    (
        'p',
        "<p>A paragraph that says a few things about the product and how it is used by people.</p>",
        "product and how",
    ),
    (
        'P',
        "<p>This longer paragraph explains the background of the tool in several sentences. This longer \
         paragraph explains the background of the tool in several sentences. This longer paragraph explains \
         the background of the tool in several sentences. This longer paragraph explains the background of \
         the tool in several sentences. This longer paragraph explains the background of the tool in several \
         sentences. </p>",
        "background of the tool",
    ),
    (
        't',
        "<table><tr><th>Name</th><th>Valuetab</th></tr><tr><td>a</td><td>celltab</td></tr></table>",
        "celltab",
    ),
    ('c', "<pre><code>codeline --x</code></pre>", "codeline"),
    ('h', "<h2>Section headline</h2>", "Section headline"),
    ('u', "<ul><li>listone</li><li>listtwo</li></ul>", "listtwo"),
    ('l', "<p><a href=\"/x\">linkonly text</a></p>", "linkonly"),
    (
        'i',
        "<p><img src=\"/i.png\" alt=\"imagealt\"></p>",
        "imagealt",
    ),
];

type Part = (char, &'static str, &'static str);

/// A page with these parts, in `main` between a header and a footer, or alone in the body.
fn page(parts: &[Part], in_main: bool) -> String {
    let parts: String = parts.iter().map(|(_, html, _)| *html).collect();
    let body = format!("<h1>Title here</h1>{parts}");
    let body = if in_main {
        format!(
            "<header><a href=/>Home</a></header><nav><a href=/a>A</a><a href=/b>B</a></nav>\
             <main>{body}</main><footer><p>Copyright us</p></footer>"
        )
    } else {
        body
    };
    format!("<!doctype html><html><head><title>Title here</title></head><body>{body}</body></html>")
}

/// Every sequence of one to three different parts.
fn sequences() -> Vec<Vec<Part>> {
    let mut all: Vec<Vec<Part>> = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..3 {
        let to = all.len();
        for at in from..to {
            for part in PARTS {
                if all[at].iter().all(|(name, ..)| *name != part.0) {
                    let mut longer = all[at].clone();
                    longer.push(part);
                    all.push(longer);
                }
            }
        }
        from = to;
    }
    all.split_off(1)
}

#[test]
fn nothing_is_lost() {
    let mut lost = Vec::new();
    let sequences = sequences();
    for parts in &sequences {
        for in_main in [true, false] {
            let tree = Tree::parse(&page(parts, in_main));
            let selection = main_content(&tree).selection();
            let text = to_markdown(&tree, &selection, &|reference| Some(reference.to_owned()));
            let missing: String = parts
                .iter()
                .filter(|(_, _, mark)| !text.contains(mark))
                .map(|(name, ..)| name)
                .collect();
            let frame = ["Home", "Copyright"].iter().any(|word| text.contains(word));
            if !missing.is_empty() || frame {
                let names: String = parts.iter().map(|(name, ..)| name).collect();
                lost.push(format!("{names} (main: {in_main}): {missing} {frame}"));
            }
        }
    }
    assert_eq!(sequences.len(), 8 + 8 * 7 + 8 * 7 * 6);
    assert!(
        lost.is_empty(),
        "{} lost parts:\n{}",
        lost.len(),
        lost.join("\n")
    );
}
