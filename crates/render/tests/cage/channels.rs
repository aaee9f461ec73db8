//! Every channel, at addresses that are refused: nobody hears anything. And, so that this says something, the same page
//! where nothing is refused.

use std::collections::BTreeSet;
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fetch::{Body, Fetched, Guard};
use futures_util::{StreamExt, stream};
use model::FailKind;
use render::Renderer;
use testsite::Server;

use crate::canary::Canary;
use crate::network::{name_servers, ran_in_own, refused_addresses};
use crate::site::{self, MOVES};
use crate::stage::{HOST, chromium, page, renderer, renderer_by, strict};

/// Channels the page tries by script, at the least; it tries more in its markup.
const TRIED: usize = 45;
/// Channels that do reach somebody when nothing is refused, at the least. The others are stopped before they are
/// anybody's connection: windows, frames of other sites, pings, UDP.
const THROUGH: usize = 40;

struct World {
    canaries: Vec<Canary>,
    /// In the place of name servers: names are looked up by nobody but us.
    name_servers: Vec<Canary>,
    site: Server,
    file: FileCanary,
}

/// A file that tells when somebody opens it.
struct FileCanary {
    _folder: tempfile::TempDir,
    opened: Arc<AtomicBool>,
}

impl World {
    fn new() -> Self {
        let addresses = refused_addresses();
        let canaries: Vec<Canary> = addresses.into_iter().map(Canary::new).collect();
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("secret.html");
        let made = Command::new("mkfifo")
            .args(["-m", "666"])
            .arg(&pipe)
            .status();
        assert!(made.unwrap().success());
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let opened = Arc::new(AtomicBool::new(false));
        let (tell, at) = (Arc::clone(&opened), pipe.clone());
        // Opening it for writing waits for a reader, for good if there is none.
        std::thread::spawn(move || {
            if File::options().write(true).open(at).is_ok() {
                tell.store(true, Ordering::SeqCst);
            }
        });
        Self {
            site: site::start(&canaries, pipe.to_str().unwrap()),
            canaries,
            name_servers: name_servers()
                .iter()
                .filter_map(|server| {
                    let canary = Canary::name_server(server);
                    canary
                        .inspect_err(|error| eprintln!("NO NAME SERVER at {server}: {error}"))
                        .ok()
                })
                .collect(),
            file: FileCanary {
                _folder: folder,
                opened,
            },
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{HOST}:{}{path}", self.site.port())
    }

    /// What all canaries heard.
    fn heard(&self) -> Vec<String> {
        self.listeners()
            .flat_map(|canary| {
                let at = canary.address;
                let heard = canary.heard();
                heard
                    .into_iter()
                    .map(move |channel| format!("{at} {channel}"))
            })
            .collect()
    }

    fn channels(&self) -> BTreeSet<String> {
        self.listeners().flat_map(Canary::channels).collect()
    }

    fn listeners(&self) -> impl Iterator<Item = &Canary> {
        self.canaries.iter().chain(&self.name_servers)
    }

    /// The page that tries everything; what it says it tried.
    async fn everything(&self, renderer: &Renderer) -> Vec<String> {
        let got = page(renderer, &self.url("/")).await.unwrap();
        let markup = markup(&got);
        assert!(markup.contains("<title>done</title>"), "{markup}");
        let tried = markup.split("data-tried=\"").nth(1).unwrap();
        let tried = tried.split('"').next().unwrap().replace("&quot;", "\"");
        serde_json::from_str(&tried).unwrap()
    }

    /// Pages that go elsewhere by themselves: where each of them ends, its next hop taken as well.
    async fn moves(&self, renderer: &Renderer) -> Vec<(String, Option<FailKind>)> {
        let tries = self.canaries.iter().enumerate().flat_map(|(at, canary)| {
            // Every way by script at each of them, and another status at each.
            let status = [301, 302, 303, 307, 308][at % 5];
            let redirect = (format!("/redirect/{at}/{status}"), status.to_string());
            let moves = MOVES.iter().map(move |(name, _)| {
                let path = format!("/move/{at}/{name}");
                (path, (*name).to_owned())
            });
            let ways = moves.chain([redirect]);
            ways.map(move |(path, way)| (self.url(&path), format!("{way} {}", canary.address)))
        });
        stream::iter(tries)
            .map(async |(url, label)| {
                let got = page(renderer, &url).await.unwrap();
                let location = got.location.unwrap_or_else(|| panic!("{label} stayed"));
                let hop = page(renderer, &location).await;
                (label, hop.err().map(|failure| failure.kind))
            })
            .buffer_unordered(4)
            .collect()
            .await
    }
}

fn markup(fetched: &Fetched) -> String {
    match &fetched.body {
        Body::Html(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
        other => panic!("no page: {other:?}, {:?}", fetched.location),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_channel_reaches_what_is_refused() {
    if ran_in_own() {
        return;
    }
    let world = World::new();
    let renderer = renderer(strict());
    let tried = world.everything(&renderer).await;
    let untried: Vec<&String> = tried.iter().filter(|name| name.contains(':')).collect();
    eprintln!("{} channels tried, {untried:?} not", tried.len());
    assert!(tried.len() - untried.len() >= TRIED, "{tried:?}");
    assert_eq!(world.heard(), [""; 0]);
    for (way, failed) in world.moves(&renderer).await {
        assert_eq!(failed, Some(FailKind::AddressRefused), "{way}");
    }
    let refused = renderer.numbers().refused;
    renderer.close().await;
    assert_eq!(world.heard(), [""; 0]);
    assert!(!world.file.opened.load(Ordering::SeqCst), "a file was read");
    let numbers = renderer.numbers();
    assert_eq!(numbers.strays, 0, "{numbers:?}");
    // They did knock at our own door.
    assert!(refused >= 100, "{numbers:?}");
    assert!(world.site.count_below("/service.js") > 0);
    assert!(world.site.count_below("/shared.js") > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_page_reaches_them_where_nothing_is_refused() {
    if ran_in_own() {
        return;
    }
    let world = World::new();
    let renderer = renderer(Guard::anywhere());
    world.everything(&renderer).await;
    for (way, failed) in world.moves(&renderer).await {
        assert_eq!(failed, None, "{way}");
    }
    renderer.close().await;
    let channels = world.channels();
    eprintln!("{} channels: {channels:?}", channels.len());
    for canary in &world.canaries {
        let heard = canary.channels();
        assert!(heard.len() >= THROUGH, "{}: {heard:?}", canary.address);
    }
    // But not even then by what knows no proxy.
    assert!(
        !channels.contains("udp") && !channels.contains("dns"),
        "{channels:?}"
    );
    assert!(!world.file.opened.load(Ordering::SeqCst), "a file was read");
}

/// Starts the browser without what keeps WebRTC from going round the proxy, and from looking up names.
const LEAKY: &str = r#"#!/bin/sh
for argument do
    shift
    case "$argument" in
        *webrtc-ip-handling-policy* | --host-resolver-rules=*) continue ;;
        --user-data-dir=*) sed -i 's/disable_non_proxied_udp/default/' "${argument#*=}/Default/Preferences" ;;
    esac
    set -- "$@" "$argument"
done
exec "#;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webrtc_that_is_not_held_back_is_heard_and_nothing_else_is() {
    if ran_in_own() {
        return;
    }
    let world = World::new();
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("leaky");
    let browser = chromium(None).program().display().to_string();
    std::fs::write(&program, format!("{LEAKY}{browser} \"$@\"\n")).unwrap();
    for path in [folder.path(), &program] {
        std::fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
    let renderer = renderer_by(Some(&program), strict());
    world.everything(&renderer).await;
    renderer.close().await;
    let channels: Vec<String> = world.channels().into_iter().collect();
    let expected: &[&str] = if world.name_servers.is_empty() {
        &["udp"]
    } else {
        &["dns", "udp"]
    };
    assert_eq!(channels, expected);
}
