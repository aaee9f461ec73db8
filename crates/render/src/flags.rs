//! How Chromium is told to start.
use std::path::Path;
use crate::RenderSettings;
pub(crate) fn flags(settings: &RenderSettings, profile: &Path, refusing_port: u16) -> Vec<String> {
    let mut flags: Vec<String> = "--remote-debugging-pipe --no-first-run --no-default-browser-check --disable-background-networking --disable-component-update --disable-sync --disable-default-apps --disable-extensions --disable-domain-reliability --disable-breakpad --disable-crash-reporter --disable-client-side-phishing-detection --disable-quic --disable-gpu --mute-audio --hide-scrollbars --metrics-recording-only --no-pings --no-service-autorun --password-store=basic --use-mock-keychain --disable-search-engine-choice-screen --no-startup-window --block-new-web-contents --proxy-bypass-list=<-loopback> --force-webrtc-ip-handling-policy=disable_non_proxied_udp --webrtc-ip-handling-policy=disable_non_proxied_udp --disable-features=OptimizationHints,MediaRouter,Translate,AutofillServerCommunication,CertificateTransparencyComponentUpdater,DialMediaRouteProvider,BackForwardCache,InterestFeedContentSuggestions,NetworkTimeServiceQuerying,AsyncDns,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable"
        .split(' ').map(str::to_owned).collect();
    flags.push("--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1".to_owned());
    flags.push(format!("--proxy-server=127.0.0.1:{refusing_port}"));
    flags.push(format!("--user-data-dir={}", profile.display()));
    if settings.headless { flags.push("--headless".to_owned()); }
    if !settings.sandbox { flags.push("--no-sandbox".to_owned()); }
    flags
}
