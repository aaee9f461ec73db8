//! The URLs of a command line: typed, or one a line on stdin.
//!
//! What is typed is checked before anything is fetched. What comes on stdin is checked as it comes: a line
//! that is no URL costs that line only.

use std::io::{BufRead, Read};

use engine::{Stop, StopLevel};
use fetch::Asked;
use futures_util::{Stream, stream};
use tokio::sync::mpsc;

use crate::typed_hosts::TypedHosts;

/// Longest line of stdin that can be a URL.
const LONGEST_LINE: u64 = 64 * 1024;

/// How much is shown of what is no URL.
const LONGEST_SHOWN: usize = 200;

/// One URL to be had, or why it is none.
#[derive(Debug)]
pub(super) struct Given {
    /// As it was given.
    pub(super) typed: String,
    /// As it is asked for.
    pub(super) asked: Result<Asked, String>,
}

/// Where URLs come from, in their order.
#[derive(Debug)]
enum Source {
    Typed(Asked),
    Stdin,
}

/// All that was given.
#[derive(Debug)]
pub(super) struct GivenUrls(Vec<Source>);

impl GivenUrls {
    /// Checks what was typed; `-` is stdin.
    pub(super) fn check(typed: &[String]) -> Result<Self, String> {
        let stdins = typed.iter().filter(|word| *word == "-").count();
        if stdins > 1 {
            return Err("<URL>: - is given twice; stdin can be read once".into());
        }
        let check = |word: &String| match word.as_str() {
            "-" => Ok(Source::Stdin),
            word => Asked::parse(word)
                .map(Source::Typed)
                .map_err(|error| format!("<URL>: {}", naming(word, &error.to_string()))),
        };
        Ok(Self(typed.iter().map(check).collect::<Result<_, _>>()?))
    }

    /// Whether there can be more than one page.
    pub(super) fn may_be_several(&self) -> bool {
        !matches!(self.0.as_slice(), [Source::Typed(_)])
    }

    /// The hosts that were typed. What comes on stdin was as often written by somebody else, and is not among them.
    pub(super) fn hosts(&self) -> TypedHosts {
        let typed = self.0.iter().filter_map(|source| match source {
            Source::Typed(asked) => Some(&asked.url),
            Source::Stdin => None,
        });
        TypedHosts::of(typed)
    }

    /// The URLs, until there is none or an end is asked for.
    pub(super) fn stream(self, stop: Stop) -> impl Stream<Item = Given> {
        let (send, receive) = mpsc::channel(1);
        // Reading stdin blocks and cannot be called off, so it has a thread that nobody waits for.
        std::thread::spawn(move || {
            for source in self.0 {
                let gone = match source {
                    Source::Typed(asked) => send.blocking_send(typed(asked)).is_err(),
                    Source::Stdin => read_stdin(&send).is_err(),
                };
                if gone {
                    return;
                }
            }
        });
        stream::unfold((receive, stop), async |(mut receive, stop)| {
            let given = tokio::select! {
                biased;
                () = stop.reached(StopLevel::Drain) => None,
                given = receive.recv() => given,
            };
            given.map(|given| (given, (receive, stop)))
        })
    }
}

/// An error's words with the URL they are about, for there may be several.
fn naming(typed: &str, words: &str) -> String {
    let shown = without_secrets(typed);
    if words.contains(&shown) {
        return words.to_owned();
    }
    format!("\"{shown}\": {words}")
}

/// What was typed, without what stands before an `@`, and not all of it if it is long.
fn without_secrets(typed: &str) -> String {
    let start = typed.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = typed.split_at(start);
    // Only what stands before the path can be a password.
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let shown = format!("{scheme}{host}{path}");
    shown.chars().take(LONGEST_SHOWN).collect()
}

fn typed(asked: Asked) -> Given {
    Given {
        typed: asked.url.to_string(),
        asked: Ok(asked),
    }
}

/// Nobody listens any more.
struct Gone;

/// Sends every line of stdin; blank lines and those that begin with # are passed over.
fn read_stdin(send: &mpsc::Sender<Given>) -> Result<(), Gone> {
    let mut stdin = std::io::stdin().lock();
    for number in 1_u64.. {
        let mut line = Vec::new();
        let asked = match stdin
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
        {
            Ok(0) => break,
            Ok(_) if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") => {
                // The rest of the line is not another URL.
                if stdin.skip_until(b'\n').is_err() {
                    break;
                }
                Err(format!("line {number} of stdin is too long to be a URL"))
            }
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                let text = text.trim_start_matches('\u{feff}').trim();
                if text.is_empty() || text.starts_with('#') {
                    continue;
                }
                Asked::parse(text).map_err(|error| {
                    let words = naming(text, &error.to_string());
                    format!("line {number} of stdin: {words}")
                })
            }
            Err(error) => Err(format!("stdin cannot be read: {error}")),
        };
        let failed = asked.is_err();
        let given = Given {
            // A stdin that cannot be read has no line to name.
            typed: match without_secrets(String::from_utf8_lossy(&line).trim()) {
                nothing if nothing.is_empty() => "-".to_owned(),
                typed => typed,
            },
            asked,
        };
        send.blocking_send(given).map_err(|_| Gone)?;
        if failed && line.is_empty() {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        for (typed, shown) in [
            ("http://me:secret@example.org/", "http://example.org/"),
            ("me:secret@example.org", "example.org"),
            ("ftp://example.org/", "ftp://example.org/"),
            ("nothing", "nothing"),
            ("foo/@bar", "foo/@bar"),
        ] {
            assert_eq!(without_secrets(typed), shown);
        }
    }
}
