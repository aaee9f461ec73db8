//! Regular expressions on URLs.
//!
//! Patterns of the user who runs the program are a [`RegexSet`]. Patterns that a caller sends to a service must not cost others
//! their time, so each is compiled completely, to an automaton of limited size: matching takes one step per byte, whatever the
//! pattern and the URL. A pattern whose automaton would be larger is refused. What is refused does not depend on the speed of the
//! machine. Unicode classes are off, because they are large and URLs are ASCII.

use std::sync::Arc;

use regex::RegexSet;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::syntax;
use regex_automata::{Input, MatchKind};

use crate::pattern_syntax::{TOO_COMPLEX, invalid_syntax};

/// Patterns whose automata would be too large together.
const TOO_COMPLEX_TOGETHER: &str =
    "the patterns together are too complex; use fewer or simpler ones";

/// Whether patterns are limited in size.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PatternLimits {
    /// Only as the `regex` crate does by default: the patterns of the user who runs the program.
    #[default]
    Default,
    /// Compiling and matching take little time and memory, whatever the patterns: those of a caller.
    Strict,
}

/// Why a pattern cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{reason}")]
pub struct PatternError {
    /// Position of the pattern.
    pub position: usize,
    /// What is wrong, in one line.
    pub reason: String,
}

/// A list of patterns. A URL matches if one of them does.
#[derive(Clone, Default, Debug)]
pub struct UrlPatterns(Compiled);

#[derive(Clone, Default, Debug)]
enum Compiled {
    #[default]
    None,
    Set(RegexSet),
    Automata(Arc<[dense::DFA<Vec<u32>>]>),
}

impl UrlPatterns {
    /// Maximum total size of the patterns of a list with strict limits, in bytes.
    pub const MAX_BYTES: usize = 10_000;
    /// Maximum size of the automaton of one pattern.
    const MAX_AUTOMATON_BYTES: usize = 128 << 10;
    /// Maximum size of an automaton of all patterns.
    const MAX_COMBINED_BYTES: usize = 512 << 10;
    /// Maximum size of all automata of a list.
    const MAX_TOTAL_BYTES: usize = 1 << 20;

    /// Compiles patterns.
    pub fn compile<S: AsRef<str>>(
        patterns: &[S],
        limits: PatternLimits,
    ) -> Result<Self, PatternError> {
        if patterns.is_empty() {
            return Ok(Self::default());
        }
        Ok(Self(match limits {
            PatternLimits::Default => Compiled::Set(regex_set(patterns)?),
            PatternLimits::Strict => Compiled::Automata(automata(patterns)?.into()),
        }))
    }

    /// Whether there are no patterns.
    #[inline]
    pub fn is_empty(&self) -> bool {
        matches!(self.0, Compiled::None)
    }

    /// Whether a URL matches one of the patterns.
    #[inline]
    pub fn is_match(&self, url: &str) -> bool {
        // Most crawls have none.
        !self.is_empty() && self.matches(url)
    }

    #[inline(never)]
    fn matches(&self, url: &str) -> bool {
        match &self.0 {
            Compiled::None => false,
            Compiled::Set(set) => set.is_match(url),
            Compiled::Automata(automata) => {
                let input = Input::new(url).earliest(true);
                // A search fails only for bytes that an automaton was told to stop at: none here.
                let matches =
                    |dfa: &dense::DFA<_>| matches!(dfa.try_search_fwd(&input), Ok(Some(_)));
                automata.iter().any(matches)
            }
        }
    }

    /// Memory of the compiled patterns with strict limits, in bytes.
    pub fn memory(&self) -> usize {
        match &self.0 {
            Compiled::None | Compiled::Set(_) => 0,
            Compiled::Automata(automata) => automata.iter().map(dense::DFA::memory_usage).sum(),
        }
    }

    /// How many times a URL is read to match it.
    pub fn passes(&self) -> usize {
        match &self.0 {
            Compiled::None => 0,
            Compiled::Set(_) => 1,
            Compiled::Automata(automata) => automata.len(),
        }
    }
}

fn regex_set<S: AsRef<str>>(patterns: &[S]) -> Result<RegexSet, PatternError> {
    if let Ok(set) = RegexSet::new(patterns) {
        return Ok(set);
    }
    // The error of a set does not always name the pattern.
    for (position, pattern) in patterns.iter().enumerate() {
        let pattern = pattern.as_ref();
        if RegexSet::new([pattern]).is_err() {
            let reason = invalid_syntax(pattern, PatternLimits::Default);
            let reason = reason.unwrap_or_else(|| TOO_COMPLEX.to_owned());
            return Err(PatternError { position, reason });
        }
    }
    Err(PatternError {
        position: 0,
        reason: TOO_COMPLEX_TOGETHER.to_owned(),
    })
}

