//! Rewrites three older command lines into the current one before clap parses it. No other module handles them.
//!
//! | typed | means |
//! |---|---|
//! | any single-dash long flag (`-url U -workers 8`) | `--url U --workers 8 --profile exhaustive`; `-format json` is `--format ndjson` |
//! | `U --output text\|json [--output-file F]` | `--format tree\|json`, into F, by default `output.txt` / `output.json` |
//! | `--url U --max-parallel N` and no format | `--format edges` |
//! | `--mode=api` and no command | `serve --mode=api` |
//!
//! A command line without a command runs `crawl`.

use std::ffi::OsString;

use clap::Command;

/// Returns the command line for clap.
pub(crate) fn rewrite(typed: Vec<OsString>, cli: &Command) -> Vec<OsString> {
    let mut words = typed.into_iter();
    let mut line: Vec<OsString> = words.next().into_iter().collect();
    let mut rest: Vec<OsString> = words.collect();
    if is_help_or_version(rest.first()) {
        line.append(&mut rest);
        return line;
    }
    let at = first_word(&rest, cli).filter(|at| is_command(&rest[*at], cli));
    let command = match at {
        Some(at) => rest.remove(at),
        None if has_mode(&mut rest) => OsString::from("serve"),
        None => OsString::from("crawl"),
    };
    if command == "crawl"
        && let Some(crawl) = cli.find_subcommand("crawl")
    {
        rest = crawl_dialects(rest, crawl);
    }
    line.push(command);
    line.append(&mut rest);
    line
}

/// Whether there is a flag `--mode`, or `-mode`, which is rewritten to `--mode`.
fn has_mode(words: &mut [OsString]) -> bool {
    let flags = words.iter_mut().take_while(|word| *word != "--");
    let mut found = false;
    for word in flags {
        let Some(text) = word.to_str() else { continue };
        let dashes = text.len() - text.trim_start_matches('-').len();
        let name = text[dashes..].split('=').next().unwrap_or_default();
        if name == "mode" && (1..=2).contains(&dashes) {
            found = true;
            if dashes == 1 {
                *word = OsString::from(format!("-{text}"));
            }
        }
    }
    found
}

fn is_help_or_version(first: Option<&OsString>) -> bool {
    first.is_none_or(|word| {
        ["-h", "--help", "-help", "-V", "--version", "help"]
            .iter()
            .any(|known| word == known)
    })
}

/// Position of the first word that is neither a flag nor a flag's value.
fn first_word(words: &[OsString], cli: &Command) -> Option<usize> {
    let crawl = cli.find_subcommand("crawl")?;
    let mut at = 0;
    while let Some(text) = words.get(at)?.to_str() {
        let Some(flag) = text.strip_prefix('-').filter(|flag| !flag.is_empty()) else {
            return Some(at);
        };
        if flag == "-" {
            return None;
        }
        let name = flag.strip_prefix('-').unwrap_or(flag);
        let wants_value = !name.contains('=') && takes_value(crawl, name).unwrap_or(false);
        at += if wants_value { 2 } else { 1 };
    }
    None
}

/// Error message for a first word that is neither a command nor similar to a URL: a mistyped command.
pub(crate) fn unknown_command(typed: &[OsString], cli: &Command) -> Option<String> {
    let word = typed.get(1)?.to_str()?;
    let like_a_url = word.starts_with('-') || word.contains(['.', ':', '/']) || word == "localhost";
    if word.is_empty() || like_a_url || is_command(&typed[1], cli) {
        return None;
    }
    let names: Vec<&str> = cli
        .get_subcommands()
        .map(Command::get_name)
        .filter(|name| *name != "help")
        .collect();
    let meant = names.iter().find(|name| is_near(word, name));
    Some(match meant {
        Some(meant) => {
            format!("\"{word}\" is not a command or a URL; did you mean \"{meant}\"?")
        }
        None => format!(
            "\"{word}\" is not a command or a URL; use a URL like https://example.org/, or one of: {}",
            names.join(", ")
        ),
    })
}

/// Whether the two differ by one letter added, missing, wrong or swapped.
fn is_near(typed: &str, name: &str) -> bool {
    let common = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
        a.zip(b).take_while(|(a, b)| a == b).count()
    };
    let start = common(&mut typed.chars(), &mut name.chars());
    let end = common(&mut typed.chars().rev(), &mut name.chars().rev());
    let longer = typed.chars().count().max(name.chars().count());
    start + end + 2 >= longer && start + end > 0 && name.len().abs_diff(typed.len()) <= 1
}

fn is_command(word: &OsString, cli: &Command) -> bool {
    cli.get_subcommands()
        .any(|command| word == command.get_name())
        || word == "help"
}

