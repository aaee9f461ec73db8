//! The command line of Chromium and the preferences of its profile.
//!
//! Tested with Chromium 156. Later versions ignore flags they do not know; `tests/isolation` checks that the network
//! isolation still holds.

use std::fs;
use std::io;
use std::os::unix::fs::chown;
use std::path::Path;

use serde_json::json;

use crate::RenderSettings;

/// Controlled over a pipe, without prompts, and without windows except those we open.
const AUTOMATION: [&str; 10] = [
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-startup-window",
    "--disable-search-engine-choice-screen",
    "--disable-prompt-on-repost",
    "--deny-permission-prompts",
    "--noerrdialogs",
    // A system key ring would prompt for its password.
    "--password-store=basic",
    "--use-mock-keychain",
];

/// All traffic goes through the proxy. Without `<-loopback>`, loopback and link-local addresses are dialed directly.
/// Names are resolved only by our dialer. QUIC and WebRTC over UDP would bypass the proxy; the flag for the WebRTC policy
/// has had both names.
const NETWORK_ISOLATION: [&str; 6] = [
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--no-pings",
];

/// The browser makes no requests of its own. At startup it would still ask its vendor for the signed-in accounts and for
/// model lists; both are redirected to a `data:` URL.
const NO_BACKGROUND_REQUESTS: [&str; 14] = [
    "--disable-background-networking",
    "--disable-component-update",
    "--component-updater=url-source=data:,",
    "--gaia-config-contents={\"urls\":{\"list_accounts_url\":{\"url\":\"data:,\"}}}",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-field-trial-config",
    "--metrics-recording-only",
    "--no-service-autorun",
];

/// Several tabs work at the same time, and none is in the foreground. No display or audio is needed. Shared memory is in
/// the profile folder, because `/dev/shm` is too small in containers.
const BACKGROUND_TABS: [&str; 8] = [
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--mute-audio",
    "--hide-scrollbars",
];

const DISABLED_FEATURES: [&str; 19] = [
    // An http URL is fetched by http.
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    // Searches the local network for displays, over UDP.
    "MediaRouter",
    "DialMediaRouteProvider",
    // Requests to the browser's vendor.
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
    "InterestFeedContentSuggestions",
    "NetworkTimeServiceQuerying",
    "OptimizationGuideModelExecution",
    "OptimizationHints",
    "Translate",
    // Names are not resolved in the browser.
    "AsyncDns",
    "DnsOverHttps",
    // Pages are never revisited or prerendered.
    "BackForwardCache",
    "Prerender2",
    // The address bar's popup is a page: each tab would start a process for it, which costs more than a small page.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    // Paint the first frame at once.
    "PaintHolding",
];

/// Returns all command-line arguments. `refusing_port` is the proxy for the browser's own requests; every tab has its own
/// context and proxy.
pub(crate) fn flags(settings: &RenderSettings, profile: &Path, refusing_port: u16) -> Vec<String> {
    let groups = [
        &AUTOMATION[..],
        &NETWORK_ISOLATION,
        &NO_BACKGROUND_REQUESTS,
        &BACKGROUND_TABS,
    ];
    let mut flags: Vec<String> = groups.concat().into_iter().map(str::to_owned).collect();
    if settings.headless {
        flags.push("--headless".to_owned());
    }
    if !settings.sandbox {
        flags.push("--no-sandbox".to_owned());
    }
    flags.push(format!(
        "--disable-features={}",
        DISABLED_FEATURES.join(",")
    ));
    flags.push(format!("--proxy-server=127.0.0.1:{refusing_port}"));
    flags.push(format!("--user-data-dir={}", profile.display()));
    let (width, height) = settings.viewport;
    flags.push(format!("--window-size={width},{height}"));
    flags
}

/// Writes the preferences of a new profile and changes the owner of its folder to the browser's user and group.
pub(crate) fn prepare_profile(dir: &Path, owner: Option<(u32, u32)>) -> io::Result<()> {
    let preferences = json!({
        "webrtc": { "ip_handling_policy": "disable_non_proxied_udp" },
        // No predictive requests.
        "net": { "network_prediction_options": 2 },
        // PDFs are not displayed, and downloads are blocked.
        "plugins": { "always_open_pdf_externally": true },
        "download_restrictions": 3,
        "signin": { "allowed": false, "allowed_on_next_startup": false },
        "safebrowsing": { "enabled": false },
        "search": { "suggest_enabled": false },
        "alternate_error_pages": { "enabled": false },
        "credentials_enable_service": false,
    });
    let folder = dir.join("Default");
    fs::create_dir_all(&folder)?;
    let file = folder.join("Preferences");
    fs::write(&file, preferences.to_string())?;
    if let Some((user, group)) = owner {
        for path in [&file, &folder, dir] {
            chown(path, Some(user), Some(group))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sandbox_is_on_unless_disabled_in_the_settings() {
        let has = |settings: &RenderSettings, flag: &str| {
            let flags = flags(settings, Path::new("/profile"), 4321);
            flags.iter().any(|one| one == flag)
        };
        let mut settings = RenderSettings::default();
        assert!(!has(&settings, "--no-sandbox") && has(&settings, "--headless"));
        assert!(has(&settings, "--proxy-server=127.0.0.1:4321"));
        assert!(has(&settings, "--user-data-dir=/profile"));
        settings.sandbox = false;
        settings.headless = false;
        assert!(has(&settings, "--no-sandbox") && !has(&settings, "--headless"));
    }

    #[test]
    fn a_profile_is_prepared_in_an_empty_folder() {
        let dir = tempfile::tempdir().unwrap();
        prepare_profile(dir.path(), None).unwrap();
        let text = fs::read_to_string(dir.path().join("Default/Preferences")).unwrap();
        let written: serde_json::Value = serde_json::from_str(&text).unwrap();
        let policy = &written["webrtc"]["ip_handling_policy"];
        assert_eq!(policy, "disable_non_proxied_udp");
    }
}
