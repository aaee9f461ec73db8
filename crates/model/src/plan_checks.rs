//! Validates values typed by users.

use std::fmt;
use std::time::Duration;

use crawler_weburl::{CrawlUrl, PatternLimits, UrlPatterns};

use crate::PathDelay;
use crate::plan_error::{PlanError, PlanField};
use crate::units::duration_text;

pub(crate) fn nonzero<N: PartialEq + From<u8>>(number: N) -> Option<N> {
    (number != N::from(0)).then_some(number)
}

pub(crate) fn in_range<N: PartialOrd + fmt::Display + Copy>(
    field: PlanField,
    value: N,
    min: N,
    max: N,
) -> Result<(), PlanError> {
    if value < min || value > max {
        let message = format!("{value} is out of range; use {min} to {max}");
        return Err(PlanError { field, message });
    }
    Ok(())
}

pub(crate) fn duration_in_range(
    field: PlanField,
    value: Duration,
    min: Duration,
    max: Duration,
) -> Result<(), PlanError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    let [value, min, max] = [value, min, max].map(duration_text);
    let message = format!("{value} is out of range; use {min} to {max}");
    Err(PlanError { field, message })
}

pub(crate) fn compile(
    field: PlanField,
    patterns: &[String],
    limits: PatternLimits,
) -> Result<UrlPatterns, PlanError> {
    UrlPatterns::compile(patterns, limits).map_err(|error| {
        let pattern = patterns.get(error.position).map_or("", String::as_str);
        let message = match limits {
            PatternLimits::Default => format!(
                "\"{pattern}\" is not a valid regular expression: {error}; \
                 write \\ before a character that is meant literally"
            ),
            PatternLimits::Strict => {
                format!("\"{pattern}\" cannot be used as a regular expression: {error}")
            }
        };
        PlanError { field, message }
    })
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
                let message =
                    format!("\"{prefix}\" is not a path; begin it with a slash, as in /search");
                Err(PlanError {
                    field: PlanField::PathDelay,
                    message,
                })
            }
        })
        .collect()
}

pub(crate) fn headers(given: &[(String, String)]) -> Result<Vec<(String, String)>, PlanError> {
    let field = PlanField::Header;
    given
        .iter()
        .map(|(name, value)| {
            let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
            if name.is_empty() || !name.bytes().all(is_token) {
                let message = format!(
                    "\"{}\" is not a header name; use letters, digits and hyphens, as in Accept-Language",
                    name.escape_debug()
                );
                return Err(PlanError { field, message });
            }
            let reserved_names = [
                "host", "connection", "content-length", "transfer-encoding", "upgrade", "te",
                "keep-alive", "proxy-connection", "trailer", "accept-encoding", "user-agent",
            ];
            if let Some(reserved) = reserved_names.iter().find(|reserved| name.eq_ignore_ascii_case(reserved)) {
                let hint = if *reserved == "user-agent" { "; set the user agent instead" } else { "" };
                let message = format!("\"{name}\" is set by the crawler and cannot be overridden{hint}");
                return Err(PlanError { field, message });
            }
            let value = value.trim();
            check_header_value(field, value)?;
            Ok((name.clone(), value.to_owned()))
        })
        .collect()
}

pub(crate) fn check_header_value(field: PlanField, value: &str) -> Result<(), PlanError> {
    let control = value.chars().find(|c| c.is_control() && *c != '\t');
    match control {
        Some(control) => Err(PlanError {
            field,
            message: format!(
                "the value has the control character {control:?}, which is not allowed in a header"
            ),
        }),
        None if value.is_empty() && field == PlanField::UserAgent => Err(PlanError {
            field,
            message: "the agent is empty; give a name like mybot/1.0".into(),
        }),
        None => Ok(()),
    }
}

pub(crate) fn proxies(typed: &[String]) -> Result<Vec<String>, PlanError> {
    typed
        .iter()
        .map(|proxy| match CrawlUrl::parse(proxy) {
            Ok(url) if !url.parts().is_https() => Ok(proxy.trim().to_owned()),
            // The value is not shown, because a proxy URL may contain a password.
            Ok(_) => Err(
                "an https proxy is not supported; give one like http://127.0.0.1:3128".to_owned(),
            ),
            Err(_) => {
                Err("the proxy is not an http URL; give one like http://127.0.0.1:3128".to_owned())
            }
        })
        .collect::<Result<_, _>>()
        .map_err(|message| PlanError {
            field: PlanField::Proxy,
            message,
        })
}
