//! Small sites with random faults and random flags. The expected pages are computed from the graph alone; a failure names
//! its seed, which reproduces the case.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Mutex;
use std::time::Duration;

use testsite::hostile::Expect;
use testsite::{Graph, GraphSite, Request, Server, Site, SiteResponse, SocketStep};

use crate::harness::random::Random;
use crate::worlds::crawl::Crawl;
use crate::worlds::machine_lock;

const SEEDS: std::ops::Range<u64> = 1..13;
/// Number of cases run at the same time; they mostly wait.
const CONCURRENCY: usize = 3;

/// Delay of a slow page.
const SLOW: Duration = Duration::from_millis(60);

fn pick<T: Copy>(random: &mut Random, choices: &[T]) -> T {
    let at = random.below(choices.len() as u64);
    choices[usize::try_from(at).unwrap()]
}

/// How a page fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// Permanent.
    Dead,
    Forbidden,
    Broken,
    /// Only at the first attempt.
    ServerError,
    Reset,
    CloseInBody,
}

impl Fault {
    /// The reported outcome; `None` if the second attempt succeeds.
    fn outcome(self) -> Option<Expect> {
        match self {
            Self::Dead => Some(Expect::Failed("dead_link")),
            Self::Forbidden => Some(Expect::Failed("client_error")),
            Self::Broken => Some(Expect::Failed("protocol")),
            Self::ServerError | Self::Reset | Self::CloseInBody => None,
        }
    }

    fn response(self) -> SiteResponse {
        match self {
            Self::Dead => SiteResponse::status(404),
            Self::Forbidden => SiteResponse::status(403),
            Self::Broken => SiteResponse::raw("SSH-2.0-OpenSSH_9.9\r\n"),
            Self::ServerError => SiteResponse::status(500),
            Self::Reset => SiteResponse::script(vec![SocketStep::Reset]),
            Self::CloseInBody => SiteResponse::raw(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n<p>",
            ),
        }
    }
}

/// A test case, derived from its seed.
struct World {
    graph: Graph,
    faults: HashMap<u32, Fault>,
    /// Pages that are slow, so that others overtake them.
    slow: BTreeSet<u32>,
    flags: String,
    depth: Option<u32>,
}

impl World {
    fn of(seed: u64) -> Self {
        let mut random = Random(seed);
        let graph = Graph {
            pages: u32::try_from(40 + random.below(300)).unwrap(),
            links_per_page: u32::try_from(2 + random.below(12)).unwrap(),
            body_bytes: pick(&mut random, &[100, 3_000, 70_000]),
            seed,
            gzip: random.below(2) == 0,
            latency: Duration::from_millis(pick(&mut random, &[0, 0, 3, 10])),
        };
        let depth = pick(
            &mut random,
            &[None, None, Some(2), Some(3), Some(4), Some(6)],
        );
        // A page that waits for its second attempt does not block others, so with a depth limit the pages found
        // through it may come too late: then all faults are permanent.
        let kinds: &[Fault] = match depth {
            Some(_) => &[Fault::Dead, Fault::Forbidden, Fault::Broken],
            None => &[
                Fault::Dead,
                Fault::Forbidden,
                Fault::Broken,
                Fault::ServerError,
                Fault::Reset,
                Fault::CloseInBody,
            ],
        };
        let mut faults = HashMap::new();
        for page in 1..graph.pages {
            if random.below(8) == 0 {
                faults.insert(page, pick(&mut random, kinds));
            }
        }
        let slow = (1..graph.pages).filter(|_| random.below(4) == 0).collect();
        let flags = format!(
            "--format ndjson --max-pages 0 --max-depth {} --workers {} --robots {} --traps {} \
             --trailing-slash {} --profile {} --max-attempts 3 --timeout 5s",
            depth.unwrap_or(0),
            pick(&mut random, &[1, 2, 7, 32, 200]),
            pick(&mut random, &["respect", "ignore"]),
            pick(&mut random, &["on", "off"]),
            pick(&mut random, &["merge", "keep"]),
            pick(
                &mut random,
                &["conservative", "balanced", "aggressive", "exhaustive"]
            ),
        );
        Self {
            graph,
            faults,
            slow,
            flags,
            depth,
        }
    }

