//! A page that is rendered by a command does not get to its reader's own network.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

use testsite::{Pages, Server};

use crate::rendering::test_folder::TestFolder;

/// A server on another address of this machine that allows every origin and counts its visitors.
struct Neighbour {
    port: u16,
    came: Arc<AtomicUsize>,
}

impl Neighbour {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.2:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let came = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&came);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                count.fetch_add(1, SeqCst);
                // Whoever asks goes away when he likes.
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(
                    b"HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-type: text/plain\r\n\
                      content-length: 6\r\nconnection: close\r\n\r\nsecret",
                );
            }
        });
        Self { port, came }
    }
}

/// A page whose script fetches from its own origin and the neighbour, and shows both results.
fn site(neighbour: u16) -> Server {
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
ask('neighbour', 'http://127.0.0.2:{neighbour}/words');
</script></body>"
    );
    Server::start(Pages::new().html("/", &page).html("/words", "welcome"))
}

#[test]
fn of_private_addresses_a_page_gets_to_those_that_were_typed() {
    let folder = TestFolder::new();
    let neighbour = Neighbour::start();
    let server = site(neighbour.port);
    let url = server.url("/");
    for js in ["always", "auto"] {
        let words = ["scrape", &url, "--format", "text", "--js", js];
        let ended = folder.run(&words).finish().success();
        for told in ["home said welcome", "neighbour said nothing"] {
            assert!(
                ended.stdout.contains(told),
                "{js}: {}{}",
                ended.stdout,
                ended.stderr
            );
        }
    }
    let words = ["crawl", &url, "--format", "ndjson", "--js", "always"];
    assert_eq!(
        folder.run(&words).finish().success().objects()[0]["rendered"],
        true
    );
    assert_eq!(neighbour.came.load(SeqCst), 0);
    // The same page, where the neighbour was typed as well: only the fence kept them apart.
    let other = format!("http://127.0.0.2:{}/", neighbour.port);
    let words = ["scrape", &url, &other, "--format", "text", "--js", "always"];
    let ended = folder.run(&words).finish();
    assert!(
        ended.stdout.contains("neighbour said secret"),
        "{}{}",
        ended.stdout,
        ended.stderr
    );
    folder.wait_for_cleanup();
}

#[test]
fn what_comes_on_stdin_was_not_typed() {
    let folder = TestFolder::new();
    let neighbour = Neighbour::start();
    let server = site(neighbour.port);
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
    assert_eq!(neighbour.came.load(SeqCst), 0);
    folder.wait_for_cleanup();
}
