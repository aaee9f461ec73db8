//! A page rendered by a command cannot reach the private network of the user.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

use testsite::{Pages, Server};

use crate::rendering::test_folder::TestFolder;

/// A server on another address of this machine that allows every origin and counts its visitors.
struct Neighbor {
    port: u16,
    visits: Arc<AtomicUsize>,
}

impl Neighbor {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.2:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let visits = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&visits);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                count.fetch_add(1, SeqCst);
                // The client may disconnect at any time.
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(
                    b"HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-type: text/plain\r\n\
                      content-length: 6\r\nconnection: close\r\n\r\nsecret",
                );
            }
        });
        Self { port, visits }
    }
}

/// A page whose script fetches from its own origin and the neighbor, and shows both results.
fn site(neighbor: u16) -> Server {
    let page = format!(
        "<!doctype html><title>Curious</title><body><div id=root></div><script>
const write = (name, words) => {{
  const line = document.createElement('p');
  line.textContent = name + ' said ' + words;
  document.getElementById('root').append(line);
}};
const ask = (name, url) => fetch(url).then(answer => answer.text()).then(
  words => write(name, words), () => write(name, 'nothing'));
ask('home', '/words');
ask('neighbor', 'http://127.0.0.2:{neighbor}/words');
</script></body>"
    );
    Server::start(Pages::new().html("/", &page).html("/words", "welcome"))
}

#[test]
fn a_page_reaches_only_private_addresses_given_as_arguments() {
    let folder = TestFolder::new();
    let neighbor = Neighbor::start();
    let server = site(neighbor.port);
    let url = server.url("/");
    for js in ["always", "auto"] {
        let args = ["scrape", &url, "--format", "text", "--js", js];
        let ended = folder.run(&args).finish().success();
        for expected in ["home said welcome", "neighbor said nothing"] {
            assert!(
                ended.stdout.contains(expected),
                "{js}: {}{}",
                ended.stdout,
                ended.stderr
            );
        }
    }
    let args = ["crawl", &url, "--format", "ndjson", "--js", "always"];
    assert_eq!(
        folder.run(&args).finish().success().objects()[0]["rendered"],
        true
    );
    assert_eq!(neighbor.visits.load(SeqCst), 0);
    // If the neighbor is given as an argument too, the same page reaches it.
    let other = format!("http://127.0.0.2:{}/", neighbor.port);
    let args = ["scrape", &url, &other, "--format", "text", "--js", "always"];
    let ended = folder.run(&args).finish();
    assert!(
        ended.stdout.contains("neighbor said secret"),
        "{}{}",
        ended.stdout,
        ended.stderr
    );
    folder.wait_for_cleanup();
}

#[test]
fn urls_from_stdin_do_not_allow_private_addresses() {
    let folder = TestFolder::new();
    let neighbor = Neighbor::start();
    let server = site(neighbor.port);
    let from_stdin = |js: &str| {
        let run = folder.run(&["scrape", "-", "--format", "json", "--js", js]);
        run.stdin(server.url("/").as_bytes()).finish()
    };
    let ended = from_stdin("always");
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("is not public"), "{}", ended.stderr);
    // It can be fetched by HTTP.
    let ended = from_stdin("auto").success();
    assert_eq!(
        ended.objects()[0]["meta"]["render_reason"],
        "browser_failed",
        "{}",
        ended.stdout
    );
    assert_eq!(neighbor.visits.load(SeqCst), 0);
    folder.wait_for_cleanup();
}
