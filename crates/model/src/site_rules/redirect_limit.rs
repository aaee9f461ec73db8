//! How many redirects of one URL are followed.

use std::fmt;

use crate::{FailKind, Failure};

/// Whether another redirect may be followed after `hops` of them; the failure of the URL if not.
#[inline]
pub fn check_redirects(hops: u32, max_redirects: u32) -> Result<(), Failure> {
    if hops < max_redirects {
        return Ok(());
    }
    let message = format!("too many redirects ({max_redirects})");
    Err(Failure::new(FailKind::TooManyRedirects, message))
}

/// The failure of a page whose redirects lead back to it, by way of `to`.
pub fn redirect_loop(to: impl fmt::Display) -> Failure {
    let message = format!("redirect loop back to {to}");
    Failure::new(FailKind::TooManyRedirects, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_redirects_as_allowed_are_followed() {
        assert_eq!(check_redirects(9, 10), Ok(()));
        let failure = check_redirects(10, 10).unwrap_err();
        assert_eq!(failure.kind, FailKind::TooManyRedirects);
        assert_eq!(failure.message, "too many redirects (10)");
        assert!(check_redirects(0, 0).is_err());
    }
}
