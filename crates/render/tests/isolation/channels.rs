//! A page tries every channel to refused addresses: nothing must arrive. As a control, the same page with a guard that
//! refuses nothing.

use std::collections::BTreeSet;
use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crawler_fetch::{Body, Fetched, Guard};
use crawler_model::FailKind;
use crawler_render::Renderer;
use futures_util::{StreamExt, stream};
use testsite::Server;

use crate::canary::Canary;
use crate::network::{REFUSED_ADDRESSES, name_servers, reran_in_own_network};
use crate::renderers::{HOST, chromium, page, renderer, renderer_with, site_only};
use crate::site::{self, SELF_NAVIGATIONS};

/// Minimum number of channels the page tries by script; it tries more in its markup.
const MIN_CHANNELS_TRIED: usize = 45;
/// Minimum number of channels that get through when nothing is refused. The others never open a connection: windows,
/// frames of other sites, pings, UDP.
const MIN_CHANNELS_REACHED: usize = 40;

struct Fixture {
    canaries: [Canary; REFUSED_ADDRESSES.len()],
    /// Listeners in place of name servers: the browser must not resolve names.
    name_servers: Vec<Canary>,
    site: Server,
    file: FileCanary,
}

/// A named pipe that detects when it is opened.
struct FileCanary {
    _folder: tempfile::TempDir,
    opened: Arc<AtomicBool>,
}

impl Fixture {
    fn new() -> Self {
        let canaries = REFUSED_ADDRESSES.map(Canary::new);
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("secret.html");
        let status = Command::new("mkfifo")
            .args(["-m", "666"])
            .arg(&pipe)
            .status();
        assert!(status.unwrap().success());
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let opened = Arc::new(AtomicBool::new(false));
        let (flag, path) = (Arc::clone(&opened), pipe.clone());
        // Opening it for writing blocks until there is a reader.
        std::thread::spawn(move || {
            if File::options().write(true).open(path).is_ok() {
                flag.store(true, Ordering::SeqCst);
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

    /// Returns what all canaries received.
    fn received(&self) -> Vec<String> {
        self.listeners()
            .flat_map(|canary| {
                let at = canary.address;
                let received = canary.received();
                received
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

    /// Renders the page that tries all channels. Returns the channels it tried.
    async fn try_all_channels(&self, renderer: &Renderer) -> Vec<String> {
        let got = page(renderer, &self.url("/")).await.unwrap();
        let markup = markup(&got);
        assert!(markup.contains("<title>done</title>"), "{markup}");
        let tried = markup.split("data-tried=\"").nth(1).unwrap();
        let tried = tried.split('"').next().unwrap().replace("&quot;", "\"");
        serde_json::from_str(&tried).unwrap()
    }

    /// Renders pages that navigate by themselves, and their targets. Returns how each target failed.
    async fn self_navigations(&self, renderer: &Renderer) -> Vec<(String, Option<FailKind>)> {
        let attempts = self
            .canaries
            .iter()
            .enumerate()
            .flat_map(|(index, canary)| {
                // All script navigations to each canary, and a redirect with another status for each.
                let status = [301, 302, 303, 307, 308][index % 5];
                let redirect = (format!("/redirect/{index}/{status}"), status.to_string());
                let moves = SELF_NAVIGATIONS.iter().map(move |(name, _)| {
                    let path = format!("/move/{index}/{name}");
                    (path, (*name).to_owned())
                });
                let navigations = moves.chain([redirect]);
                navigations.map(move |(path, name)| {
                    (self.url(&path), format!("{name} {}", canary.address))
                })
            });
        stream::iter(attempts)
            .map(async |(url, label)| {
                let got = page(renderer, &url).await.unwrap();
                let location = got
                    .location
                    .unwrap_or_else(|| panic!("{label} did not navigate"));
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
async fn no_channel_reaches_refused_addresses() {
    if reran_in_own_network() {
        return;
    }
    let fixture = Fixture::new();
    let renderer = renderer(site_only());
    let tried = fixture.try_all_channels(&renderer).await;
    let untried: Vec<&String> = tried.iter().filter(|name| name.contains(':')).collect();
    eprintln!("{} channels tried, {untried:?} not", tried.len());
    assert!(
        tried.len() - untried.len() >= MIN_CHANNELS_TRIED,
        "{tried:?}"
    );
    assert_eq!(fixture.received(), [""; 0]);
    for (navigation, failed) in fixture.self_navigations(&renderer).await {
        assert_eq!(failed, Some(FailKind::AddressRefused), "{navigation}");
    }
    let refused = renderer.numbers().refused;
    renderer.close().await;
    assert_eq!(fixture.received(), [""; 0]);
    assert!(
        !fixture.file.opened.load(Ordering::SeqCst),
        "a file was read"
    );
    let numbers = renderer.numbers();
    assert_eq!(numbers.strays, 0, "{numbers:?}");
    // The attempts reached our proxy.
    assert!(refused >= 100, "{numbers:?}");
    assert!(fixture.site.count_below("/service.js") > 0);
    assert!(fixture.site.count_below("/shared.js") > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_page_reaches_them_when_nothing_is_refused() {
    if reran_in_own_network() {
        return;
    }
    let fixture = Fixture::new();
    let renderer = renderer(Guard::anywhere());
    fixture.try_all_channels(&renderer).await;
    for (navigation, failed) in fixture.self_navigations(&renderer).await {
        assert_eq!(failed, None, "{navigation}");
    }
    renderer.close().await;
    let channels = fixture.channels();
    eprintln!("{} channels: {channels:?}", channels.len());
    for canary in &fixture.canaries {
        let received = canary.channels();
        assert!(
            received.len() >= MIN_CHANNELS_REACHED,
            "{}: {received:?}",
            canary.address
        );
    }
    // Channels that bypass the proxy never get through.
    assert!(
        !channels.contains("udp") && !channels.contains("dns"),
        "{channels:?}"
    );
    assert!(
        !fixture.file.opened.load(Ordering::SeqCst),
        "a file was read"
    );
}

/// Starts the browser without the flags that stop WebRTC from bypassing the proxy and from resolving names.
const LEAKY_LAUNCHER: &str = r#"#!/bin/sh
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
async fn without_the_webrtc_flags_only_webrtc_gets_through() {
    if reran_in_own_network() {
        return;
    }
    let fixture = Fixture::new();
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("leaky");
    let browser = chromium(None).program().display().to_string();
    std::fs::write(&program, format!("{LEAKY_LAUNCHER}{browser} \"$@\"\n")).unwrap();
    for path in [folder.path(), &program] {
        std::fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
    let renderer = renderer_with(Some(&program), site_only());
    fixture.try_all_channels(&renderer).await;
    renderer.close().await;
    let channels: Vec<String> = fixture.channels().into_iter().collect();
    let expected: &[&str] = if fixture.name_servers.is_empty() {
        &["udp"]
    } else {
        &["dns", "udp"]
    };
    assert_eq!(channels, expected);
}
