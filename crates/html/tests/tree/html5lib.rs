//! Every input of the public tokenizer tests as a page, compared with html5ever's own tree.

use crate::oracle::{ours, theirs};

fn inputs(file: &str) -> Vec<String> {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let tests: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    tests["tests"]
        .as_array()
        .unwrap()
        .iter()
        // A few are escaped because they contain lone surrogates, which no page can hold.
        .filter(|test| test["doubleEscaped"] != true)
        .map(|test| test["input"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_tokenizer_input() {
    let mut count = 0;
    for file in [
        "contentModelFlags.test",
        "domjs.test",
        "entities.test",
        "escapeFlag.test",
        "numericEntities.test",
        "pendingSpecChanges.test",
        "test1.test",
        "test2.test",
        "test3.test",
        "test4.test",
        "unicodeCharsProblematic.test",
    ] {
        for input in inputs(file) {
            for page in [
                input.clone(),
                format!("<svg>{input}"),
                format!("<table>{input}"),
            ] {
                assert_eq!(ours(&page), theirs(&page), "{file}: {page:?}");
                count += 1;
            }
        }
    }
    assert!(count > 6_000, "{count}");
}
