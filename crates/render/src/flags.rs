//! How Chromium is started, and what its profile says before it is.
//!
//! Tried with Chromium 156. A flag that a later one does not know is ignored by it: what must not fail is the cage, and
//! `tests/cage` watches that.

use std::fs;
use std::io;
use std::os::unix::fs::chown;
use std::path::Path;

use serde_json::json;

use crate::RenderSettings;

/// Driven over a pipe, without asking anybody anything, and with no window but those we open.
const DRIVEN: [&str; 10] = [
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-startup-window",
    "--disable-search-engine-choice-screen",
    "--disable-prompt-on-repost",
    "--deny-permission-prompts",
    "--noerrdialogs",
    // A key ring would ask for its password.
    "--password-store=basic",
    "--use-mock-keychain",
];

/// No way out but the proxy. Without `<-loopback>` loopback and link-local addresses are dialled directly; names are
/// looked up by our dialer and by nobody else; QUIC and what WebRTC sends over UDP know no proxy. The switch of that
/// policy has been spelled both ways.
const CAGED: [&str; 6] = [
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--disable-quic",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--no-pings",
];

/// The browser says nothing of its own accord. What it would ask its makers in spite of all that, at a start: who is
/// signed in, and for lists of models. Both are led to a URL that needs no network.
const SILENT: [&str; 14] = [
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

/// Pages of several tabs are at work at the same time, and no tab is in front. There is nobody to look or listen.
/// Shared memory goes to the profile's folder: what containers give for it is too small for a page.
const HEADLESS_WORK: [&str; 8] = [
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-hang-monitor",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--mute-audio",
    "--hide-scrollbars",
];

const FEATURES_OFF: [&str; 19] = [
    // A page asked for by http is fetched by http.
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    // Looking for screens in the local network, by UDP.
    "MediaRouter",
    "DialMediaRouteProvider",
    // Questions to the browser's makers.
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
    "InterestFeedContentSuggestions",
    "NetworkTimeServiceQuerying",
    "OptimizationGuideModelExecution",
    "OptimizationHints",
    "Translate",
    // Names are not looked up here.
    "AsyncDns",
    "DnsOverHttps",
    // Pages nobody goes back to, and pages nobody asked for.
    "BackForwardCache",
    "Prerender2",
    // What drops from an address bar is a page too: each tab would have a process for it, which costs more than a small
    // page does.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    // The first frame is drawn when it is there, not when it is complete.
    "PaintHolding",
];

/// The whole command line but for the program. `refusing_port`: the proxy of the browser's own requests; every tab
/// has a context, and a proxy, of its own.
pub(crate) fn flags(settings: &RenderSettings, profile: &Path, refusing_port: u16) -> Vec<String> {
    let groups = [&DRIVEN[..], &CAGED, &SILENT, &HEADLESS_WORK];
    let mut flags: Vec<String> = groups.concat().into_iter().map(str::to_owned).collect();
    if settings.headless {
        flags.push("--headless".to_owned());
    }
    if !settings.sandbox {
        flags.push("--no-sandbox".to_owned());
    }
    flags.push(format!("--disable-features={}", FEATURES_OFF.join(",")));
    flags.push(format!("--proxy-server=127.0.0.1:{refusing_port}"));
    flags.push(format!("--user-data-dir={}", profile.display()));
    let (width, height) = settings.viewport;
    flags.push(format!("--window-size={width},{height}"));
    flags
}

/// Writes the preferences of a fresh profile and gives its folder to whoever runs the browser: user and group.
pub(crate) fn prepare_profile(dir: &Path, owner: Option<(u32, u32)>) -> io::Result<()> {
    let preferences = json!({
        "webrtc": { "ip_handling_policy": "disable_non_proxied_udp" },
        // Never guess what is wanted next.
        "net": { "network_prediction_options": 2 },
        // A PDF in a page is not shown, and a download is not made.
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
    fn the_sandbox_is_on_unless_the_settings_say_otherwise() {
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
        let told: serde_json::Value = serde_json::from_str(&text).unwrap();
        let policy = &told["webrtc"]["ip_handling_policy"];
        assert_eq!(policy, "disable_non_proxied_udp");
    }
}
