//! Every file yields a verdict, equal to that of a naive matcher, in bounded time.

#[path = "../../html/tests/hostile/stopwatch.rs"]
mod stopwatch;

use std::time::Duration;

use crawler_sitefiles::{Robots, RobotsMatch};
use proptest::prelude::*;

use stopwatch::Stopwatch;

/// A naive matcher: tries every split at each star.
fn naive_match(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => true,
        [b'$'] => path.is_empty(),
        [b'*', rest @ ..] => (0..=path.len()).any(|skip| naive_match(rest, &path[skip..])),
        [byte, rest @ ..] => path.first() == Some(byte) && naive_match(rest, &path[1..]),
    }
}

fn rules() -> impl Strategy<Value = Vec<(bool, String)>> {
    prop::collection::vec((any::<bool>(), "[/*][ab/*]{0,6}[$]?"), 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_yield_a_verdict(body in prop::collection::vec(any::<u8>(), 0..2000), path in ".{0,40}") {
        let robots = Robots::parse(&body, "crawler");
        prop_assert_eq!(robots.allows(&path), !matches!(robots.match_for(&path), RobotsMatch::DisallowedBy(_)));
    }

    #[test]
    fn any_lines_yield_a_verdict(
        lines in prop::collection::vec("(user-agent|allow|disallow|crawl-delay|sitemap|x)[ :]{0,2}.{0,20}", 0..20),
        path in "/[ -~]{0,20}",
    ) {
        let robots = Robots::parse(lines.join("\n").as_bytes(), "crawler");
        let _ = (robots.match_for(&path), robots.crawl_delay(), robots.sitemaps().len());
    }

    #[test]
    fn a_pattern_matches_like_the_naive_matcher(pattern in "/[ab*]{0,10}[$]?", path in "/[ab]{0,12}") {
        let body = format!("User-agent: *\nDisallow: {pattern}\n");
        let forbidden = !Robots::parse(body.as_bytes(), "crawler").allows(&path);
        prop_assert_eq!(forbidden, naive_match(pattern.as_bytes(), path.as_bytes()), "{} {}", pattern, path);
    }

    /// The longest rule that matches decides, and allows on a tie, whatever the order in the file.
    #[test]
    fn the_longest_rule_decides(rules in rules(), path in "/[ab/]{0,8}") {
        let lines = rules.iter().map(|(allows, pattern)| {
            format!("{}: {pattern}\n", if *allows { "Allow" } else { "Disallow" })
        });
        let body = format!("User-agent: *\n{}", lines.collect::<String>());
        let decided = rules
            .iter()
            .filter(|(_, pattern)| naive_match(pattern.as_bytes(), path.as_bytes()))
            .max_by_key(|(allows, pattern)| (pattern.len(), *allows))
            .is_none_or(|(allows, _)| *allows);
        prop_assert_eq!(Robots::parse(body.as_bytes(), "crawler").allows(&path), decided, "{}{}", body, path);
    }
}

/// Shapes that make a careless parser or matcher quadratic or worse.
#[test]
fn hostile_files_are_read_and_matched_in_bounded_time() {
    let agent = "User-agent: *\n";
    let bodies = [
        format!("{agent}Disallow: /{}b$\n", "*a".repeat(1_000_000)),
        format!(
            "{agent}{}",
            "Disallow: /*a*a*a*a*a*a*a*a*a*ab\n".repeat(20_000)
        ),
        format!("{agent}{}", "Disallow: /a\n".repeat(50_000)),
        format!("{agent}Disallow: /{}\n", "%61".repeat(1_000_000)),
        "User-agent: a\n".repeat(50_000),
        "\n".repeat(2_000_000),
        ":".repeat(2_000_000),
        format!("{agent}Disallow: {}x", " ".repeat(2_000_000)),
    ];
    let path = format!("/{}", "a".repeat(10_000));
    for body in bodies {
        let started = Stopwatch::start();
        let robots = Robots::parse(body.as_bytes(), "crawler");
        let _ = robots.match_for(&path);
        let shape: String = body.chars().take(40).collect();
        assert!(
            started.elapsed() < Duration::from_secs(5),
            "{shape}: {:?}",
            started.elapsed()
        );
    }
}
