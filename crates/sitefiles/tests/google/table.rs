//! The allow and deny assertions of Google's robots.txt parser, as data.
//!
//! The facts (file contents, agent, path, verdict) are those of `robots_test.cc` in
//! <https://github.com/google/robotstxt>, Copyright 2019 Google LLC, Apache License 2.0. URLs are
//! reduced to path and query. Each file is followed by its checks: `(agent, path, allowed)`.

pub(super) type Check = (&'static str, &'static str, bool);

pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) body: &'static str,
    pub(super) checks: &'static [Check],
}

const fn case(name: &'static str, body: &'static str, checks: &'static [Check]) -> Case {
    Case { name, body, checks }
}

const GROUPS: &str = "allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\n\
    user-agent: BarBot\ndisallow: /\nallow: /y/\n\n\nallow: /w/\nuser-agent: BazBot\n\n\
    user-agent: FooBot\nallow: /z/\ndisallow: /\n";

/// The same six checks for each of three spellings of one file.
const SPELLINGS: &[Check] = &[("FooBot", "/x/y", true), ("FooBot", "/a/b", false)];
const AGENT_SPELLINGS: &[Check] = &[
    ("Foo", "/x/y", true),
    ("Foo", "/a/b", false),
    ("foo", "/x/y", true),
    ("foo", "/a/b", false),
];

