//! Conversion of robots.txt files from and to their stored form, for the workers and for single scrapes.

use crawler_sitefiles::{Robots, RobotsFetch, RobotsFile, robots_token};
use crawler_store::{RobotsText, StoredRobots};

/// The stored fetches in their order: what was last read, and the failed fetch after that. `user_agent` selects the rules.
pub fn robots_fetches(stored: StoredRobots, user_agent: &str) -> Vec<RobotsFetch> {
    let file = |robots| match robots {
        RobotsText::Text(text) => {
            RobotsFile::Rules(Robots::parse(text.as_bytes(), robots_token(user_agent)))
        }
        RobotsText::Absent => RobotsFile::without_rules(),
        RobotsText::Throttled(failure) => RobotsFile::Throttled(failure),
        RobotsText::Unavailable(failure) => RobotsFile::Unavailable(failure),
        RobotsText::Unreachable(failure) => RobotsFile::Unreachable(failure),
    };
    let in_order = [stored.read, stored.failed].into_iter().flatten();
    let fetches = in_order.map(|(robots, age)| RobotsFetch {
        age,
        ..RobotsFetch::now(file(robots), None)
    });
    fetches.collect()
}

/// What is stored of a fetched robots.txt; `text` is the file's, if there is one.
pub fn robots_text(file: &RobotsFile, text: Option<String>) -> RobotsText {
    match file {
        RobotsFile::Rules(_) => text.map_or(RobotsText::Absent, RobotsText::Text),
        RobotsFile::Throttled(failure) => RobotsText::Throttled(failure.clone()),
        RobotsFile::Unavailable(failure) => RobotsText::Unavailable(failure.clone()),
        RobotsFile::Unreachable(failure) => RobotsText::Unreachable(failure.clone()),
    }
}
