//! The URLs to scrape: arguments, or lines of stdin.
//!
//! Arguments are checked before anything is fetched. Lines of stdin are checked as they arrive: an invalid line fails only
//! that line.

use std::io::{BufRead, Read};

use crawler::wiring::GivenHosts;
use crawler_engine::{Stop, StopLevel};
use crawler_fetch::RequestedUrl;
use futures_util::{Stream, stream};
use tokio::sync::mpsc;

/// Maximum length of a line of stdin.
const MAX_LINE_BYTES: u64 = 64 * 1024;

/// Maximum length of an invalid URL in an error message.
const MAX_SHOWN_CHARS: usize = 200;

/// One URL to fetch, or why it is invalid.
#[derive(Debug)]
pub(super) struct Given {
    /// The URL as given.
    pub(super) typed: String,
    /// The parsed URL, or an error message.
    pub(super) url: Result<RequestedUrl, String>,
}

/// A source of URLs.
#[derive(Debug)]
enum Source {
    Argument(RequestedUrl),
    Stdin,
}

/// All sources, in the order given.
#[derive(Debug)]
pub(super) struct GivenUrls(Vec<Source>);

impl GivenUrls {
    /// Checks the arguments; `-` is stdin.
    pub(super) fn check(typed: &[String]) -> Result<Self, String> {
        let stdins = typed.iter().filter(|word| *word == "-").count();
        if stdins > 1 {
            return Err("<URL>: - is given more than once; stdin can be read only once".into());
        }
        let check = |word: &String| match word.as_str() {
            "-" => Ok(Source::Stdin),
            word => RequestedUrl::parse(word)
                .map(Source::Argument)
                .map_err(|error| format!("<URL>: {}", with_url(word, &error.to_string()))),
        };
        Ok(Self(typed.iter().map(check).collect::<Result<_, _>>()?))
    }

    /// Whether there can be more than one page.
    pub(super) fn may_be_several(&self) -> bool {
        !matches!(self.0.as_slice(), [Source::Argument(_)])
    }

    /// The hosts of the URLs given as arguments. Hosts from stdin are left out: that input is often not the user's own.
    pub(super) fn hosts(&self) -> GivenHosts {
        let typed = self.0.iter().filter_map(|source| match source {
            Source::Argument(requested) => Some(&requested.url),
            Source::Stdin => None,
        });
        GivenHosts::of(typed)
    }

    /// The URLs, until there are no more or a stop is requested.
    pub(super) fn stream(self, stop: Stop) -> impl Stream<Item = Given> {
        let (send, receive) = mpsc::channel(1);
        // Reading stdin blocks and cannot be canceled, so it has its own detached thread.
        std::thread::spawn(move || {
            for source in self.0 {
                let closed = match source {
                    Source::Argument(requested) => send.blocking_send(given(requested)).is_err(),
                    Source::Stdin => read_stdin(&send).is_err(),
                };
                if closed {
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

/// An error message that names its URL.
fn with_url(typed: &str, message: &str) -> String {
    let shown = without_secrets(typed);
    if message.contains(&shown) {
        return message.to_owned();
    }
    format!("\"{shown}\": {message}")
}

/// The given text without user and password, cut if it is long.
fn without_secrets(typed: &str) -> String {
    let start = typed.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = typed.split_at(start);
    // A password can only be before the path.
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let shown = format!("{scheme}{host}{path}");
    shown.chars().take(MAX_SHOWN_CHARS).collect()
}

fn given(requested: RequestedUrl) -> Given {
    Given {
        typed: requested.url.to_string(),
        url: Ok(requested),
    }
}

/// The receiver of the URLs is gone.
struct Closed;

/// Sends every line of stdin except blank lines and those that start with #.
fn read_stdin(send: &mpsc::Sender<Given>) -> Result<(), Closed> {
    let mut stdin = std::io::stdin().lock();
    for number in 1_u64.. {
        let mut line = Vec::new();
        let url = match stdin
            .by_ref()
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line)
        {
            Ok(0) => break,
            Ok(_) if line.len() as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") => {
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
                RequestedUrl::parse(text).map_err(|error| {
                    let message = with_url(text, &error.to_string());
                    format!("line {number} of stdin: {message}")
                })
            }
            Err(error) => Err(format!("cannot read stdin: {error}")),
        };
        let failed = url.is_err();
        let given = Given {
            // If stdin cannot be read, there is no line to name.
            typed: match without_secrets(String::from_utf8_lossy(&line).trim()) {
                empty if empty.is_empty() => "-".to_owned(),
                typed => typed,
            },
            url,
        };
        send.blocking_send(given).map_err(|_| Closed)?;
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
