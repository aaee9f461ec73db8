//! The architecture as data: which crate may use which. `docs/architecture.md` shows the same table.

/// A crate and the crates of ours it may use. Dependencies for tests alone are not asked about.
pub(crate) struct Room {
    pub(crate) name: &'static str,
    pub(crate) may_use: &'static [&'static str],
}

const fn room(name: &'static str, may_use: &'static [&'static str]) -> Room {
    Room { name, may_use }
}

/// From the bottom up: a room uses only rooms above it in this list.
pub(crate) const ROOMS: [Room; 19] = [
    room("weburl", &[]),
    room("model", &["weburl"]),
    room("sitefiles", &["weburl", "model"]),
    room("html", &["weburl", "model"]),
    room("frontier", &["weburl", "model", "sitefiles"]),
    room("journal", &["weburl", "model", "sitefiles", "frontier"]),
    room("fetch", &["weburl", "model"]),
    room("render", &["weburl", "model", "fetch"]),
    room(
        "engine",
        &["weburl", "model", "sitefiles", "html", "frontier", "fetch"],
    ),
    room("output", &["weburl", "model"]),
    room("store", &["weburl", "model"]),
    room(
        "store-frontier",
        &["weburl", "model", "sitefiles", "frontier", "store"],
    ),
    room("store-postgres", &["weburl", "model", "store"]),
    room("store-sqlite", &["weburl", "model", "store"]),
    room(
        "service",
        &[
            "weburl",
            "model",
            "sitefiles",
            "html",
            "frontier",
            "fetch",
            "render",
            "engine",
            "store",
            "store-frontier",
        ],
    ),
    room(
        "crawler",
        &[
            "weburl",
            "model",
            "sitefiles",
            "html",
            "frontier",
            "journal",
            "fetch",
            "render",
            "engine",
            "output",
            "store",
            "store-postgres",
            "store-sqlite",
            "service",
        ],
    ),
    room("testsite", &[]),
    room(
        "bench",
        &[
            "weburl",
            "model",
            "sitefiles",
            "html",
            "frontier",
            "fetch",
            "engine",
            "output",
        ],
    ),
    room("xtask", &[]),
];
