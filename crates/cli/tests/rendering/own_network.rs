//! A page that is rendered by a command does not get to its reader's own network.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;

use testsite::{Pages, Server};

use crate::ground::Ground;

/// Something on another address of this machine that would tell everybody, and how often somebody came.
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

/// A page whose script asks its own origin and the neighbour, and writes down what each said.
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
    let ground = Ground::new();
    let neighbour = Neighbour::start();
    let server = site(neighbour.port);
    let url = server.url("/");
    for js in ["always", "auto"] {
        let words = ["scrape", &url, "--format", "text", "--js", js];
        let ended = ground.crawler(&words).well();
        for told in ["home said welcome", "neighbour said nothing"] {
            assert!(ended.out.contains(told), "{js}: {}{}", ended.out, ended.err);
        }
    }
    let words = ["crawl", &url, "--format", "ndjson", "--js", "always"];
    assert_eq!(ground.crawler(&words).well().objects()[0]["rendered"], true);
    assert_eq!(neighbour.came.load(SeqCst), 0);
    // The same page, where the neighbour was typed as well: only the fence kept them apart.
    let other = format!("http://127.0.0.2:{}/", neighbour.port);
    let words = ["scrape", &url, &other, "--format", "text", "--js", "always"];
    let ended = ground.crawler(&words);
    assert!(
        ended.out.contains("neighbour said secret"),
        "{}{}",
        ended.out,
        ended.err
    );
    ground.until_nothing_is_left();
}

#[test]
fn what_comes_on_stdin_was_not_typed() {
    let ground = Ground::new();
    let neighbour = Neighbour::start();
    let server = site(neighbour.port);
    let list = ground.path().join("list");
    std::fs::write(&list, server.url("/")).unwrap();
    let from_stdin = |js: &str| {
        let mut command = ground.command(&["scrape", "-", "--format", "json", "--js", js]);
        command.stdin(std::fs::File::open(&list).unwrap());
        crate::ground::finish(command)
    };
    let ended = from_stdin("always");
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert!(ended.err.contains("not a public one"), "{}", ended.err);
    // By HTTP it may be had as ever.
    let ended = from_stdin("auto").well();
    assert_eq!(
        ended.objects()[0]["meta"]["render_reason"],
        "browser_failed",
        "{}",
        ended.out
    );
    assert_eq!(neighbour.came.load(SeqCst), 0);
    ground.until_nothing_is_left();
}
