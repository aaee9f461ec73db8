//! Formats counts for messages: `1 page`, `2 pages`, `1,234 links`, `2 retries`.

/// Formats a count with its noun, which is given in the singular.
pub fn counted(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    let mut text = grouped(count);
    text.push(' ');
    if count == 1 {
        text.push_str(noun);
    } else {
        push_plural(&mut text, noun);
    }
    text
}

/// Formats a number with thousands separators: `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn push_plural(text: &mut String, noun: &str) {
    let has_ending = |endings: &[&str]| endings.iter().any(|ending| noun.ends_with(ending));
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => {
            text.push_str(stem);
            text.push_str("ies");
        }
        _ => {
            text.push_str(noun);
            text.push_str(if has_ending(&["s", "x", "ch", "sh"]) {
                "es"
            } else {
                "s"
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_agree_with_their_noun() {
        for (count, noun, expected) in [
            (0, "page", "0 pages"),
            (1, "page", "1 page"),
            (2, "known URL", "2 known URLs"),
            (1_234, "link", "1,234 links"),
            (1, "retry", "1 retry"),
            (2, "retry", "2 retries"),
            (2, "key", "2 keys"),
            (2, "match", "2 matches"),
        ] {
            assert_eq!(counted(count, noun), expected);
        }
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(grouped),
            ["0", "999", "1,000", "1,234,567"]
        );
    }
}