fn crawl_dialects(words: Vec<OsString>, crawl: &Command) -> Vec<OsString> {
    let (words, single_dash) = with_double_dashes(words, crawl);
    let mut line = Line(words);
    line.spell_out("--strip-fragments", &["true", "false"]);
    if single_dash {
        if line.value_of("--format").as_deref() == Some("json") {
            line.set("--format", "ndjson");
        }
        if !line.has("--profile") {
            line.add("--profile", "exhaustive");
        }
    }
    if let Some(output) = line.value_of("--output") {
        let (format, file) = match output.as_str() {
            "text" => ("tree", "output.txt"),
            "json" => ("json", "output.json"),
            // Left for clap to reject with the possible values.
            _ => return line.0,
        };
        line.remove("--output");
        line.add("--format", format);
        let names = ["--output-file", "-o", "--outputPath", "--output-path"];
        if !names.iter().any(|flag| line.has(flag)) && !line.has_short("-o") {
            line.add("--output-file", file);
        }
    }
    if line.has("--url") && line.has("--max-parallel") && !line.has("--format") {
        line.add("--format", "edges");
    }
    line.0
}

/// Rewrites `-name` and `-name=value` to `--name…` if `name` is a flag of the command. Values are not changed.
fn with_double_dashes(words: Vec<OsString>, crawl: &Command) -> (Vec<OsString>, bool) {
    let mut found = false;
    let mut is_value = false;
    let mut only_values = false;
    let rewritten = words
        .into_iter()
        .map(|word| {
            let Some(text) = word.to_str().filter(|_| !is_value && !only_values) else {
                is_value = false;
                return word;
            };
            if text == "--" {
                only_values = true;
                return word;
            }
            let (flag, inline_value) = match text.split_once('=') {
                Some((flag, _)) => (flag, true),
                None => (text, false),
            };
            let single = flag
                .strip_prefix('-')
                .filter(|name| name.len() > 1 && !name.starts_with('-'))
                .filter(|name| takes_value(crawl, name).is_some());
            let name = single
                .or_else(|| flag.strip_prefix("--"))
                .or_else(|| flag.strip_prefix('-'));
            is_value = !inline_value
                && name
                    .and_then(|name| takes_value(crawl, name))
                    .unwrap_or(false);
            if single.is_some() {
                found = true;
                return OsString::from(format!("-{text}"));
            }
            word
        })
        .collect();
    (rewritten, found)
}

/// Whether the flag with this name (long, alias or short) takes a value; `None` if there is no such flag.
fn takes_value(command: &Command, name: &str) -> Option<bool> {
    if name == "output" {
        return Some(true);
    }
    if name == "help" {
        return Some(false);
    }
    command
        .get_arguments()
        .find(|arg| {
            arg.get_long() == Some(name)
                || arg
                    .get_all_aliases()
                    .is_some_and(|aliases| aliases.contains(&name))
                || (name.len() == 1 && arg.get_short() == name.chars().next())
        })
        .map(|arg| arg.get_action().takes_values())
}

/// A command line being edited.
struct Line(Vec<OsString>);

impl Line {
    /// Position of a flag: alone, or as `flag=value`.
    fn position(&self, flag: &str) -> Option<usize> {
        let end = self
            .0
            .iter()
            .position(|word| word == "--")
            .unwrap_or(self.0.len());
        self.0[..end].iter().position(|word| {
            word.to_str().is_some_and(|word| {
                word.strip_prefix(flag)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
            })
        })
    }

    fn has(&self, flag: &str) -> bool {
        self.position(flag).is_some()
    }

    /// A short flag with its value attached: `-oFILE`.
    fn has_short(&self, flag: &str) -> bool {
        self.0.iter().any(|word| {
            word.to_str()
                .is_some_and(|word| word.starts_with(flag) && word.len() > flag.len())
        })
    }

    /// Adds the first value to a flag without one, so that it does not take the next word as its value.
    fn spell_out(&mut self, flag: &str, values: &[&str]) {
        if let Some(at) = self.0.iter().position(|word| word == flag) {
            let next = self.0.get(at + 1).and_then(|word| word.to_str());
            let is_value = |next: &str| !next.starts_with('-') && !next.contains([':', '/', '.']);
            // A wrong value is left for clap to reject.
            if next.is_none_or(|next| !values.contains(&next) && !is_value(next)) {
                self.0[at] = OsString::from(format!("{flag}={}", values[0]));
            }
        }
    }

    fn value_of(&self, flag: &str) -> Option<String> {
        let at = self.position(flag)?;
        match self.0[at].to_str()?.split_once('=') {
            Some((_, value)) => Some(value.to_owned()),
            None => self.0.get(at + 1)?.to_str().map(str::to_owned),
        }
    }

    fn remove(&mut self, flag: &str) {
        if let Some(at) = self.position(flag) {
            let inline = self.0[at].to_str().is_some_and(|word| word.contains('='));
            let end = (at + if inline { 1 } else { 2 }).min(self.0.len());
            self.0.drain(at..end);
        }
    }

