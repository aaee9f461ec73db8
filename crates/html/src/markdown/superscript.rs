//! Superscripts and subscripts in plain characters: `x²`, `H₂O`, `10th`, `x^(n+1)`.

/// The replacement for superscript or subscript text, or `None` if it is written unchanged: reference marks
/// such as `*` and `†`, ordinal endings, and long texts.
pub(crate) fn script(text: &str, raised: bool) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > 16 {
        return None;
    }
    if raised && text.eq_ignore_ascii_case("tm") {
        return Some("™".to_owned());
    }
    let is_ending = matches!(
        text.to_ascii_lowercase().as_str(),
        "st" | "nd" | "rd" | "th" | "e" | "er" | "re" | "ère" | "ème" | "o" | "a" | "º" | "ª"
    );
    if raised && (is_ending || !text.contains(|letter: char| letter.is_alphanumeric())) {
        return None;
    }
    if let Some(exact) = text
        .chars()
        .map(|letter| exact(letter, raised))
        .collect::<Option<String>>()
    {
        return Some(exact);
    }
    let sign = if raised { '^' } else { '_' };
    Some(if text.chars().all(char::is_alphanumeric) {
        format!("{sign}{text}")
    } else {
        format!("{sign}({text})")
    })
}

fn exact(letter: char, raised: bool) -> Option<char> {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    const LOWERED: [char; 10] = ['₀', '₁', '₂', '₃', '₄', '₅', '₆', '₇', '₈', '₉'];
    if let Some(digit) = letter.to_digit(10) {
        let digits = if raised { RAISED } else { LOWERED };
        return digits.get(digit as usize).copied();
    }
    match (letter, raised) {
        ('+', true) => Some('⁺'),
        ('-' | '−', true) => Some('⁻'),
        ('=', true) => Some('⁼'),
        ('(', true) => Some('⁽'),
        (')', true) => Some('⁾'),
        ('n', true) => Some('ⁿ'),
        ('+', false) => Some('₊'),
        ('-' | '−', false) => Some('₋'),
        ('=', false) => Some('₌'),
        ('(', false) => Some('₍'),
        (')', false) => Some('₎'),
        _ => None,
    }
}
