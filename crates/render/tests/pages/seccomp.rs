//! Chromium with its sandbox under the seccomp profile of `deploy/`.

use std::path::Path;
use std::process::{Command, Output};

use crawler_model::RequestSpec;
use testsite::{Pages, Server};

use crate::launcher::Launcher;
use crate::process_tree::{Process, descendants, until};
use crate::test_renderer::{TestRenderer, markup};

const PYTHON: &str = "/usr/bin/python3";

/// Returns a launcher that starts Chromium under the profile. Needs libseccomp.
fn launcher() -> Launcher {
    let script =
        format!("exec {PYTHON} \"$HERE/seccomp.py\" \"$HERE/seccomp.json\" \"$CHROMIUM\" \"$@\"");
    let launcher = Launcher::new(&script);
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (from, name) in [
        ("tests/pages/seccomp.py", "seccomp.py"),
        ("../../deploy/seccomp.json", "seccomp.json"),
    ] {
        std::fs::copy(manifest.join(from), launcher.beside(name)).unwrap();
    }
    let loaded = under_profile(&launcher, "true");
    let stderr = String::from_utf8_lossy(&loaded.stderr);
    assert!(
        loaded.status.success(),
        "the profile cannot be loaded: {stderr}"
    );
    launcher
}

/// Runs a shell command under the profile.
fn under_profile(launcher: &Launcher, command: &str) -> Output {
    let mut run = Command::new(PYTHON);
    run.arg(launcher.beside("seccomp.py"))
        .arg(launcher.beside("seccomp.json"))
        .args(["/bin/sh", "-c", command]);
    run.output().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn chromium_runs_with_its_sandbox_under_the_profile() {
    let launcher = launcher();
    let site = Server::start(Pages::new().html(
        "/",
        "<p id=said>nothing<script>
            const code = URL.createObjectURL(new Blob(['postMessage(6 * 7)']));
            new Worker(code).onmessage = ({ data }) => { said.textContent = `the answer ${data}`; };
        </script>",
    ));
    let program = Some(launcher.program.as_path());
    // Without its sandbox, rendering would be refused.
    let test = TestRenderer::by(program, &RequestSpec::default(), |_| ());
    let page = test.document(&site.url("/")).await.unwrap();
    assert!(markup(&page).contains("the answer 42"), "{page:?}");
    // The filter of the profile, and that of the sandbox.
    let pages: Vec<Process> = descendants();
    let pages: Vec<&Process> = pages.iter().filter(|process| process.renders()).collect();
    assert!(!pages.is_empty());
    for page in pages {
        let filters: u32 = page
            .status_field("Seccomp_filters:")
            .unwrap()
            .parse()
            .unwrap();
        assert!(filters >= 2, "{page:?}");
    }
    test.renderer.close().await;
    until("all have exited", || descendants().is_empty()).await;
}

/// Also for root, which could do all of this without the profile.
#[test]
fn the_profile_refuses_other_namespaces_and_mounts() {
    let launcher = launcher();
    for (command, permitted) in [
        ("unshare --user true", true),
        ("unshare --user --net true", true),
        ("unshare --mount true", false),
        ("unshare --user --mount true", false),
        ("unshare --user --uts true", false),
        ("unshare --user --ipc true", false),
        ("mount -t tmpfs none /mnt", false),
    ] {
        let output = under_profile(&launcher, command);
        assert_eq!(output.status.success(), permitted, "{command}: {output:?}");
    }
}
