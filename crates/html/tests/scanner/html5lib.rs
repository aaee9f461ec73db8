//! The inputs of the public tokenizer tests, each in several contexts, compared with the oracle.

use serde_json::Value;

use crate::agreement::{agree, ours};

const FILES: [&str; 11] = [
    include_str!("../data/contentModelFlags.test"),
    include_str!("../data/domjs.test"),
    include_str!("../data/entities.test"),
    include_str!("../data/escapeFlag.test"),
    include_str!("../data/numericEntities.test"),
    include_str!("../data/pendingSpecChanges.test"),
    include_str!("../data/test1.test"),
    include_str!("../data/test2.test"),
    include_str!("../data/test3.test"),
    include_str!("../data/test4.test"),
    include_str!("../data/unicodeCharsProblematic.test"),
];

/// The pages made from one input.
fn pages(input: &str, last_start_tag: &str) -> Vec<String> {
    let link = "<a href=after>";
    // Use our tag and attribute names, so that broken attributes become broken links.
    let renamed = input
        .replace("<h", "<a")
        .replace(" a", " href")
        .replace(" h", " href");
    vec![
        format!("{input}{link}"),
        format!("{input}>{link}"),
        format!("{input}\">{link}"),
        format!("{renamed}{link}"),
        format!("{renamed}>{link}"),
        format!("<a href=\"{input}\">{link}"),
        format!("<a href='{input}'>{link}"),
        format!("<a href={input}>{link}"),
        format!("<a {input}>{link}"),
        format!("<a rel=\"x {input} nofollow\" href=y>{link}"),
        format!("<!--{input}{link}--><a href=end>"),
        format!("<!{input}{link}--><a href=end>"),
        format!("<script>{input}{link}</script><a href=end>"),
        format!("<script><!--{input}{link}</script><a href=end>--></script><a href=last>"),
        format!("<title>{input}{link}</title><a href=end>"),
        format!("<{last_start_tag}>{input}{link}</{last_start_tag}><a href=end>"),
        format!("<svg><![CDATA[{input}{link}]]></svg><a href=end>"),
    ]
}

#[test]
fn every_input_in_every_context() {
    let mut inputs = 0;
    let mut links = 0;
    for file in FILES {
        let file: Value = serde_json::from_str(file).unwrap();
        for test in file["tests"].as_array().unwrap() {
            let mut input = test["input"].as_str().unwrap().to_owned();
            if test["doubleEscaped"] == true {
                // A lone surrogate cannot occur in text.
                let unescaped =
                    serde_json::from_str(&format!("\"{}\"", input.replace('"', "\\\"")));
                let Ok(unescaped) = unescaped else {
                    continue;
                };
                input = unescaped;
            }
            inputs += 1;
            let last_start_tag = test["lastStartTag"].as_str().unwrap_or("xmp");
            for page in pages(&input, last_start_tag) {
                agree(&page);
                links += ours(&page).len();
            }
        }
    }
    assert!(inputs > 2000, "{inputs}");
    assert!(links > 30_000, "{links}");
}
