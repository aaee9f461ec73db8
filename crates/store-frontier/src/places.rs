//! The places of page workers: which owner's requests hold them, and whose may start.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crawler_frontier::{Moment, SiteFileResult, SiteFileTask, Work};
use crawler_store::{ClaimRoom, PlaceShares};
use crawler_weburl::Origin;

use crate::address_queue::{AddressSlot, TakenTurn};
use crate::held_task::Stage;
use crate::pick::max_lateness;
use crate::{FrontierStore, StoreFrontier};

/// This many tasks that wait for their hosts count as one: it takes long to give up on a host that does not respond.
const WAITING_PER_PLACE: i64 = 4;

/// A site file that is being fetched.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum SiteFileKey {
    /// The robots.txt of this origin.
    Robots(Origin),
    /// A sitemap of the seed with this ticket.
    Sitemap(u64),
}

impl SiteFileKey {
    pub(crate) fn of(site_file: &SiteFileTask) -> Self {
        match site_file {
            SiteFileTask::Robots(robots) => Self::Robots(robots.origin.clone()),
            SiteFileTask::Sitemap(sitemap) => Self::Sitemap(sitemap.ticket),
        }
    }

    pub(crate) fn of_result(result: &SiteFileResult) -> Self {
        match result {
            SiteFileResult::Robots(robots, _) => Self::Robots(robots.origin.clone()),
            SiteFileResult::Sitemap(sitemap, _) => Self::Sitemap(sitemap.ticket),
        }
    }
}

/// Whose request it is, and the weight of that owner.
pub(crate) type OwnerWeight = (Arc<str>, i64);

/// A site file in flight.
#[derive(Debug)]
pub(crate) struct HeldSiteFile {
    owner: OwnerWeight,
    _slot: Option<AddressSlot>,
}

/// The site files in flight.
pub(crate) type SiteFilesInFlight = HashMap<SiteFileKey, HeldSiteFile>;

/// What a call of [`take`](crawler_frontier::Frontier::take) starts.
#[derive(Debug)]
pub(crate) struct Starts {
    pub(crate) work: Vec<Work>,
    max: usize,
    places: PlaceShares,
    /// Whether places may be given that are nobody's share.
    pub(crate) spare: bool,
}

impl Starts {
    /// Whether a request of this owner may start.
    pub(crate) fn has_room(&self, owner: &str) -> bool {
        self.work.len() < self.max && self.places.has_room(owner, self.spare)
    }
}

impl<S: FrontierStore> StoreFrontier<S> {
    /// The room for requests, with all owners that have some to start.
    pub(crate) fn starts(&self, max: usize, now: Moment) -> Starts {
        let mut places = PlaceShares::new(self.settings.workers);
        let in_flight = self.held.values();
        for held in in_flight.filter(|held| held.stage == Stage::InFlight) {
            places.hold(&held.claimed.owner, held.claimed.weight, 1);
        }
        for file in self.site_files.values() {
            places.hold(&file.owner.0, file.owner.1, 1);
        }
        let due = self.ready.range(..=(now, u64::MAX));
        let tasks = due.map(|(_, ticket)| *ticket);
        let tasks = tasks.chain(self.sitemaps.due_tickets(now));
        let owners = tasks.filter_map(|ticket| self.owner_of_ticket(ticket));
        let robots = self.robots.due_origins(now);
        let robots = robots.map(|origin| self.owner_of_robots(origin));
        let addressed = self.addresses.due().map(|work| self.owner_of(work));
        for (owner, weight) in owners.chain(robots).chain(addressed) {
            places.hold(&owner, weight, 0);
        }
        Starts {
            work: Vec::new(),
            max,
            places,
            spare: false,
        }
    }

    /// Whether a task became due that could start, after those that were due had been started.
    pub(crate) fn is_late(&self, starts: &Starts, now: Moment) -> bool {
        let mut due = self.ready.range(..=(now, u64::MAX));
        due.any(|(_, ticket)| {
            let owner = self.owner_of_ticket(*ticket);
            owner.is_some_and(|(owner, _)| starts.has_room(&owner))
        })
    }

    pub(crate) fn owner_of_ticket(&self, ticket: u64) -> Option<OwnerWeight> {
        let claimed = &self.held.get(&ticket)?.claimed;
        Some((Arc::clone(&claimed.owner), claimed.weight))
    }

    /// The owner of the first task that waits for a robots.txt. If none does any more, it is nobody's.
    pub(crate) fn owner_of_robots(&self, origin: &Origin) -> OwnerWeight {
        let mut waiting = self.robots.waiting_for(origin).iter();
        let owner = waiting.find_map(|ticket| self.owner_of_ticket(*ticket));
        owner.unwrap_or_else(nobody)
    }

    fn owner_of(&self, work: &Work) -> OwnerWeight {
        let owner = match work {
            Work::Page(task) => self.owner_of_ticket(task.ticket),
            Work::SiteFile(SiteFileTask::Sitemap(file)) => self.owner_of_ticket(file.ticket),
            Work::SiteFile(SiteFileTask::Robots(file)) => Some(self.owner_of_robots(&file.origin)),
        };
        owner.unwrap_or_else(nobody)
    }

