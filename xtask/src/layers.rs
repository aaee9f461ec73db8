//! Which crate depends on which. `docs/architecture.md` shows the same table.

/// A crate, and the crates of this workspace it depends on. Dev-dependencies are not restricted.
pub(crate) struct Layer {
    pub(crate) name: &'static str,
    pub(crate) uses: &'static [&'static str],
}

const fn layer(name: &'static str, uses: &'static [&'static str]) -> Layer {
    Layer { name, uses }
}

/// From the bottom up: a crate depends only on crates that come before it in this list.
pub(crate) const LAYERS: [Layer; 21] = [
    layer("crawler-public-suffix", &[]),
    layer("crawler-weburl", &["crawler-public-suffix"]),
    layer("crawler-model", &["crawler-weburl"]),
    layer("crawler-sitefiles", &["crawler-model"]),
    layer("crawler-html", &["crawler-model"]),
    layer(
        "crawler-frontier",
        &["crawler-weburl", "crawler-model", "crawler-sitefiles"],
    ),
    layer(
        "crawler-journal",
        &[
            "crawler-weburl",
            "crawler-model",
            "crawler-sitefiles",
            "crawler-frontier",
        ],
    ),
    layer("crawler-fetch", &["crawler-weburl", "crawler-model"]),
    layer(
        "crawler-render",
        &["crawler-weburl", "crawler-model", "crawler-fetch"],
    ),
    layer(
        "crawler-engine",
        &[
            "crawler-weburl",
            "crawler-model",
            "crawler-sitefiles",
            "crawler-html",
            "crawler-frontier",
            "crawler-fetch",
        ],
    ),
    layer(
        "crawler",
        &[
            "crawler-weburl",
            "crawler-model",
            "crawler-html",
            "crawler-frontier",
            "crawler-fetch",
            "crawler-render",
            "crawler-engine",
        ],
    ),
    layer("crawler-output", &["crawler-weburl", "crawler-model"]),
    layer("crawler-store", &["crawler-weburl", "crawler-model"]),
    layer(
        "crawler-store-frontier",
        &[
            "crawler-weburl",
            "crawler-model",
            "crawler-sitefiles",
            "crawler-frontier",
            "crawler-store",
        ],
    ),
    layer(
        "crawler-store-postgres",
        &["crawler-weburl", "crawler-store"],
    ),
    layer("crawler-store-sqlite", &["crawler-weburl", "crawler-store"]),
    layer(
        "crawler-service",
        &[
            "crawler-weburl",
            "crawler-model",
            "crawler-sitefiles",
            "crawler-html",
            "crawler-frontier",
            "crawler-fetch",
            "crawler-render",
            "crawler-engine",
            "crawler-store",
            "crawler-store-frontier",
        ],
    ),
    layer(
        "crawler-cli",
        &[
            "crawler-weburl",
            "crawler-model",
            "crawler-html",
            "crawler-frontier",
            "crawler-journal",
            "crawler-fetch",
            "crawler-engine",
            "crawler",
            "crawler-output",
            "crawler-store",
            "crawler-store-postgres",
            "crawler-store-sqlite",
            "crawler-service",
        ],
    ),
    layer("testsite", &[]),
    layer(
        "bench",
        &[
            "crawler-weburl",
            "crawler-model",
            "crawler-sitefiles",
            "crawler-html",
            "crawler-frontier",
            "crawler-fetch",
            "crawler-engine",
            "crawler-output",
        ],
    ),
    layer("xtask", &[]),
];
