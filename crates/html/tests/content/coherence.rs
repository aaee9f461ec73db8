//! Tables, terms, code, lists, figures and headings stay complete.

use crawler_html::{Tree, main_content, to_markdown};

const PROSE: &str = "<p>The committee met on Tuesday to consider the proposal in detail, and after \
    several hours of debate the members agreed that the plan should go ahead next year.</p>";

/// The Markdown of an article that consists of prose, the part, and more prose.
fn written(part: &str) -> String {
    let html = format!(
        "<!doctype html><title>The plan</title><body><nav><a href=/>Home</a> <a href=/n>News</a></nav>\
        <article><h1>The plan of the committee</h1>{PROSE}{PROSE}{part}{PROSE}{PROSE}</article>"
    );
    let tree = Tree::parse(&html);
    let selection = main_content(&tree).selection();
    to_markdown(&tree, &selection, &|reference| Some(reference.to_owned()))
}

#[test]
fn parts_between_kept_text_are_written_completely() {
    let table = [
        (
            "cells whose words are those of buttons",
            "<table><tr><th>Plan<th>OK<th>Close<th>Share<tr><td>a<td>Next<td>Menu<td>Reply</table>",
            "| Plan | OK | Close | Share |\n| --- | --- | --- | --- |\n| a | Next | Menu | Reply |",
        ),
        ("code", "<div><pre><code>x = 1</code></pre></div>", "x = 1"),
        (
            "a term and its definition",
            "<dl><dt>Alpha</dt><dd>first</dd><dt>Beta</dt><dd>second</dd></dl>",
            "**Alpha**\n\n- first\n\n**Beta**\n\n- second",
        ),
        (
            "a heading over kept text",
            "<h2>More</h2><p>It was agreed that the old bridge would be closed to all traffic.</p>",
            "## More\n\nIt was agreed",
        ),
        (
            "a picture and its caption",
            "<figure><img src=/a.jpg alt=tram><figcaption>The tram.</figcaption></figure>",
            "![tram](/a.jpg)",
        ),
        (
            "a picture behind a button",
            "<div><button>Copy link</button></div><p><img src=/a.jpg alt=tram></p>",
            "![tram](/a.jpg)",
        ),
    ];
    for (name, part, wanted) in table {
        let text = written(part);
        assert!(text.contains(wanted), "{name}: {text}");
        assert!(!text.contains("News"), "{name}: {text}");
    }
}

#[test]
fn pictures_under_a_title_without_text_are_written() {
    let html = "<title>Summer</title><nav><a href=/>Home</a></nav><main><h1>Summer</h1>\
        <div><a href=/1><img src=/1.jpg alt=Beach></a><img src=/2.jpg alt=Dunes></div></main>";
    let tree = Tree::parse(html);
    let selection = main_content(&tree).selection();
    let text = to_markdown(&tree, &selection, &|reference| Some(reference.to_owned()));
    assert!(
        text.contains("/1.jpg") && text.contains("/2.jpg") && !text.contains("Home"),
        "{text}"
    );
}

#[test]
fn detached_parts_are_not_written() {
    let links = "<nav><ul><li><a href=/a>Archive</a><li><a href=/b>Imprint</a></ul>\
        <table><tr><td><a href=/c>Jobs</a><td><a href=/d>Press</a><tr><td><a href=/e>Shop</a>\
        <td><a href=/f>Login</a></table><img src=/logo.png alt=Logo></nav>";
    let text = written(links);
    for word in [
        "More pages",
        "Archive",
        "Imprint",
        "Jobs",
        "Login",
        "logo.png",
    ] {
        assert!(!text.contains(word), "{word}: {text}");
    }
}