pub(super) const CASES: &[Case] = &[
    case(
        "nothing in the file",
        "",
        &[("FooBot", "/", true), ("", "/", true)],
    ),
    case(
        "no agent and no path",
        "user-agent: FooBot\ndisallow: /\n",
        &[("", "", true), ("FooBot", "", false)],
    ),
    case(
        "a rule",
        "user-agent: FooBot\ndisallow: /\n",
        &[("FooBot", "/x/y", false)],
    ),
    case(
        "unknown names",
        "foo: FooBot\nbar: /\n",
        &[("FooBot", "/x/y", true)],
    ),
    case(
        "no colon",
        "user-agent FooBot\ndisallow /\n",
        &[("FooBot", "/x/y", false)],
    ),
    case(
        "groups are merged by agent, and rules before any group ignored",
        GROUPS,
        &[
            ("FooBot", "/x/b", true),
            ("FooBot", "/z/d", true),
            ("FooBot", "/y/c", false),
            ("BarBot", "/y/c", true),
            ("BarBot", "/w/a", true),
            ("BarBot", "/z/d", false),
            ("BazBot", "/z/d", true),
            ("FooBot", "/foo/bar/", false),
            ("BarBot", "/foo/bar/", false),
            ("BazBot", "/foo/bar/", false),
        ],
    ),
    case(
        "a sitemap line closes no group",
        "User-agent: BarBot\nSitemap: https://foo.bar/sitemap\nUser-agent: *\nDisallow: /\n",
        &[("FooBot", "/", false), ("BarBot", "/", false)],
    ),
    case(
        "an unknown line closes no group",
        "User-agent: FooBot\nInvalid-Unknown-Line: unknown\nUser-agent: *\nDisallow: /\n",
        &[("FooBot", "/", false), ("BarBot", "/", false)],
    ),
    case(
        "upper-case names",
        "USER-AGENT: FooBot\nALLOW: /x/\nDISALLOW: /\n",
        SPELLINGS,
    ),
    case(
        "lower-case names",
        "user-agent: FooBot\nallow: /x/\ndisallow: /\n",
        SPELLINGS,
    ),
    case(
        "mixed-case names",
        "uSeR-aGeNt: FooBot\nAlLoW: /x/\ndIsAlLoW: /\n",
        SPELLINGS,
    ),
    case(
        "upper-case agent",
        "User-Agent: FOO BAR\nAllow: /x/\nDisallow: /\n",
        AGENT_SPELLINGS,
    ),
    case(
        "lower-case agent",
        "User-Agent: foo bar\nAllow: /x/\nDisallow: /\n",
        AGENT_SPELLINGS,
    ),
    case(
        "mixed-case agent",
        "User-Agent: FoO bAr\nAllow: /x/\nDisallow: /\n",
        AGENT_SPELLINGS,
    ),
    case(
        "an agent value ends at the first space",
        "User-Agent: *\nDisallow: /\nUser-Agent: Foo Bar\nAllow: /x/\nDisallow: /\n",
        &[("Foo", "/x/y", true), ("Foo Bar", "/x/y", false)],
    ),
    case("no groups", "", &[("FooBot", "/x/y", true)]),
    case(
        "the group for everyone is second",
        "user-agent: *\nallow: /\nuser-agent: FooBot\ndisallow: /\n",
        &[("FooBot", "/x/y", false), ("BarBot", "/x/y", true)],
    ),
    case(
        "no group for us",
        "user-agent: FooBot\nallow: /\nuser-agent: BarBot\ndisallow: /\n\
         user-agent: BazBot\ndisallow: /\n",
        &[("QuxBot", "/x/y", true)],
    ),
    case(
        "lower-case path",
        "user-agent: FooBot\ndisallow: /x/\n",
        &[("FooBot", "/x/y", false)],
    ),
    case(
        "upper-case path",
        "user-agent: FooBot\ndisallow: /X/\n",
        &[("FooBot", "/x/y", true)],
    ),
    case(
        "longest match disallows",
        "user-agent: FooBot\ndisallow: /x/page.html\nallow: /x/\n",
        &[("FooBot", "/x/page.html", false)],
    ),
    case(
        "longest match allows",
        "user-agent: FooBot\nallow: /x/page.html\ndisallow: /x/\n",
        &[("FooBot", "/x/page.html", true), ("FooBot", "/x/", false)],
    ),
    case(
        "both empty",
        "user-agent: FooBot\ndisallow: \nallow: \n",
        &[("FooBot", "/x/page.html", true)],
    ),
    case(
        "a tie of slashes allows",
        "user-agent: FooBot\ndisallow: /\nallow: /\n",
        &[("FooBot", "/x/page.html", true)],
    ),
    case(
        "with and without the last slash",
        "user-agent: FooBot\ndisallow: /x\nallow: /x/\n",
        &[("FooBot", "/x", false), ("FooBot", "/x/", true)],
    ),
    case(
        "a tie of pages allows",
        "user-agent: FooBot\ndisallow: /x/page.html\nallow: /x/page.html\n",
        &[("FooBot", "/x/page.html", true)],
    ),
    case(
        "the star counts for length",
        "user-agent: FooBot\nallow: /page\ndisallow: /*.html\n",
        &[("FooBot", "/page.html", false), ("FooBot", "/page", true)],
    ),
    case(
        "a longer prefix beats a star",
        "user-agent: FooBot\nallow: /x/page.\ndisallow: /*.html\n",
        &[
            ("FooBot", "/x/page.html", true),
            ("FooBot", "/x/y.html", false),
        ],
    ),
    case(
        "our group leaves out everyone's",
        "User-agent: *\nDisallow: /x/\nUser-agent: FooBot\nDisallow: /y/\n",
        &[("FooBot", "/x/page", true), ("FooBot", "/y/page", false)],
    ),
    case(
        "a URL in the query",
        "User-agent: FooBot\nDisallow: /\nAllow: /foo/bar?qux=taz&baz=http://foo.bar?tar&par\n",
        &[(
            "FooBot",
            "/foo/bar?qux=taz&baz=http://foo.bar?tar&par",
            true,
        )],
    ),
    case(
        "a raw character in the rule",
        "User-agent: FooBot\nDisallow: /\nAllow: /foo/bar/ツ\n",
        &[
            ("FooBot", "/foo/bar/%E3%83%84", true),
            ("FooBot", "/foo/bar/ツ", false),
        ],
    ),
    case(
        "an escaped character in the rule",
        "User-agent: FooBot\nDisallow: /\nAllow: /foo/bar/%E3%83%84\n",
        &[
            ("FooBot", "/foo/bar/%E3%83%84", true),
            ("FooBot", "/foo/bar/ツ", false),
        ],
    ),
    case(
        "escaped letters in the rule",
        "User-agent: FooBot\nDisallow: /\nAllow: /foo/bar/%62%61%7A\n",
        &[
            ("FooBot", "/foo/bar/baz", false),
            ("FooBot", "/foo/bar/%62%61%7A", true),
        ],
    ),
    case(
        "a star between folders",
        "User-agent: FooBot\nDisallow: /foo/bar/quz\nAllow: /foo/*/qux\n",
        &[
            ("FooBot", "/foo/bar/quz", false),
            ("FooBot", "/foo/quz", true),
            ("FooBot", "/foo//quz", true),
            ("FooBot", "/foo/bax/quz", true),
        ],
    ),
    case(
        "a dollar at the end",
        "User-agent: FooBot\nDisallow: /foo/bar$\nAllow: /foo/bar/qux\n",
        &[
            ("FooBot", "/foo/bar", false),
            ("FooBot", "/foo/bar/qux", true),
            ("FooBot", "/foo/bar/", true),
            ("FooBot", "/foo/bar/baz", true),
        ],
    ),
    case(
        "comments",
        "User-agent: FooBot\n# Disallow: /\nDisallow: /foo/quz#qux\nAllow: /\n",
        &[("FooBot", "/foo/bar", true), ("FooBot", "/foo/quz", false)],
    ),
    case(
        "index.html is its folder (Google only)",
        "User-Agent: *\nAllow: /allowed-slash/index.html\nDisallow: /\n",
        &[
            ("foobot", "/allowed-slash/", true),
            ("foobot", "/allowed-slash/index.htm", false),
            ("foobot", "/allowed-slash/index.html", true),
            ("foobot", "/anyother-url", false),
        ],
    ),
    case(
        "documentation: /fish",
        "user-agent: FooBot\ndisallow: /\nallow: /fish\n",
        &[
            ("FooBot", "/bar", false),
            ("FooBot", "/fish", true),
            ("FooBot", "/fish.html", true),
            ("FooBot", "/fish/salmon.html", true),
            ("FooBot", "/fishheads", true),
            ("FooBot", "/fishheads/yummy.html", true),
            ("FooBot", "/fish.html?id=anything", true),
            ("FooBot", "/Fish.asp", false),
            ("FooBot", "/catfish", false),
            ("FooBot", "/?id=fish", false),
        ],
    ),
    case(
        "documentation: /fish*",
        "user-agent: FooBot\ndisallow: /\nallow: /fish*\n",
        &[
            ("FooBot", "/bar", false),
            ("FooBot", "/fish", true),
            ("FooBot", "/fish.html", true),
            ("FooBot", "/fish/salmon.html", true),
            ("FooBot", "/fishheads", true),
            ("FooBot", "/fishheads/yummy.html", true),
            ("FooBot", "/fish.html?id=anything", true),
            ("FooBot", "/Fish.bar", false),
            ("FooBot", "/catfish", false),
            ("FooBot", "/?id=fish", false),
        ],
    ),
    case(
        "documentation: /fish/",
        "user-agent: FooBot\ndisallow: /\nallow: /fish/\n",
        &[
            ("FooBot", "/bar", false),
            ("FooBot", "/fish/", true),
            ("FooBot", "/fish/salmon", true),
            ("FooBot", "/fish/?salmon", true),
            ("FooBot", "/fish/salmon.html", true),
            ("FooBot", "/fish/?id=anything", true),
            ("FooBot", "/fish", false),
            ("FooBot", "/fish.html", false),
            ("FooBot", "/Fish/Salmon.html", false),
        ],
    ),
    case(
        "documentation: /*.php",
        "user-agent: FooBot\ndisallow: /\nallow: /*.php\n",
        &[
            ("FooBot", "/bar", false),
            ("FooBot", "/filename.php", true),
            ("FooBot", "/folder/filename.php", true),
            ("FooBot", "/folder/filename.php?parameters", true),
            ("FooBot", "//folder/any.php.file.html", true),
            ("FooBot", "/filename.php/", true),
            ("FooBot", "/index?f=filename.php/", true),
            ("FooBot", "/php/", false),
            ("FooBot", "/index?php", false),
            ("FooBot", "/windows.PHP", false),
        ],
    ),
    case(
        "documentation: /*.php$",
        "user-agent: FooBot\ndisallow: /\nallow: /*.php$\n",
        &[
            ("FooBot", "/bar", false),
            ("FooBot", "/filename.php", true),
            ("FooBot", "/folder/filename.php", true),
            ("FooBot", "/filename.php?parameters", false),
            ("FooBot", "/filename.php/", false),
            ("FooBot", "/filename.php5", false),
            ("FooBot", "/php/", false),
            ("FooBot", "/filename?php", false),
            ("FooBot", "/aaaphpaaa", false),
            ("FooBot", "//windows.PHP", false),
        ],
    ),
    case(
        "documentation: /fish*.php",
        "user-agent: FooBot\ndisallow: /\nallow: /fish*.php\n",
        &[
            ("FooBot", "/bar", false),
            ("FooBot", "/fish.php", true),
            ("FooBot", "/fishheads/catfish.php?parameters", true),
            ("FooBot", "/Fish.PHP", false),
        ],
    ),
    case(
        "documentation: order 1",
        "user-agent: FooBot\nallow: /p\ndisallow: /\n",
        &[("FooBot", "/page", true)],
    ),
    case(
        "documentation: order 2",
        "user-agent: FooBot\nallow: /folder\ndisallow: /folder\n",
        &[("FooBot", "/folder/page", true)],
    ),
    case(
        "documentation: order 3",
        "user-agent: FooBot\nallow: /page\ndisallow: /*.htm\n",
        &[("FooBot", "/page.htm", false)],
    ),
    case(
        "documentation: order 4",
        "user-agent: FooBot\nallow: /$\ndisallow: /\n",
        &[("FooBot", "/", true), ("FooBot", "/page.html", false)],
    ),
];

/// Where we follow RFC 9309, 2.2.2, instead: `(case, path)`. Rule and path are equal once both are
/// normalized, so the rule applies; Google's parser does not normalize the path, and finds no match.
pub(super) const DIFFERENCES: &[(&str, &str)] = &[
    ("a raw character in the rule", "/foo/bar/ツ"),
    ("an escaped character in the rule", "/foo/bar/ツ"),
    ("escaped letters in the rule", "/foo/bar/baz"),
];
