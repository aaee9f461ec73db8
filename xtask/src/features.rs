//! Builds with fewer features; all other steps use the default build. Each is linted, and the one without any features is run: a
//! command or a flag that it leaves out is refused with the name of the feature.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Context, Result, bail, ensure};

use crate::shell::{cargo, run, target_folder};

/// Exit code of a command that is refused because of its arguments.
const BAD_USAGE: i32 = 2;

pub(crate) fn check() -> Result<()> {
    lint()?;
    // The following steps build the program with its default features again, in the same place.
    let build = ["build", "--locked", "--quiet", "--package", "crawler-cli"];
    run(cargo().args(build).arg("--no-default-features"))?;
    run_lean(&target_folder()?.join("debug/crawler"))
}

/// The library is linted on its own, because in a build of several packages cargo unites the features of their dependencies,
/// which hides missing ones.
fn lint() -> Result<()> {
    let builds = [
        ("crawler", ["", "content", "render"].as_slice()),
        (
            "crawler-cli",
            ["", "content", "state", "render", "service"].as_slice(),
        ),
    ];
    for (package, features) in builds {
        for features in features {
            let mut build = cargo();
            build.args(["clippy", "--locked", "--quiet", "--package", package]);
            if package == "crawler" {
                build.arg("--all-targets");
            }
            build.args(["--no-default-features", "--features", features]);
            run(build.args(["--", "-D", "warnings"]))?;
        }
    }
    Ok(())
}

/// Runs the program without features: commands that need one, and a crawl.
fn run_lean(program: &Path) -> Result<()> {
    let site = start_site()?;
    let url = format!("http://{site}/");
    for (args, feature) in [
        (["scrape", &url].as_slice(), "content"),
        (&["crawl", &url, "--state", "lean.state"], "state"),
        (&["crawl", &url, "--js", "always"], "render"),
        (&["map", &url, "--js", "auto"], "render"),
        (&["serve"], "service"),
        (&["config"], "service"),
        (&["keys", "list"], "service"),
    ] {
        let output = output_of(program, args)?;
        let refused = output.status.code() == Some(BAD_USAGE) && output.stdout.is_empty();
        let stderr = String::from_utf8_lossy(&output.stderr);
        ensure!(
            refused && stderr.contains(&format!("rebuild with --features {feature}")),
            "without features, {args:?} is not refused with the name of {feature}: {output:?}"
        );
    }
    let output = output_of(program, &["crawl", &url, "--format", "ndjson"])?;
    let pages = String::from_utf8_lossy(&output.stdout);
    ensure!(
        output.status.success() && pages.lines().count() == 2 && pages.contains("/two"),
        "without features, a site is not crawled: {output:?}"
    );
    Ok(())
}

fn output_of(program: &Path, args: &[&str]) -> Result<Output> {
    let mut command = Command::new(program);
    command.args(args).current_dir(std::env::temp_dir());
    let output = command.output();
    output.with_context(|| format!("cannot start {command:?}"))
}

/// Starts a site of two pages, which ends with this process.
fn start_site() -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            // The client may disconnect at any time.
            let _ = respond(client);
        }
    });
    Ok(address)
}

fn respond(mut client: TcpStream) -> Result<()> {
    let mut request = BufReader::new(client.try_clone()?).lines();
    let Some(first) = request.next().transpose()? else {
        bail!("no request");
    };
    // Closing a connection with unread bytes would reset it.
    while request
        .next()
        .transpose()?
        .is_some_and(|line| !line.is_empty())
    {}
    let (status, page) = match first.split(' ').nth(1) {
        Some("/") => ("200 OK", "<title>One</title><p>words <a href=/two>two</a>"),
        Some("/two") => ("200 OK", "<title>Two</title><p>words"),
        _ => ("404 Not Found", ""),
    };
    let length = page.len();
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{page}"
    )?;
    Ok(())
}
