//! Every input of the public tokenizer tests, through the whole pipeline.

use crate::survives;

const FILES: [&str; 11] = [
    "contentModelFlags",
    "domjs",
    "entities",
    "escapeFlag",
    "numericEntities",
    "pendingSpecChanges",
    "test1",
    "test2",
    "test3",
    "test4",
    "unicodeCharsProblematic",
];

/// Inputs as written in the file; escaped ones keep their escapes, which are text too.
fn inputs(file: &str) -> Vec<String> {
    let path = format!("{}/tests/data/{file}.test", env!("CARGO_MANIFEST_DIR"));
    let tests: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let inputs = tests["tests"].as_array().unwrap().iter();
    inputs
        .map(|test| test["input"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_input() {
    let mut count = 0;
    for file in FILES {
        // One page per input, and one page of all inputs per context, so that each follows what earlier ones
        // left open.
        let inputs = inputs(file);
        for (at, input) in inputs.iter().enumerate() {
            survives(&format!("{file} {at}"), format!("<p>a {input} b"));
        }
        for (open, close) in [
            ("", ""),
            ("<table><tr><td>", "</table>"),
            ("<svg>", "</svg>"),
            ("<a href=\"", "\">b</a>"),
            ("<pre>", "</pre>"),
        ] {
            let all: String = inputs
                .iter()
                .flat_map(|input| [open, input, close])
                .collect();
            survives(&format!("{file} in {open}"), all);
        }
        count += inputs.len();
    }
    assert!(count > 2_000, "{count}");
}
