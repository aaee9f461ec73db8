//! What an HTTP status means for the requested page.

use crate::FailKind;

/// What an HTTP status means for a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PageStatus {
    /// 2xx: the response is the page.
    Success,
    /// The response redirects.
    Redirect,
    /// 4xx, 5xx and above: the response is an error page.
    ErrorPage(FailKind),
    /// 1xx, and 3xx that do not redirect: neither a page nor an error page.
    Unusable(FailKind),
}

impl PageStatus {
    /// Classifies a status; `has_location`: the response has a `Location` header.
    #[inline]
    pub fn of(status: u16, has_location: bool) -> Self {
        match status {
            200..=299 => Self::Success,
            _ if is_redirect(status, has_location) => Self::Redirect,
            400.. => Self::ErrorPage(FailKind::of_status(status)),
            _ => Self::Unusable(FailKind::of_status(status)),
        }
    }

    /// Whether the response is an error page.
    #[inline]
    pub fn is_error_page(self) -> bool {
        matches!(self, Self::ErrorPage(_))
    }
}

/// Whether a response redirects.
///
/// 301, 302, 303, 307 and 308 do, even without a `Location`: that is a broken redirect, not a page. 300 offers a choice
/// and redirects only if the server names its preference in `Location`. 304 is the response to a conditional request,
/// which we never send; 305 asks the client to use a proxy chosen by the server and is deprecated (RFC 9110, section
/// 15.4.6); 306 is unused. None of these three redirects.
#[inline]
fn is_redirect(status: u16, has_location: bool) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308) || (status == 300 && has_location)
}

/// Whether a response may have a body. 1xx, 204 and 304 have none (RFC 9112, section 6.3), and 205 must not have any (RFC
/// 9110, section 15.3.6).
#[inline]
pub fn has_body(status: u16) -> bool {
    !matches!(status, 100..=199 | 204 | 205 | 304)
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
            let is_error_page = PageStatus::of(status, true).is_error_page();
            assert_eq!(is_error_page, status >= 400, "{status}");
        }
    }
}