    /// Every reachable page with its depth; a page with a permanent fault has no links.
    fn reachable(&self) -> BTreeMap<u32, u64> {
        let mut found = BTreeMap::from([(0, 0)]);
        let mut queue = VecDeque::from([0]);
        while let Some(page) = queue.pop_front() {
            let depth = found[&page] + 1;
            let fails = self.faults.get(&page).and_then(|fault| fault.outcome());
            if fails.is_some() || self.depth.is_some_and(|max| depth > u64::from(max)) {
                continue;
            }
            for link in self.graph.links_of(page) {
                if let std::collections::btree_map::Entry::Vacant(new) = found.entry(link) {
                    new.insert(depth);
                    queue.push_back(link);
                }
            }
        }
        found
    }

    fn site(&self) -> Faulty {
        Faulty {
            graph: self.graph,
            site: self.graph.site(),
            faults: self.faults.clone(),
            slow: self.slow.clone(),
            requested: Mutex::default(),
        }
    }
}

struct Faulty {
    graph: Graph,
    site: GraphSite,
    faults: HashMap<u32, Fault>,
    slow: BTreeSet<u32>,
    requested: Mutex<BTreeSet<u32>>,
}

impl Site for Faulty {
    fn respond(&self, request: &Request) -> SiteResponse {
        let page = self.graph.page(request.path());
        if let Some((page, fault)) = page.and_then(|page| Some((page, self.faults.get(&page)?))) {
            let first = self.requested.lock().unwrap().insert(page);
            if first || fault.outcome().is_some() {
                return fault.response();
            }
        }
        let response = self.site.respond(request);
        if page.is_some_and(|page| self.slow.contains(&page)) {
            return response.after(SLOW);
        }
        response
    }
}

fn check(seed: u64) {
    let world = World::of(seed);
    let server = Server::start(world.site());
    let ended = Crawl::of(&server.url("/")).flags(&world.flags).run();
    ended.assert_done();
    let (origin, case) = (server.origin(), format!("seed {seed}: {}", world.flags));
    let expected = world.reachable();
    let mut reported = BTreeMap::new();
    for page in ended.pages() {
        let path = page.url.strip_prefix(&origin).unwrap().to_owned();
        let number = world.graph.page(&path).expect("a page of the site");
        let previous = reported.insert(number, page.depth);
        assert_eq!(previous, None, "{case}: {path} is reported twice");
        let fault = world.faults.get(&number);
        let links = world.graph.links_per_page as usize;
        let outcome = fault
            .and_then(|fault| fault.outcome())
            .unwrap_or(Expect::Fetched { links });
        assert_eq!(page.outcome(), outcome, "{case}: {path}");
        // One more request for a page that failed at first, and none for any other. A reused connection that was reset
        // is replaced within the attempt.
        let requests = 1 + u64::from(fault.is_some_and(|fault| fault.outcome().is_none()));
        let min_attempts = if fault == Some(&Fault::Reset) {
            1
        } else {
            requests
        };
        let attempts = page.attempts;
        assert!(
            (min_attempts..=requests).contains(&attempts),
            "{case}: {path} after {attempts} ({fault:?})"
        );
        assert_eq!(server.count(&path), requests, "{case}: {path} ({fault:?})");
    }
    let visited: BTreeSet<u32> = reported.keys().copied().collect();
    assert_eq!(visited, expected.keys().copied().collect(), "{case}");
    if world.depth.is_some() {
        assert_eq!(reported, expected, "{case}: depths");
    }
    let requested = server.total() - server.count("/robots.txt");
    let counted: u64 = (0..world.graph.pages)
        .map(|page| server.count(&world.graph.path(page)))
        .sum();
    assert_eq!(requested, counted, "{case}: nothing else was requested");
}

#[test]
fn exactly_the_reachable_pages_are_visited() {
    let _lock = machine_lock::shared();
    let seeds: Vec<u64> = SEEDS.collect();
    for chunk in seeds.chunks(CONCURRENCY) {
        std::thread::scope(|scope| {
            for &seed in chunk {
                scope.spawn(move || check(seed));
            }
        });
    }
}