    /// Adds a flag at the front: after `--` it would be a positional argument.
    fn add(&mut self, flag: &str, value: &str) {
        self.0
            .splice(0..0, [OsString::from(flag), OsString::from(value)]);
    }

    fn set(&mut self, flag: &str, value: &str) {
        self.remove(flag);
        self.add(flag, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command as Verb, FormatChoice, ProfileChoice};
    use clap::{CommandFactory, Parser};

    fn rewritten(typed: &str) -> String {
        let words = typed.split_whitespace().map(OsString::from).collect();
        let line: Vec<String> = rewrite(words, &Cli::command())
            .into_iter()
            .map(|word| word.into_string().unwrap())
            .collect();
        line.join(" ")
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn rewrites() {
        for (typed, expected) in [
            ("crawler U", "crawler crawl U"),
            ("crawler crawl U", "crawler crawl U"),
            ("crawler map U", "crawler map U"),
            ("crawler -v map U", "crawler map -v U"),
            (
                "crawler --progress never map U",
                "crawler map --progress never U",
            ),
            (
                "crawler U --output json -ofoo",
                "crawler crawl --format json U -ofoo",
            ),
            ("crawler --help", "crawler --help"),
            ("crawler -V", "crawler -V"),
            ("crawler -q U", "crawler crawl -q U"),
            ("crawler -o f U", "crawler crawl -o f U"),
            (
                "crawler -url U",
                "crawler crawl --profile exhaustive --url U",
            ),
            (
                "crawler -url U -workers 16 -max-pages 100 -rate-ms 50",
                "crawler crawl --profile exhaustive --url U --workers 16 --max-pages 100 --rate-ms 50",
            ),
            (
                "crawler -url=U -format=json",
                "crawler crawl --profile exhaustive --format ndjson --url=U",
            ),
            (
                "crawler -url U -format text",
                "crawler crawl --profile exhaustive --url U --format text",
            ),
            (
                "crawler -url U -profile balanced",
                "crawler crawl --url U --profile balanced",
            ),
            ("crawler U --format json", "crawler crawl U --format json"),
            (
                "crawler U --output json",
                "crawler crawl --output-file output.json --format json U",
            ),
            (
                "crawler U --output=text",
                "crawler crawl --output-file output.txt --format tree U",
            ),
            (
                "crawler U --output text --output-file F",
                "crawler crawl --format tree U --output-file F",
            ),
            (
                "crawler --strip-fragments http://U",
                "crawler crawl --strip-fragments=true http://U",
            ),
            (
                "crawler --strip-fragments false U",
                "crawler crawl --strip-fragments false U",
            ),
            ("crawler U --output yaml", "crawler crawl U --output yaml"),
            (
                "crawler --url U --max-parallel 10",
                "crawler crawl --format edges --url U --max-parallel 10",
            ),
            (
                "crawler --url U --max-parallel 10 --format csv --outputPath P",
                "crawler crawl --url U --max-parallel 10 --format csv --outputPath P",
            ),
            (
                "crawler U --max-parallel 10",
                "crawler crawl U --max-parallel 10",
            ),
            (
                "crawler U --user-agent -url",
                "crawler crawl U --user-agent -url",
            ),
            ("crawler -vv U", "crawler crawl -vv U"),
            ("crawler -- -url", "crawler crawl -- -url"),
            ("crawler --mode=api", "crawler serve --mode=api"),
            ("crawler --mode worker", "crawler serve --mode worker"),
            ("crawler -mode=all", "crawler serve --mode=all"),
            (
                "crawler --config c.yaml --mode api",
                "crawler serve --config c.yaml --mode api",
            ),
            ("crawler serve --mode api", "crawler serve --mode api"),
        ] {
            assert_eq!(rewritten(typed), expected, "{typed}");
        }
    }

    #[test]
    fn mistyped_commands() {
        let message =
            |word: &str| unknown_command(&["crawler", word].map(OsString::from), &Cli::command());
        assert!(message("craw").unwrap().contains("did you mean \"crawl\""));
        assert!(message("mpa").unwrap().contains("did you mean \"map\""));
        assert!(
            message("frobnicate")
                .unwrap()
                .contains("one of: crawl, map")
        );
        for word in [
            "crawl",
            "map",
            "example.org",
            "http://a/",
            "localhost",
            "-v",
            "localhost:80",
            "",
        ] {
            assert_eq!(message(word), None, "{word}");
        }
    }

    #[test]
    fn clap_reads_the_result() {
        let line = rewrite(
            ["crawler", "-url", "http://a/", "-format", "json"]
                .map(OsString::from)
                .to_vec(),
            &Cli::command(),
        );
        let Verb::Crawl(args) = Cli::try_parse_from(line).unwrap().command else {
            panic!("not a crawl")
        };
        assert_eq!(args.site.seed.as_deref(), Some("http://a/"));
        assert_eq!(args.site.profile, ProfileChoice::Exhaustive);
        assert_eq!(args.format, FormatChoice::Ndjson);
    }
}
