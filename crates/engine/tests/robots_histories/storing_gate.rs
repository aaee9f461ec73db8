//! A gate that stores what its processes know about robots.txt, as a service's store does.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crawler_engine::{HostGate, LocalHostGate, RobotsMemory, TurnRefused};
use crawler_frontier::HostResponse;
use crawler_model::{FailKind, Failure};
use crawler_sitefiles::{RobotsFetch, RobotsFile};
use crawler_weburl::{CrawlUrl, Origin};
use tokio::time::Instant;

use crate::world::Dice;

/// What was last read, and the failed fetch after that.
type Stored = [Option<(RobotsFile, Instant)>; 2];

#[derive(Clone)]
pub(crate) struct StoringGate(Arc<State>);

struct State {
    hosts: LocalHostGate,
    robots: Mutex<HashMap<Origin, Stored>>,
    dice: Mutex<Dice>,
    fails: bool,
    fails_to_save: bool,
}

impl StoringGate {
    /// Lookups fail now and then; `fails_to_save`: so do writes.
    pub(crate) fn new(seed: u64, fails_to_save: bool) -> Self {
        Self::build(seed, true, fails_to_save)
    }

    pub(crate) fn reliable() -> Self {
        Self::build(1, false, false)
    }

    fn build(seed: u64, fails: bool, fails_to_save: bool) -> Self {
        Self(Arc::new(State {
            hosts: LocalHostGate::new(2, seed),
            robots: Mutex::default(),
            dice: Mutex::new(Dice(seed ^ 0x9a7e)),
            fails,
            fails_to_save,
        }))
    }

    fn call(&self, may_fail: bool) -> Result<(), Failure> {
        if may_fail && self.0.dice.lock().unwrap().one_in(3) {
            return Err(Failure::new(FailKind::Internal, "injected"));
        }
        Ok(())
    }
}

impl RobotsMemory for StoringGate {
    async fn stored_robots(
        &self,
        origin: &Origin,
        _user_agent: &str,
    ) -> Result<Vec<RobotsFetch>, Failure> {
        self.call(self.0.fails)?;
        let robots = self.0.robots.lock().unwrap();
        let stored = robots.get(origin).into_iter().flatten().flatten();
        let fetches = stored.map(|(file, fetched_at)| RobotsFetch {
            age: fetched_at.elapsed(),
            ..RobotsFetch::now(file.clone(), None)
        });
        Ok(fetches.collect())
    }

    async fn save_robots(
        &self,
        origin: &Origin,
        file: &RobotsFile,
        _text: Option<String>,
    ) -> Result<(), Failure> {
        self.call(self.0.fails_to_save)?;
        let mut robots = self.0.robots.lock().unwrap();
        let [read, failed] = robots.entry(origin.clone()).or_default();
        let fetched = Some((file.clone(), Instant::now()));
        if matches!(file, RobotsFile::Rules(_)) {
            (*read, *failed) = (fetched, None);
        } else {
            *failed = fetched;
        }
        Ok(())
    }
}

impl HostGate for StoringGate {
    type Turn = <LocalHostGate as HostGate>::Turn;

    async fn turn(&self, url: &CrawlUrl) -> Result<Self::Turn, TurnRefused> {
        self.0.hosts.turn(url).await
    }

    async fn note_response(&self, url: &CrawlUrl, response: HostResponse) {
        self.0.hosts.note_response(url, response).await;
    }

    async fn slow_to(&self, url: &CrawlUrl, interval: Duration) {
        self.0.hosts.slow_to(url, interval).await;
    }
}
