//! Pages that wear a browser out: they never end, never stop growing, or never let go. Whatever they do, a rendering
//! ends within its deadline, and the next page is none the worse.

mod site;

pub use site::Wild;

/// A page that wears a browser out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WildPage {
    /// Its name; its path is `/<name>`.
    pub name: &'static str,
    /// How its rendering may end.
    pub ends: Ends,
    /// What it does.
    pub about: &'static str,
    /// What stands in it: markup and script.
    pub(crate) markup: &'static str,
}

/// How the rendering of a wild page may end, always in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// With a document that has [`TEXT`] in it.
    Document,
    /// With a document or with a failure; a hang is none of them.
    InTime,
    /// With a failure: there never is a document.
    Fails,
    /// With a hop to this path.
    Moves(&'static str),
}

/// What stands in every page that is a document before it goes wild.
pub const TEXT: &str = "calm before the storm";

impl WildPage {
    /// Where it is.
    pub fn path(&self) -> String {
        format!("/{}", self.name)
    }
}

const fn wild(
    name: &'static str,
    ends: Ends,
    about: &'static str,
    markup: &'static str,
) -> WildPage {
    WildPage {
        name,
        ends,
        about,
        markup,
    }
}

/// All of them: name, how it ends, what it does, its markup. `big`, `endless`, `drip`, `silent` and what is loaded
/// besides the pages are made in [`Wild`].
#[rustfmt::skip]
pub const PAGES: [WildPage; 40] = [
    // time
    wild("spin", Ends::InTime, "while (1) while it loads", "<script>while (1) {}</script>"),
    wild("spin-later", Ends::InTime, "while (1) once it has loaded",
        "<script>addEventListener('load', () => setTimeout(() => { while (1) {} }, 10))</script>"),
    wild("spin-frames", Ends::InTime, "three inner frames that spin",
        "<iframe src=/spin></iframe><iframe src=/spin></iframe><iframe src=/spin></iframe>"),
    wild("timers", Ends::InTime, "ten thousand timers without a pause",
        "<script>for (let i = 0; i < 1e4; i++) setInterval(() => { document.title = Math.random(); }, 0)</script>"),
    wild("microtasks", Ends::InTime, "a promise that promises itself again",
        "<script>const again = () => Promise.resolve().then(again); again()</script>"),
    wild("regex", Ends::InTime, "a regular expression that backtracks for years",
        "<script>/^(a+)+$/.test('a'.repeat(60) + 'b')</script>"),
    wild("sync-request", Ends::InTime, "a synchronous request that is never answered",
        "<script>const ask = new XMLHttpRequest(); ask.open('GET', '/hang', false); ask.send()</script>"),
    wild("blocking-script", Ends::InTime, "a script in its head that never comes", "<script src=/hang></script>"),
    wild("blocking-style", Ends::InTime, "a style sheet that never comes",
        "<link rel=stylesheet href=/hang><script>getComputedStyle(document.body).color</script>"),
    wild("endless", Ends::InTime, "a document that never ends, quickly", ""),
    wild("drip", Ends::InTime, "a document that never ends, a byte at a time", ""),
    wild("silent", Ends::Fails, "a document whose first byte never comes", ""),
    // size
    wild("big", Ends::InTime, "50 MB of paragraphs, of which a browser makes ten times as much", ""),
    wild("buffers", Ends::InTime, "array buffers without end",
        "<script>const kept = []; setInterval(() => { kept.push(new Uint8Array(64 << 20).fill(1)); }, 5)</script>"),
    wild("wasm", Ends::InTime, "WebAssembly memories of 4 GB, written to",
        "<script>const kept = []; setInterval(() => { const memory = new WebAssembly.Memory({ initial: 1024, maximum: 65536 });
kept.push(memory); for (;;) { new Uint8Array(memory.buffer).fill(7); if (memory.buffer.byteLength >= 2 ** 32 - 2 ** 27) break;
memory.grow(1024); } }, 5)</script>"),
    wild("strings", Ends::InTime, "a string that doubles, and is kept",
        "<script>const kept = []; setInterval(() => { kept.push(('x' + Math.random()).repeat(4e6) + kept.length); }, 5)</script>"),
    wild("dom", Ends::InTime, "elements without end, in one go",
        "<script>for (;;) document.body.append(document.createElement('p'))</script>"),
    wild("dom-slowly", Ends::InTime, "a thousand elements every millisecond",
        "<script>setInterval(() => { for (let i = 0; i < 1000; i++) { const p = document.createElement('p');
p.textContent = 'more and more'; document.body.append(p); } }, 1)</script>"),
    wild("deep", Ends::InTime, "a hundred thousand elements, each in the other",
        "<script>let at = document.body; for (let i = 0; i < 1e5; i++) at = at.appendChild(document.createElement('b'));
at.textContent = 'at the bottom'</script>"),
    wild("write", Ends::InTime, "document.write without end", "<script>for (;;) document.write('<p>more')</script>"),
    wild("data-urls", Ends::InTime, "ten images and a frame of 8 MB each as data: URLs",
        "<script>const much = 'A'.repeat(8 << 20); for (let i = 0; i < 10; i++) { const image = new Image();
image.src = 'data:image/png;base64,' + much; document.body.append(image); }
const frame = document.createElement('iframe'); frame.src = 'data:text/html,' + much; document.body.append(frame)</script>"),
    wild("title", Ends::Document, "a title of 16 MB", "<script>document.title = 'T'.repeat(16 << 20)</script>"),
    // number
    wild("iframes", Ends::InTime, "10,000 inner frames",
        "<script>for (let i = 0; i < 10000; i++) { const frame = document.createElement('iframe');
frame.src = '/leaf?' + i; document.body.append(frame); }</script>"),
    wild("frames-of-itself", Ends::InTime, "two frames of itself in every frame",
        "<script>for (const side of 'lr') { const frame = document.createElement('iframe');
frame.src = '/frames-of-itself?' + location.search.slice(1) + side; document.body.append(frame); }</script>"),
    wild("workers", Ends::InTime, "workers without end, each spinning",
        "<script>const code = URL.createObjectURL(new Blob(['for (;;) {}']));
setInterval(() => new Worker(code), 1)</script>"),
    wild("requests", Ends::InTime, "a hundred requests every millisecond",
        "<script>let n = 0; setInterval(() => { for (let i = 0; i < 100; i++) fetch('/leaf?' + n++).catch(() => {}); }, 1)</script>"),
    wild("sockets", Ends::InTime, "web sockets and event streams without end",
        "<script>setInterval(() => { new WebSocket('ws://' + location.host + '/hang'); new EventSource('/hang'); }, 1)</script>"),
    wild("console", Ends::InTime, "a thousand lines of 1 KB to the console every millisecond",
        "<script>setInterval(() => { for (let i = 0; i < 1000; i++) console.log('c'.repeat(1000), i); }, 1)</script>"),
    wild("errors", Ends::InTime, "an exception every time round, without end",
        "<script>setInterval(() => { throw new Error('e'.repeat(1e5)); }, 0)</script>"),
    // elsewhere
    wild("alerts", Ends::InTime, "alert without end", "<script>for (let i = 0; ; i++) alert('again ' + i)</script>"),
    wild("windows", Ends::InTime, "windows without end, each opening more",
        "<script>setInterval(() => { for (let i = 0; i < 10; i++) window.open('/windows?' + Math.random()); }, 1)</script>"),
    wild("downloads", Ends::InTime, "a download every 20 ms",
        "<script>setInterval(() => { const link = document.createElement('a'); link.href = '/file.bin?' + Math.random();
link.download = 'file.bin'; document.body.append(link); link.click(); }, 20)</script>"),
    wild("print", Ends::InTime, "print without end", "<script>setInterval(() => print(), 1)</script>"),
    wild("push-state", Ends::InTime, "history.pushState without end",
        "<script>for (let i = 0; ; i++) history.pushState(i, '', '/push-state/' + i)</script>"),
    wild("reload", Ends::InTime, "loads itself again as soon as it can", "<script>location.reload()</script>"),
    wild("ping", Ends::Moves("/pong"), "sends the reader to /pong, which sends it back",
        "<script>location.replace('/pong')</script>"),
    wild("pong", Ends::Moves("/ping"), "sends the reader to /ping, which sends it back",
        "<script>location.replace('/ping')</script>"),
    wild("scroll", Ends::InTime, "scrolls itself down a list without end",
        "<div id=list></div><script>setInterval(() => { for (let i = 0; i < 50; i++) list.insertAdjacentHTML('beforeend',
'<p style=height:9rem>entry</p>'); scrollTo(0, document.body.scrollHeight); }, 10)</script>"),
    wild("beforeunload", Ends::InTime, "will not be left: asks, and spins when it is",
        "<script>addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = 'stay'; });
addEventListener('pagehide', () => { while (1) {} })</script>"),
    wild("overwritten", Ends::InTime, "overwrites what a reader of the document may call",
        "<script>const no = () => { while (1) {} }; for (const name of ['outerHTML', 'innerHTML', 'shadowRoot', 'textContent'])
Object.defineProperty(Element.prototype, name, { get: no }); XMLSerializer.prototype.serializeToString = no;
Array.prototype.toJSON = no; String.prototype.toString = no; document.querySelectorAll = no</script>"),
];
