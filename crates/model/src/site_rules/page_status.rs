//! What an HTTP status means for the page that was requested.

use crate::FailKind;

/// What an HTTP status means for a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageStatus {
    /// 2xx: the response is the page.
    Success,
    /// The page is elsewhere.
    Redirect,
    /// Anything else.
    Failure(FailKind),
}

impl PageStatus {
    /// Classifies a status; `has_location` says whether the response carries a `Location`.
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
/// 301, 302, 303, 307 and 308 do, even without a `Location`: that is a broken redirect, not a page. 300 offers a
/// choice and redirects only where the server names its preference in `Location`. 304 answers a conditional
/// request, which we never send; 305 asks for a proxy of the server's choosing and is deprecated for that reason
/// (RFC 9110, section 15.4.6); 306 is unused. None of those three redirects.
#[inline]
pub fn is_redirect(status: u16, has_location: bool) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308) || (status == 300 && has_location)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_redirects() {
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
