//! What is wrong with the syntax of a pattern, in words for the person or program that wrote it.
//!
//! The messages of the regex crates are written for Rust programmers, span several lines and change between versions.

use regex_syntax::ast::{self, Ast, ErrorKind, Flag, GroupKind, Span};
use regex_syntax::hir::{self, translate::TranslatorBuilder};

use crate::PatternLimits;

/// Maximum depth of groups in each other in patterns of a caller.
const MAX_NESTING: u32 = 50;

/// A pattern whose automaton, or program, would be too large.
pub(crate) const TOO_COMPLEX: &str =
    "it is too complex; avoid large counts such as {100}, or split it into several patterns";

/// Returns what is wrong with the syntax of a pattern.
pub(crate) fn invalid_syntax(pattern: &str, limits: PatternLimits) -> Option<String> {
    let is_strict = limits == PatternLimits::Strict;
    let mut parser = ast::parse::ParserBuilder::new();
    if is_strict {
        parser.nest_limit(MAX_NESTING);
    }
    let tree = match parser.build().parse(pattern) {
        Ok(tree) => tree,
        Err(error) => return Some(at(pattern, *error.span(), parse_error(error.kind()))),
    };
    // Before anything is built from it: Unicode classes are large.
    if is_strict && let Err(reason) = ast::visit(&tree, UnicodeFlag) {
        return Some(reason);
    }
    let mut translator = TranslatorBuilder::new();
    if is_strict {
        translator.unicode(false).utf8(false);
    }
    let error = translator.build().translate(pattern, &tree).err()?;
    Some(at(pattern, *error.span(), translate_error(error.kind())))
}

/// A message with the position in the pattern, counted in characters from 1.
fn at(pattern: &str, span: Span, message: &str) -> String {
    let before = pattern.get(..span.start.offset).unwrap_or(pattern);
    format!("at character {}: {message}", before.chars().count() + 1)
}

fn parse_error(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::GroupUnclosed => "( has no closing )",
        ErrorKind::GroupUnopened => ") has no opening (",
        ErrorKind::ClassUnclosed => "[ has no closing ]",
        ErrorKind::RepetitionMissing => "there is nothing before *, +, ? or { that it could repeat",
        ErrorKind::RepetitionCountUnclosed
        | ErrorKind::RepetitionCountDecimalEmpty
        | ErrorKind::DecimalEmpty => "{ must begin a count such as {2} or {2,5}",
        ErrorKind::RepetitionCountInvalid => "a count must not be larger than the one after it",
        ErrorKind::DecimalInvalid => "the number is too large",
        ErrorKind::ClassRangeInvalid => "the range ends before it begins; swap its ends",
        ErrorKind::ClassRangeLiteral => {
            "a range must have a single character at each end; write \\- for a hyphen"
        }
        ErrorKind::ClassEscapeInvalid => "this escape is not allowed between [ and ]",
        ErrorKind::EscapeUnexpectedEof => "there is nothing after \\",
        ErrorKind::EscapeUnrecognized => {
            "there is no such escape; a letter or digit stands for itself without \\"
        }
        ErrorKind::EscapeHexEmpty
        | ErrorKind::EscapeHexInvalid
        | ErrorKind::EscapeHexInvalidDigit => {
            "a character by its number must have the form \\x7F or \\x{7F}"
        }
        ErrorKind::FlagDanglingNegation
        | ErrorKind::FlagDuplicate { .. }
        | ErrorKind::FlagRepeatedNegation { .. }
        | ErrorKind::FlagUnexpectedEof
        | ErrorKind::FlagUnrecognized => {
            "after (? there must be flags such as i in (?i), or a name as in (?P<name>…)"
        }
        ErrorKind::GroupNameDuplicate { .. }
        | ErrorKind::GroupNameEmpty
        | ErrorKind::GroupNameInvalid
        | ErrorKind::GroupNameUnexpectedEof => {
            "the name of the group is not valid; groups need no names"
        }
        ErrorKind::NestLimitExceeded(_) => "groups are nested too deeply; use fewer levels",
        ErrorKind::CaptureLimitExceeded => "there are too many groups",
        ErrorKind::SpecialWordBoundaryUnclosed
        | ErrorKind::SpecialWordBoundaryUnrecognized
        | ErrorKind::SpecialWordOrRepetitionUnexpectedEof => {
            "after \\b{ there must be start}, end}, start-half} or end-half}"
        }
        ErrorKind::UnicodeClassInvalid => "the Unicode class is not valid",
        ErrorKind::UnsupportedBackreference => {
            "references such as \\1 to a group are not supported"
        }
        ErrorKind::UnsupportedLookAround => {
            "look-around such as (?=…) and (?!…) is not supported; combine include and exclude patterns"
        }
        _ => "the pattern is not valid here",
    }
}

fn translate_error(kind: &hir::ErrorKind) -> &'static str {
    match kind {
        hir::ErrorKind::UnicodeNotAllowed => {
            "Unicode classes are not allowed; URLs are ASCII, with other characters as %XX"
        }
        hir::ErrorKind::InvalidUtf8 => "it would match a part of a character",
        hir::ErrorKind::UnicodePropertyNotFound
        | hir::ErrorKind::UnicodePropertyValueNotFound
        | hir::ErrorKind::UnicodePerlClassNotFound => "there is no such Unicode class",
        _ => "the pattern is not valid here",
    }
}

/// Finds the flag that turns Unicode on again.
struct UnicodeFlag;

impl ast::Visitor for UnicodeFlag {
    type Output = ();
    type Err = String;

    fn finish(self) -> Result<(), String> {
        Ok(())
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), String> {
        let flags = match ast {
            Ast::Flags(set) => Some(&set.flags),
            Ast::Group(group) => match &group.kind {
                GroupKind::NonCapturing(flags) => Some(flags),
                GroupKind::CaptureIndex(_) | GroupKind::CaptureName { .. } => None,
            },
            _ => None,
        };
        if flags.and_then(|flags| flags.flag_state(Flag::Unicode)) == Some(true) {
            return Err("the flag u is not allowed: URLs are ASCII".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_the_position_and_are_ours() {
        for (pattern, expected) in [
            ("(", "at character 1: ( has no closing )"),
            ("été)", "at character 4: ) has no opening ("),
            ("a[b", "at character 2: [ has no closing ]"),
            ("*.pdf", "at character 1: there is nothing before"),
            ("a{,5}", "at character 3: { must begin a count"),
            ("a{5,2}", "at character 2: a count must not be larger"),
            ("[z-a]", "at character 2: the range ends before it begins"),
            (r"[\d-z]", "at character 2: a range must have"),
            (r"a\", "at character 2: there is nothing after"),
            (r"\y", "at character 1: there is no such escape"),
            (r"\xZZ", "at character 3: a character by its number"),
            ("(?y)", "at character 3: after (? there must be"),
            (r"(a)\1", "at character 4: references such as"),
            ("a(?=b)", "at character 2: look-around"),
        ] {
            for limits in [PatternLimits::Default, PatternLimits::Strict] {
                let reason = invalid_syntax(pattern, limits).expect(pattern);
                assert!(reason.starts_with(expected), "{pattern}: {reason}");
            }
        }
        let reason = invalid_syntax(r"\p{Nothing}", PatternLimits::Default);
        let expected = "at character 1: there is no such Unicode class";
        assert_eq!(reason.as_deref(), Some(expected));
        assert_eq!(
            invalid_syntax(r"^https?://[^/]+/\d{4}/", PatternLimits::Strict),
            None
        );
    }
}
