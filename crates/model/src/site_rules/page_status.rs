//! What an HTTP status means for the requested page.

use crate::FailKind;

/// What an HTTP status means for a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageStatus {
    /// 2xx: the response is the page.
    Success,
    /// A redirect to the page.
    Redirect,
    /// Anything else.
    Failure(FailKind),
}

impl PageStatus {
    /// Classifies a status; `has_location`: the response has a `Location` header.
    #[inline]
    pub fn of(status: u16, has_location: bool) -> Self {
        match status {
            200..=299 => Self::Success,
            _ if is_redirect(status, has_location) => Self::Redirect,
            _ => Self::Failure(FailKind::of_status(status)),
        }
    }
}

/// Whether a response redirects.
///
/// 301, 302, 303, 307 and 308 do, even without a `Location`: that is a broken redirect, not a page. 300 offers a choice
/// and redirects only if the server names its preference in `Location`. 304 is the response to a conditional request,
/// which we never send; 305 asks the client to use a proxy chosen by the server and is deprecated (RFC 9110, section
/// 15.4.6); 306 is unused. None of these three redirects.
#[inline]
pub fn is_redirect(status: u16, has_location: bool) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308) || (status == 300 && has_location)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_that_redirect() {
        for status in 100..600 {
            let always = [301, 302, 303, 307, 308].contains(&status);
            assert_eq!(is_redirect(status, false), always, "{status}");
            let with_location = always || status == 300;
            assert_eq!(is_redirect(status, true), with_location, "{status}");
            let is_success = PageStatus::of(status, true) == PageStatus::Success;
            assert_eq!(is_success, (200..300).contains(&status), "{status}");
        }
    }
}
