//! The check of one URL.

use crawler_weburl::{KeyPolicy, UrlKey, UrlRef};

use super::area::area;
use super::place::Place;

/// The result of a check; passed to [`Traps::note`](super::Traps::note) when it is admitted.
#[derive(Debug, Default)]
pub(crate) struct TrapCheck {
    /// Its key without the session id.
    pub(crate) without_session: Option<UrlKey>,
    /// Its key without known parameters that act on the page or show it in another way.
    pub(super) copy_of: Option<UrlKey>,
    /// Its key without parameters that change nothing.
    pub(super) without_ignorable: Option<UrlKey>,
    /// Its key with its parameters sorted, if it has several.
    pub(super) sorted: Option<UrlKey>,
    pub(super) place: Option<Place>,
    pub(super) area: u64,
}

impl TrapCheck {
    /// The check of a URL that a sitemap lists: it is never refused.
    pub(crate) fn of_listed(url: UrlRef<'_>, keys: &KeyPolicy) -> Self {
        Self {
            area: area(url, keys.seed),
            ..Self::default()
        }
    }
}
