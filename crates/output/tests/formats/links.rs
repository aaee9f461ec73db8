//! Unique links, and several sinks at once.

use crawler_model::LinkFilter;
use crawler_output::{Format, Target, Tee, UniqueLinks, sink};

use crate::fixture::{about, print, reports, run};

#[test]
fn every_distinct_printed_link_once_sorted() {
    let (target, memory) = Target::memory();
    run(
        &mut UniqueLinks::new(target, LinkFilter::default()),
        &reports(),
    );
    let output = memory.text();
    let lines: Vec<&str> = output.lines().collect();
    let mut expected = lines.clone();
    expected.sort_unstable();
    expected.dedup();
    assert_eq!(lines, expected);
    assert_eq!(lines.len(), 12);
    assert!(!output.contains('#') && !output.contains("mailto:"));
}

#[test]
fn a_tee_forwards_to_all() {
    let (text, text_memory) = Target::memory();
    let (links, links_memory) = Target::memory();
    let filter = LinkFilter::default();
    let mut tee = Tee(vec![
        sink(Format::Text, text, filter, about()),
        Box::new(UniqueLinks::new(links, filter)),
    ]);
    run(&mut tee, &reports());
    assert_eq!(text_memory.text(), print(Format::Text, filter, &reports()));
    assert!(!links_memory.text().is_empty());
}
