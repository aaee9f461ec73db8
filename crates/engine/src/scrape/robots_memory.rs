//! The trait through which processes share what they know about robots.txt files.

use std::future::{Future, ready};

use crawler_model::Failure;
use crawler_sitefiles::{RobotsFetch, RobotsFile};
use crawler_weburl::Origin;

/// The robots.txt files that all processes of a service have fetched. The default methods are for a process that knows only
/// what it has fetched itself.
pub trait RobotsMemory: Send + Sync {
    /// Returns the stored fetches of an origin's robots.txt, in their order: what was last read, and a failed fetch after that.
    /// `user_agent` selects the rules.
    fn stored_robots(
        &self,
        _origin: &Origin,
        _user_agent: &str,
    ) -> impl Future<Output = Result<Vec<RobotsFetch>, Failure>> + Send {
        ready(Ok(Vec::new()))
    }

    /// Stores the result of a fetch; `text` is the file's, if there is one. A failed fetch replaces nothing that was read
    /// before.
    fn save_robots(
        &self,
        _origin: &Origin,
        _file: &RobotsFile,
        _text: Option<String>,
    ) -> impl Future<Output = Result<(), Failure>> + Send {
        ready(Ok(()))
    }
}
