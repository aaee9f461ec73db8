//! Compares the output that a document shows with the output of a command.
//!
//! A terminal interleaves stdout and stderr in any order, so the shown lines must be some interleaving of the two, each complete
//! and in order. A line `…` stands for any number of lines, `…` inside a line for any text.

use std::collections::HashSet;

/// Whether the shown lines are an interleaving of both streams.
pub(crate) fn matches(shown: &str, stdout: &str, stderr: &str) -> bool {
    let lines = |text: &str| text.lines().map(normalized).collect::<Vec<_>>();
    let (shown, out, err) = (lines(shown), lines(stdout), lines(stderr));
    let mut tried = HashSet::new();
    let mut pending = vec![(0, 0, 0)];
    while let Some(state) = pending.pop() {
        if !tried.insert(state) {
            continue;
        }
        let (at, in_out, in_err) = state;
        let (next_out, next_err) = (out.get(in_out), err.get(in_err));
        match shown.get(at) {
            None if next_out.is_none() && next_err.is_none() => return true,
            None => {}
            Some(line) if line.trim() == "…" => {
                pending.push((at + 1, in_out, in_err));
                if next_out.is_some() {
                    pending.push((at, in_out + 1, in_err));
                }
                if next_err.is_some() {
                    pending.push((at, in_out, in_err + 1));
                }
            }
            Some(line) => {
                if next_out.is_some_and(|other| line_matches(line, other)) {
                    pending.push((at + 1, in_out + 1, in_err));
                }
                if next_err.is_some_and(|other| line_matches(line, other)) {
                    pending.push((at + 1, in_out, in_err + 1));
                }
            }
        }
    }
    false
}

/// Whether a line matches the shown one, in which `…` stands for any text.
fn line_matches(shown: &str, line: &str) -> bool {
    let Some((head, tail)) = shown.split_once('…') else {
        return shown == line;
    };
    let Some(rest) = line.strip_prefix(head) else {
        return false;
    };
    (0..=rest.len())
        .filter(|index| rest.is_char_boundary(*index))
        .any(|index| line_matches(tail, &rest[index..]))
}

/// A line with `#` for what differs between runs: durations, rates, ids, dates.
fn normalized(line: &str) -> String {
    let mut plain = String::new();
    let mut rest = line.trim_end();
    while let Some(start) = rest.find(|c: char| c.is_ascii_hexdigit()) {
        let (before, word) = rest.split_at(start);
        plain.push_str(before);
        let in_word = before
            .chars()
            .next_back()
            .or_else(|| plain.chars().next_back());
        let end = word
            .find(|c: char| !(c.is_ascii_alphanumeric() || ".,:-".contains(c)))
            .unwrap_or(word.len());
        let (word, after) = word.split_at(end.max(1));
        let starts_word = !in_word.is_some_and(|c| c.is_alphanumeric() || c == '/');
        plain.push_str(if starts_word {
            normalized_word(word, after)
        } else {
            word
        });
        rest = after;
    }
    plain.push_str(rest);
    plain
}

/// `#` for a word that differs between runs, otherwise the word itself.
fn normalized_word<'a>(word: &'a str, after: &str) -> &'a str {
    let number = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || ".,".contains(c))
    };
    let digits = word.chars().filter(char::is_ascii_digit).count();
    if number(word)
        && (after.starts_with(" s") || after.starts_with(" ms") || after.starts_with("/s"))
    {
        return "#";
    }
    let is_id = word.len() == 36 && word.chars().filter(|c| *c == '-').count() == 4;
    let is_date = digits >= 8
        && word.len() >= 10
        && word[4..].starts_with('-')
        && word[..4].chars().all(|c| c.is_ascii_digit());
    if is_id || is_date {
        return "#";
    }
    word
}

#[test]
fn shown_output_is_compared_as_a_reader_would() {
    let out = "one\ntwo\nthree\n";
    assert!(matches("one\ntwo\nthree\n", out, ""));
    assert!(matches("one\n…\n", out, "noise\n"));
    assert!(matches("warning\none\ntwo\nthree\n", out, "warning\n"));
    assert!(matches("one\ntwo\nwarning\nthree\n", out, "warning\n"));
    assert!(matches("…\nt…e\n", out, ""));
    assert!(!matches("one\nthree\n", out, ""));
    assert!(!matches("one\ntwo\nthree\n", out, "warning\n"));
    assert!(!matches("two\none\nthree\n", out, ""));
}

#[test]
fn times_ids_and_dates_are_not_compared() {
    let same = |one: &str, other: &str| matches(one, other, "");
    assert!(same(
        "9 pages in 0.1 s (68/s): 7 fetched",
        "9 pages in 12.5 s (1/s): 7 fetched"
    ));
    assert!(!same(
        "9 pages in 0.1 s (68/s): 7 fetched",
        "8 pages in 0.1 s (68/s): 7 fetched"
    ));
    assert!(same(
        "{\"id\":\"0193f0a1-0000-7000-8000-000000000000\",\"at\":\"2026-11-17T10:00:00Z\"}",
        "{\"id\":\"0193f0a1-3333-7444-8555-abcdefabcdef\",\"at\":\"2027-01-01T23:59:59.5Z\"}"
    ));
    assert!(!same("{\"depth\":1}", "{\"depth\":2}"));
}