/// One automaton for all patterns if it is small enough, else one for each.
fn automata<S: AsRef<str>>(patterns: &[S]) -> Result<Vec<dense::DFA<Vec<u32>>>, PatternError> {
    let mut bytes = 0;
    for (position, pattern) in patterns.iter().enumerate() {
        let pattern = pattern.as_ref();
        bytes += pattern.len();
        let reason = if bytes > UrlPatterns::MAX_BYTES {
            Some(format!(
                "the patterns together exceed the {}-byte limit",
                UrlPatterns::MAX_BYTES
            ))
        } else {
            invalid_syntax(pattern, PatternLimits::Strict)
        };
        if let Some(reason) = reason {
            return Err(PatternError { position, reason });
        }
    }
    let patterns: Vec<&str> = patterns.iter().map(AsRef::as_ref).collect();
    if let [_, _, ..] = patterns.as_slice()
        && let Ok(all) = automaton(&patterns, UrlPatterns::MAX_COMBINED_BYTES)
    {
        return Ok(vec![all]);
    }
    let mut left = UrlPatterns::MAX_TOTAL_BYTES;
    let mut compiled = Vec::with_capacity(patterns.len());
    for (position, pattern) in patterns.into_iter().enumerate() {
        let max = UrlPatterns::MAX_AUTOMATON_BYTES.min(left);
        // With valid syntax, only its size can be the problem.
        let dfa = automaton(&[pattern], max).map_err(|_| PatternError {
            position,
            reason: if max == left {
                TOO_COMPLEX_TOGETHER.to_owned()
            } else {
                TOO_COMPLEX.to_owned()
            },
        })?;
        left = left.saturating_sub(dfa.memory_usage());
        compiled.push(dfa);
    }
    Ok(compiled)
}

fn automaton(
    patterns: &[&str],
    max_bytes: usize,
) -> Result<dense::DFA<Vec<u32>>, Box<dense::BuildError>> {
    let config = dense::Config::new()
        .match_kind(MatchKind::LeftmostFirst)
        .start_kind(StartKind::Unanchored)
        .dfa_size_limit(Some(max_bytes))
        .determinize_size_limit(Some(max_bytes));
    let syntax = syntax::Config::new().unicode(false).utf8(false);
    let nfa = thompson::Config::new()
        .utf8(false)
        .which_captures(WhichCaptures::None)
        .nfa_size_limit(Some(max_bytes));
    dense::Builder::new()
        .configure(config)
        .syntax(syntax)
        .thompson(nfa)
        .build_many(patterns)
        .map_err(Box::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strict(patterns: &[&str]) -> Result<UrlPatterns, PatternError> {
        UrlPatterns::compile(patterns, PatternLimits::Strict)
    }

    #[test]
    fn strict_patterns_match_like_others() {
        let urls = [
            "https://example.org/",
            "https://example.org/blog/2024/05/a-post.html?page=2",
            "https://example.org/shop/item.PDF",
            "https://example.org/%C3%A9t%C3%A9/?q=a+b&session=0123456789abcdef",
            "http://example.org:8080/a/b/c/d/",
        ];
        for patterns in [
            &["/blog/"][..],
            &[r"\.pdf$"],
            &[r"(?i)\.pdf$", "/blog/"],
            &[r"^https://example\.org/[^/]*/\d{4}/\d{2}/.*\.html", "^$"],
            &[r"session=[0-9a-f]{16}", r"\bitem\b"],
            &[r"^https?://[\w.]+(:\d+)?/$", "(a|b)/(c|d)/", "x|y|z"],
            &["", "never"],
            &["été"],
        ] {
            let (strict, default) = (
                strict(patterns).unwrap(),
                UrlPatterns::compile(patterns, PatternLimits::Default).unwrap(),
            );
            for url in urls {
                assert_eq!(
                    strict.is_match(url),
                    default.is_match(url),
                    "{patterns:?} {url}"
                );
            }
        }
    }

    #[test]
    fn what_would_be_expensive_is_refused() {
        let nested = format!("{}a{}", "(".repeat(400), ")".repeat(400));
        let long = "a".repeat(UrlPatterns::MAX_BYTES + 1);
        for (pattern, reason) in [
            (r"\w{1000}{100}", "too complex"),
            ("(a{1000}){1000}", "too complex"),
            ("((a{100}){100}){100}", "too complex"),
            ("(a|b)*a(a|b){30}", "too complex"),
            ("[ab]*a[ab]{900}", "too complex"),
            (r"(?u)\w+", "the flag u is not allowed"),
            (r"(?i-u:a(?u:\pL))", "the flag u is not allowed"),
            (r"\pL", "Unicode"),
            (&nested, "nest"),
            (&long, "exceed the 10000-byte limit"),
            ("(", "( has no closing )"),
        ] {
            let error = strict(&["/fine/", pattern]).unwrap_err();
            assert_eq!(error.position, 1, "{pattern}");
            assert!(error.reason.contains(reason), "{pattern}: {error}");
            assert!(!error.reason.contains('\n'), "{error}");
        }
    }

    #[test]
    fn many_usual_patterns_are_accepted() {
        let sections: Vec<String> = (0..100)
            .map(|number| format!(r"^https://example\.org/section-{number}/.*\.html$"))
            .collect();
        let compiled = UrlPatterns::compile(&sections, PatternLimits::Strict).unwrap();
        assert!(compiled.is_match("https://example.org/section-99/a.html"));
        assert!(!compiled.is_match("https://example.org/section-100/a.htm"));
    }

    #[test]
    fn the_total_size_is_limited() {
        let patterns: Vec<String> = (0..100)
            .map(|number| format!("{number}(a|b)*a(a|b){{8}}c"))
            .collect();
        let error = UrlPatterns::compile(&patterns, PatternLimits::Strict).unwrap_err();
        assert!(error.position > 0);
        assert!(error.reason.contains("together"), "{error}");
    }
}