    /// Starts a request, or lets it wait for a turn of its address.
    pub(crate) fn start_work(&mut self, work: Work, missed: u32, starts: &mut Starts, now: Moment) {
        let turn = self.address_turns.as_ref();
        match turn.and_then(|turns| turns(url_of(&work))) {
            None => self.begin(work, None, starts, now),
            Some(turn) => {
                if let Work::Page(task) = &work
                    && let Some(held) = self.held.get_mut(&task.ticket)
                {
                    held.awaits_host = true;
                }
                let id = self.addresses.wait(work, missed);
                self.client.wait_for_address(id, turn);
            }
        }
    }

    /// Starts the requests whose turn at their address has come.
    pub(crate) fn start_addressed(&mut self, starts: &mut Starts, now: Moment) {
        for mut due in self.addresses.take_due() {
            if let Work::Page(task) = &due.work {
                let Some(held) = self.held.get(&task.ticket) else {
                    continue;
                };
                if held.stage != Stage::Waiting {
                    continue;
                }
                let opens_at = self.hosts.opens_at(&held.host());
                if held.held_until <= now || opens_at > now + max_lateness(due.missed) {
                    // A renewal has to confirm the lease first, or the host was requested or paused meanwhile: it waits, gets
                    // another start, or is handed back.
                    self.ready.insert((now, task.ticket));
                    continue;
                }
            }
            if let Work::SiteFile(site_file) = &due.work {
                let opens_at = self.hosts.opens_at(&site_file.url().host_key());
                if opens_at > now + max_lateness(due.missed) {
                    self.postpone_site_file(site_file.clone(), opens_at);
                    continue;
                }
            }
            if !starts.has_room(&self.owner_of(&due.work).0) {
                if starts.spare {
                    due.give_up_turn();
                }
                self.addresses.keep(due);
                continue;
            }
            match due.take_turn(now) {
                TakenTurn::Start(slot) => self.begin(due.work, slot, starts, now),
                TakenTurn::Passed => self.start_work(due.work, due.missed, starts, now),
            }
        }
    }

    /// Queues a site file again whose host was paused while it waited for its address. It was not sent, so the attempt does not
    /// count.
    fn postpone_site_file(&mut self, site_file: SiteFileTask, opens_at: Moment) {
        match site_file {
            SiteFileTask::Robots(mut robots) => {
                robots.attempt = robots.attempt.saturating_sub(1);
                self.robots.queue_fetch(robots, opens_at);
            }
            SiteFileTask::Sitemap(mut sitemap) => {
                sitemap.attempt = sitemap.attempt.saturating_sub(1);
                self.sitemaps.fetch_ended(sitemap.ticket);
                self.sitemaps.requeue(sitemap, opens_at);
            }
        }
    }

    /// Hands a request to a page worker.
    fn begin(&mut self, work: Work, slot: Option<AddressSlot>, starts: &mut Starts, now: Moment) {
        self.hosts.start(&url_of(&work).host_key(), now);
        let owner = self.owner_of(&work);
        starts.places.hold(&owner.0, owner.1, 1);
        match &work {
            Work::Page(task) => {
                if let Some(held) = self.held.get_mut(&task.ticket) {
                    held.slot = None;
                    held.address_slot = slot;
                    held.awaits_host = false;
                    held.stage = Stage::InFlight;
                    self.in_flight += 1;
                }
            }
            Work::SiteFile(site_file) => {
                let key = SiteFileKey::of(site_file);
                let file = HeldSiteFile { owner, _slot: slot };
                self.site_files.insert(key, file);
            }
        }
        starts.work.push(work);
    }

    /// What the next claim may take, and for whom: one task in flight and one waiting per worker. `None` if there is no room.
    /// With all places held, it asks for tasks of owners that hold none.
    pub(crate) fn claim_room(&self) -> Option<(ClaimRoom, Moment)> {
        let workers = self.settings.workers;
        if self.settlements.is_full(workers * 8) {
            // The store is slower than the crawl and results wait in memory, so no more tasks are claimed.
            return None;
        }
        let mut owners: BTreeMap<&str, (i64, i64, i64)> = BTreeMap::new();
        let unsettled = self.held.values();
        for held in unsettled.filter(|held| held.stage != Stage::Settling) {
            let weight = held.claimed.weight;
            let owner = owners.entry(&held.claimed.owner);
            let (_, all, busy) = owner.or_insert((weight, 0, 0));
            *all += 1;
            *busy += i64::from(!held.awaits_host);
        }
        let mut places = PlaceShares::new(workers * 2);
        for (owner, (weight, all, busy)) in owners {
            let count = busy.max((all + WAITING_PER_PLACE - 1) / WAITING_PER_PLACE);
            places.hold(owner, weight, count);
        }
        let max = places.free().max(places.free_for_shares());
        let due = self.claims.due;
        if max > 0 {
            let max = usize::try_from(max).unwrap_or(usize::MAX);
            return Some((ClaimRoom { max, places }, due));
        }
        // The share of one more owner.
        let max = (workers * 2).div_ceil(places.owners() + 1);
        let due = due.max(self.claims.sent_at + self.settings.max_poll);
        Some((ClaimRoom { max, places }, due))
    }
}

fn nobody() -> OwnerWeight {
    ("".into(), 1)
}

fn url_of(work: &Work) -> &crawler_weburl::CrawlUrl {
    match work {
        Work::Page(task) => &task.url,
        Work::SiteFile(site_file) => site_file.url(),
    }
}
