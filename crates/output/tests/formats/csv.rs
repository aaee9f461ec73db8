//! CSV output can be parsed back, cell by cell.

use crawler_model::LinkFilter;
use crawler_output::Format;

use crate::fixture::{print, reports};

/// A strict RFC 4180 parser, to check the output.
fn parse(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(std::mem::take(&mut cell)),
            '\n' if !quoted => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            other => cell.push(other),
        }
    }
    assert!(cell.is_empty() && row.is_empty() && !quoted);
    rows
}

#[test]
fn csv_parses_back() {
    let filter = LinkFilter {
        all_schemes: true,
        ..LinkFilter::default()
    };
    let rows = parse(&print(Format::Csv, filter, &reports()));
    let width = rows[0].len();
    assert_eq!(width, 13);
    assert!(rows.iter().all(|row| row.len() == width));
    let targets = |source: &str| -> Vec<&str> {
        rows.iter()
            .filter(|row| row[0] == source)
            .map(|row| row[1].as_str())
            .collect()
    };
    assert_eq!(targets("https://example.org/").len(), 11);
    assert_eq!(
        targets("https://example.org/")[5],
        "https://other.example/x,y?a='b'"
    );
    assert_eq!(
        targets("https://example.org/")[7],
        "javascript:alert(\"hi\")"
    );
    assert_eq!(targets("https://example.org/missing"), [""]);
    assert_eq!(targets("https://example.org/private"), [""]);
    let about = rows.iter().find(|row| row[0].ends_with("/about")).unwrap();
    assert_eq!(about[7], "'=HYPERLINK(\"http://x\",\"y\")");
    let draft = rows.iter().find(|row| row[1].ends_with("/draft")).unwrap();
    assert_eq!((draft[5].as_str(), draft[6].as_str()), ("true", "false"));
    let private = rows
        .iter()
        .find(|row| row[0].ends_with("/private"))
        .unwrap();
    assert_eq!(
        private[10],
        "blocked by robots.txt (Disallow: /private, \"really\")"
    );
}
