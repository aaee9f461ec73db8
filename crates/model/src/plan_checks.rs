//! What a plan checks of the values people type, each with its words.

use std::fmt;
use std::time::Duration;

use weburl::{CrawlUrl, Scope, ScopeKind};

use crate::PathDelay;
use crate::plan_error::PlanError;

pub(crate) fn nonzero<N: PartialEq + From<u8>>(number: N) -> Option<N> {
    (number != N::from(0)).then_some(number)
}

pub(crate) fn in_range<N: PartialOrd + fmt::Display + Copy>(
    flag: &'static str,
    value: N,
    least: N,
    most: N,
) -> Result<(), PlanError> {
    if value < least || value > most {
        let words = format!("{value} is out of range; give {least} to {most}");
        return Err(PlanError { flag, words });
    }
    Ok(())
}

pub(crate) fn check_patterns(
    flag: &'static str,
    patterns: &[String],
    seed: &CrawlUrl,
) -> Result<(), PlanError> {
    for pattern in patterns {
        if let Err(error) = Scope::new(ScopeKind::Host, seed, std::slice::from_ref(pattern), &[]) {
            // The regex crate draws a picture over several lines; its last line says what is wrong.
            let told = error.to_string();
            let reason = told.lines().last().unwrap_or_default().trim();
            let reason = reason.strip_prefix("error: ").unwrap_or(reason);
            let words = format!(
                "\"{pattern}\" is not a valid regular expression: {reason}; \
                 write \\ before a character that is meant literally"
            );
            return Err(PlanError { flag, words });
        }
    }
    Ok(())
}

pub(crate) fn path_delays(typed: &[(String, Duration)]) -> Result<Vec<PathDelay>, PlanError> {
    typed
        .iter()
        .map(|(prefix, delay)| {
            if prefix.starts_with('/') {
                Ok(PathDelay {
                    prefix: prefix.clone(),
                    delay: *delay,
                })
            } else {
                let words =
                    format!("\"{prefix}\" is not a path; it begins with a slash, as in /search=2s");
                Err(PlanError {
                    flag: "--path-delay",
                    words,
                })
            }
        })
        .collect()
}

pub(crate) fn headers(typed: &[String]) -> Result<Vec<(String, String)>, PlanError> {
    const FLAG: &str = "--header";
    typed
        .iter()
        .map(|line| {
            let (name, value) = line.split_once(':').ok_or_else(|| PlanError {
                flag: FLAG,
                words: format!("\"{}\" has no colon; write 'Name: value'", line.escape_debug()),
            })?;
            let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            if name.is_empty() || !name.bytes().all(is_token) {
                let words = format!(
                    "\"{}\" is not a header name; use letters, digits and hyphens, as in 'Accept-Language: de'",
                    name.escape_debug()
                );
                return Err(PlanError { flag: FLAG, words });
            }
            let owned_by_us = [
                "host", "connection", "content-length", "transfer-encoding", "upgrade", "te",
                "keep-alive", "proxy-connection", "trailer", "accept-encoding", "user-agent",
            ];
            if let Some(ours) = owned_by_us.iter().find(|ours| name.eq_ignore_ascii_case(ours)) {
                let hint = if *ours == "user-agent" { "; use --user-agent" } else { "" };
                let words = format!("\"{name}\" is set by the crawler and cannot be given{hint}");
                return Err(PlanError { flag: FLAG, words });
            }
            let value = value.trim();
            check_header_value(FLAG, value)?;
            Ok((name.to_owned(), value.to_owned()))
        })
        .collect()
}

pub(crate) fn check_header_value(flag: &'static str, value: &str) -> Result<(), PlanError> {
    let odd = value.chars().find(|c| c.is_control() && *c != '\t');
    match odd {
        Some(odd) => Err(PlanError {
            flag,
            words: format!(
                "the value has the control character {odd:?}, which a header cannot carry"
            ),
        }),
        None if value.is_empty() && flag == "--user-agent" => Err(PlanError {
            flag,
            words: "the agent is empty; give a name like mybot/1.0".into(),
        }),
        None => Ok(()),
    }
}

pub(crate) fn proxies(typed: &[String]) -> Result<Vec<String>, PlanError> {
    typed
        .iter()
        .map(|proxy| match CrawlUrl::parse(proxy) {
            Ok(url) if !url.parts().is_https() => Ok(proxy.trim().to_owned()),
            // Said without the value: a proxy's URL may carry a password.
            Ok(_) => Err(
                "an https proxy is not supported; give one like http://127.0.0.1:3128".to_owned(),
            ),
            Err(_) => {
                Err("the proxy is not an http URL; give one like http://127.0.0.1:3128".to_owned())
            }
        })
        .collect::<Result<_, _>>()
        .map_err(|words| PlanError {
            flag: "--proxy",
            words,
        })
}
