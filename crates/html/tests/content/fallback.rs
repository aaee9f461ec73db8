//! A page with text never has an empty result.

use crawler_html::{Tree, main_content, to_markdown, whole_body};

use crate::text_of;

#[test]
fn text_is_always_found() {
    let table = [
        ("one word", "<p>Hello</p>", "Hello"),
        ("bare text", "Just text, and no markup at all.", "Just text"),
        (
            "only a menu",
            "<nav><ul><li><a href=a>First</a><li><a href=b>Second</a></ul></nav>",
            "First",
        ),
        (
            "only a footer",
            "<footer><p>Closed on Mondays.</p></footer>",
            "Closed on Mondays",
        ),
        (
            "only hidden text",
            "<div style='display:none'><p>The secret is out.</p></div>",
            "The secret",
        ),
        (
            "only a form",
            "<form><label>Your name</label><input><button>Send</button></form>",
            "Your name",
        ),
        (
            "only noscript",
            "<noscript><p>Please enable scripts to read this page.</p></noscript>",
            "Please enable",
        ),
        (
            "a table of numbers",
            "<table><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>",
            "3",
        ),
    ];
    for (name, html, wanted) in table {
        let tree = Tree::parse(html);
        let text = text_of(&tree, &main_content(&tree));
        assert!(text.contains(wanted), "{name}: {text:?}");
        let text = text_of(&tree, &whole_body(&tree));
        assert!(text.contains(wanted), "{name}, whole body: {text:?}");
    }
}

#[test]
fn a_page_without_text_is_empty() {
    for html in [
        "",
        "<body></body>",
        "<script>let text = 1;</script>",
        "<img src=a.png>",
        "<p> </p>",
    ] {
        let tree = Tree::parse(html);
        assert_eq!(text_of(&tree, &main_content(&tree)).trim(), "", "{html:?}");
        assert_eq!(text_of(&tree, &whole_body(&tree)).trim(), "", "{html:?}");
    }
}

#[test]
fn the_whole_body_keeps_what_the_main_content_drops() {
    let html = include_str!("pages/product_shop.html");
    let tree = Tree::parse(html);
    let body = text_of(&tree, &whole_body(&tree));
    assert!(
        body.contains("Whistling kettle") && body.contains("made of heavy steel"),
        "{body}"
    );
    assert!(!body.contains("Kitchen\n"), "menus are left out: {body}");
}

#[test]
fn lists_and_tables_stay_complete() {
    let html = include_str!("pages/documentation_reference.html");
    let tree = Tree::parse(html);
    let content = main_content(&tree);
    let kept = |name: &str| {
        content
            .roots
            .iter()
            .flat_map(|root| tree.subtree(*root))
            .any(|id| tree.name(id) == name)
    };
    assert!(kept("table") && kept("dl") && kept("pre"), "{content:?}");
}

#[test]
fn images_are_part_of_the_whole_body() {
    let table = [
        (
            "before the first text",
            "<div><img src=/1.png alt=one></div><article><p>Text here.</p></article><img src=/2.png>",
            &["/1.png", "Text here", "/2.png"][..],
        ),
        (
            "without any text",
            "<header><img src=/logo.png></header><div><img src=/1.png></div><p><a href=/b><img src=/2.png></a>",
            &["/1.png", "/2.png"],
        ),
    ];
    for (name, html, wanted) in table {
        let tree = Tree::parse(html);
        let mut contents = vec![whole_body(&tree)];
        if !html.contains("Text") {
            contents.push(main_content(&tree));
        }
        for content in contents {
            let text = to_markdown(&tree, &content.selection(), &|target| {
                Some(target.to_owned())
            });
            for part in wanted {
                assert!(text.contains(part), "{name}: {part} in {text:?}");
            }
            assert!(!text.contains("logo"), "{name}: {text:?}");
        }
    }
}
