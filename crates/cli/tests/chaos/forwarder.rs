//! A forwarder between a process and its database that can forget its connections without closing them: what a network
//! does when a cable is pulled or a gateway restarts.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread::spawn;

/// Odd while nothing passes. A connection belongs to the even number it was made under, and passes nothing under any
/// other.
#[derive(Clone, Default)]
struct Era(Arc<AtomicU64>);

/// A forwarder on a port of its own.
pub(crate) struct Forwarder {
    era: Era,
    pub(crate) port: u16,
}

impl Forwarder {
    pub(crate) fn start(to: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let era = Era::default();
        let forwarder = Self {
            era: era.clone(),
            port,
        };
        spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = TcpStream::connect(("127.0.0.1", to)) else {
                    continue;
                };
                let born = era.0.load(SeqCst);
                let [near_too, far_too] = [&near, &far].map(|end| end.try_clone().unwrap());
                let (there, back) = (era.clone(), era.clone());
                spawn(move || there.forward(born, near, far));
                spawn(move || back.forward(born, far_too, near_too));
            }
        });
        forwarder
    }

    /// Connections that there are never pass anything again; new ones do not until [`Self::heal`].
    pub(crate) fn forget(&self) {
        self.era.0.fetch_add(1, SeqCst);
    }

    pub(crate) fn heal(&self) {
        self.era.0.fetch_add(1, SeqCst);
    }
}

impl Era {
    fn forward(&self, born: u64, mut from: TcpStream, mut to: TcpStream) {
        let mut buffer = [0; 16 << 10];
        while let Ok(count) = from.read(&mut buffer) {
            if born % 2 == 1 || self.0.load(SeqCst) != born {
                // Read and lost; the other end is told nothing.
                if count == 0 {
                    break;
                }
                continue;
            }
            if count == 0 || to.write_all(&buffer[..count]).is_err() {
                let _ = to.shutdown(std::net::Shutdown::Both);
                return;
            }
        }
        // Forgotten: kept open until the process is gone.
        if born % 2 == 1 || self.0.load(SeqCst) != born {
            std::mem::forget(to);
        }
    }
}
