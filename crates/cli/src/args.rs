//! The command line as clap sees it. What a flag means is in the contract; what it is called is here.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

use crate::keys::KeysArgs;
use crate::serve_args::{ConfigArgs, ServeArgs};
use crate::values::{bytes, duration, path_delay, whole};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Crawl a site: visit every page of one host, print each page and its links.
#[derive(Debug, Parser)]
#[command(
    name = "crawler",
    version,
    styles = STYLES,
    max_term_width = 100,
    override_usage = "crawler <URL> [OPTIONS]\n       crawler <COMMAND>",
    after_help = "Examples:
  crawler https://example.org/                       every page and its links, as text
  crawler https://example.org/ --format html -o site.html
                                                     a report to look at
  crawler https://example.org/ --format ndjson | jq .url
  crawler map https://example.org/                   just the URLs, sorted
  crawler scrape https://example.org/about           one page's content, as markdown
  crawler serve                                      the service, on http://127.0.0.1:8080/docs

`crawler <URL>` is short for `crawler crawl <URL>`; its options: crawler crawl --help"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Crawl one site; print each visited page and the links on it
    #[command(override_usage = "crawler [crawl] <URL> [OPTIONS]")]
    Crawl(Box<CrawlArgs>),
    /// List a site's URLs (links and sitemaps), no content
    ///
    /// Prints every URL found in scope once, sorted, also those that turned out broken: json, ndjson and csv
    /// have their status, sitemap leaves them out.
    Map(Box<MapArgs>),
    /// Fetch pages, print their main content as markdown, html, text or json
    ///
    /// Several URLs are printed in the order given, each under a line with its URL; json is then one object a
    /// line. Redirects are followed, robots.txt is obeyed, what may pass is tried three times. JSON comes back
    /// fenced, plain text as it is; PDFs, images and the like are named and refused. Ends with 1 if any page could
    /// not be had.
    Scrape(Box<ScrapeArgs>),
    /// Run the service: an HTTP API, workers, or both
    ///
    /// Needs nothing installed: with no DATABASE_URL everything is kept in a SQLite file. With
    /// DATABASE_URL=postgres://… any number of processes share that database. `crawler --mode=api` is the same.
    Serve(Box<ServeArgs>),
    /// Print the service's configuration and where each value came from, secrets hidden
    Config(Box<ConfigArgs>),
    /// Make, list and revoke the keys of the API's callers
    ///
    /// Kept in the same store as everything else, hashed; a running service knows of them at once.
    Keys(Box<KeysArgs>),
    /// Print a shell's completion script
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the man page
    Man {
        /// As the reference in markdown
        #[arg(long, hide = true)]
        markdown: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CrawlArgs {
    #[command(flatten)]
    pub(crate) site: SiteArgs,

    /// How pages are printed
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: FormatWord,

    #[command(flatten)]
    pub(crate) file: FileArgs,

    /// Which of a page's links are printed
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) links: LinksWord,

    /// Also print mailto:, tel: and other links
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) schemes: SchemesWord,

    /// Print links without their #fragment
    #[arg(
        long, value_name = "BOOL", action = ArgAction::Set, default_value_t = true, help_heading = "Output"
    )]
    pub(crate) strip_fragments: bool,

    /// At the end, write every distinct link found to FILE, sorted, one a line
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) unique_links: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) progress: ProgressArgs,

    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct MapArgs {
    #[command(flatten)]
    pub(crate) site: SiteArgs,

    /// How the URLs are printed
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: MapFormatWord,

    #[command(flatten)]
    pub(crate) file: FileArgs,

    #[command(flatten)]
    pub(crate) progress: ProgressArgs,

    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ScrapeArgs {
    /// The pages: absolute http or https URLs; - reads them from stdin, one a line (# begins a comment line)
    #[arg(value_name = "URL", required = true)]
    pub(crate) urls: Vec<String>,

    /// How the content is printed
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: ContentFormatWord,

    /// Only what a reader came for; false: the whole body but menus, footers and what is hidden
    #[arg(
        long, value_name = "BOOL", action = ArgAction::Set, default_value_t = true, help_heading = "Output"
    )]
    pub(crate) main_content: bool,

    #[command(flatten)]
    pub(crate) file: FileArgs,

    #[command(flatten)]
    pub(crate) request: RequestArgs,

    #[command(flatten)]
    pub(crate) talk: TalkArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FileArgs {
    /// Write to FILE instead of stdout
    #[arg(
        short = 'o', long = "output-file", aliases = ["outputPath", "output-path"],
        value_name = "FILE", help_heading = "Output"
    )]
    pub(crate) output_file: Option<PathBuf>,
}

/// Everything about which pages are visited and how; the same for `crawl` and `map`.
#[derive(Debug, Args)]
pub(crate) struct SiteArgs {
    /// Where to begin: an absolute http or https URL
    #[arg(value_name = "URL", required_unless_present = "seed")]
    pub(crate) url: Option<String>,

    /// Where to begin, as a flag
    #[arg(long = "url", id = "seed", value_name = "URL", conflicts_with = "url")]
    pub(crate) seed: Option<String>,

    /// Preset of limits and politeness; any explicit flag wins over it
    #[arg(long, value_enum, default_value_t)]
    pub(crate) profile: ProfileWord,

    /// Pages in flight at once; with --js always no more than the browser has tabs [default: profile]
    #[arg(
        long, aliases = ["concurrency", "max-parallel"], value_name = "N",
        value_parser = whole::<usize>, allow_negative_numbers = true
    )]
    pub(crate) workers: Option<usize>,

    /// Stop after N reported URLs, failures and redirects included; 0 = no limit [default: profile]
    #[arg(
        long, value_name = "N", help_heading = "Limits",
        value_parser = whole::<u64>, allow_negative_numbers = true
    )]
    pub(crate) max_pages: Option<u64>,

    /// Follow links up to N hops from the seed; 0 = no limit [default: profile]
    #[arg(
        long, value_name = "N", help_heading = "Limits",
        value_parser = whole::<u32>, allow_negative_numbers = true
    )]
    pub(crate) max_depth: Option<u32>,

    /// Stop after this long: 90s, 10m, 1h30m
    #[arg(long, value_name = "D", value_parser = duration, help_heading = "Limits")]
    pub(crate) max_duration: Option<Duration>,

    /// Stop after this many bytes: 500MB, 2GiB
    #[arg(long, value_name = "B", value_parser = bytes, help_heading = "Limits")]
    pub(crate) max_bytes: Option<u64>,

    /// Cut a page's body after this many bytes [default: 2MB]
    #[arg(long, value_name = "B", value_parser = bytes, help_heading = "Limits")]
    pub(crate) max_body_bytes: Option<u64>,

    /// Redirects walked for one URL [default: 10]
    #[arg(
        long, value_name = "N", help_heading = "Limits",
        value_parser = whole::<u32>, allow_negative_numbers = true
    )]
    pub(crate) max_redirects: Option<u32>,

    /// At least R milliseconds between the starts of two requests, over all workers
    #[arg(
        long,
        value_name = "R",
        default_value_t = 0,
        value_parser = whole::<u64>,
        allow_negative_numbers = true,
        help_heading = "Politeness"
    )]
    pub(crate) rate_ms: u64,

    /// Attempts for one URL, the first included [default: profile]
    #[arg(
        long, value_name = "N", help_heading = "Politeness",
        value_parser = whole::<u32>, allow_negative_numbers = true
    )]
    pub(crate) max_attempts: Option<u32>,

    /// At least D between requests below a path, as in '/search=2s'; repeatable
    #[arg(long, value_name = "PREFIX=D", value_parser = path_delay, help_heading = "Politeness")]
    pub(crate) path_delay: Vec<(String, Duration)>,

    /// Whether sitemaps are read [default: skip; map: include]
    #[arg(long, value_enum, help_heading = "Scope")]
    pub(crate) sitemaps: Option<SitemapsWord>,

    /// Which URLs belong: the exact host, the domain with its subdomains, or below the seed's path
    #[arg(long, value_enum, default_value_t, help_heading = "Scope")]
    pub(crate) scope: ScopeWord,

    /// Follow only URLs that match; repeatable
    #[arg(long, value_name = "RE", help_heading = "Scope")]
    pub(crate) include: Vec<String>,

    /// Never follow URLs that match; wins over --include; repeatable
    #[arg(long, value_name = "RE", help_heading = "Scope")]
    pub(crate) exclude: Vec<String>,

    /// Whether /a and /a/ are one page [default: profile]
    #[arg(long, value_enum, help_heading = "Scope")]
    pub(crate) trailing_slash: Option<SlashWord>,

    /// Ignore the query string when asking whether a page is new
    #[arg(long, help_heading = "Scope")]
    pub(crate) strip_query: bool,

    /// Refuse endless URL spaces: calendars, session ids, repeating paths [default: profile]
    #[arg(long, value_enum, help_heading = "Scope")]
    pub(crate) traps: Option<TrapsWord>,

    /// Keep the crawl in FILE; the same command again resumes it, going on in the same -o file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) state: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) request: RequestArgs,
}

/// How every request is made, whatever it is for.
#[derive(Debug, Args)]
pub(crate) struct RequestArgs {
    /// Time for one request: 10s, 500ms [default: 10s, or the profile's]
    #[arg(long, value_name = "D", value_parser = duration, help_heading = "Politeness")]
    pub(crate) timeout: Option<Duration>,

    /// Whether robots.txt is obeyed
    #[arg(long, value_enum, default_value_t, help_heading = "Politeness")]
    pub(crate) robots: RobotsWord,

    /// How we introduce ourselves; robots.txt is matched on the part before / or space
    #[arg(long, value_name = "S", help_heading = "Requests")]
    pub(crate) user_agent: Option<String>,

    /// Render pages in headless Chromium, so that what their scripts write is seen too
    ///
    /// auto fetches a page by HTTP and renders it only if it needs that. There are two tabs for each core, at most 8 and no
    /// more than --workers; with always there are no more pages in flight than tabs. A page has 30 s to render, or --timeout if
    /// that is longer. Of private addresses (localhost, an office's own) a page loads from those alone that were typed.
    /// CHROME names the browser, BROWSER_SANDBOX=off does without its sandbox.
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        help_heading = "Requests"
    )]
    pub(crate) js: JsWord,

    /// Extra header 'Name: value', sent to the origin of the given URL only; repeatable
    #[arg(long, value_name = "K: V", help_heading = "Requests")]
    pub(crate) header: Vec<String>,

    // A doc comment would read the brackets as a link.
    #[arg(
        long,
        value_name = "URL",
        help = "HTTP proxy, http://[user:password@]host:port; repeatable, several take turns",
        help_heading = "Requests"
    )]
    pub(crate) proxy: Vec<String>,
}

/// What a crawl shows while it runs.
#[derive(Debug, Args)]
pub(crate) struct ProgressArgs {
    /// Show a progress line [auto: when stderr is a terminal]
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        help_heading = "Messages"
    )]
    pub(crate) progress: When,
}

/// What is said on stderr.
#[derive(Debug, Args)]
pub(crate) struct TalkArgs {
    /// Tell about each page; a crawl with -vv about each link
    #[arg(short, long, action = ArgAction::Count, conflicts_with = "quiet", help_heading = "Messages")]
    pub(crate) verbose: u8,

    /// Say nothing but what stops us
    #[arg(short, long, help_heading = "Messages")]
    pub(crate) quiet: bool,

    /// Use colour [auto: when stderr is a terminal and NO_COLOR is not set]
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        help_heading = "Messages"
    )]
    pub(crate) color: When,

    /// Messages as text or as one JSON object a line
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "FORM",
        help_heading = "Messages"
    )]
    pub(crate) log_format: LogWord,
}

/// Declares a set of words for one flag: the enum clap reads, each with its help.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $first:ident: $first_help:literal $(, $word:ident: $help:literal)* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
        pub(crate) enum $name {
            #[value(help = $first_help)]
            #[default]
            $first,
            $(#[value(help = $help)] $word,)*
        }
    };
}

words! { LinksWord { All: "in and out of scope", InScope: "only those in scope" } }
words! { SchemesWord { Http: "http and https", All: "mailto:, tel: and the rest too" } }
words! { RobotsWord { Respect: "obey it", Ignore: "do not ask for it" } }
words! { SitemapsWord { Skip: "do not read them", Include: "their URLs and links", Only: "their URLs, no links" } }
words! { ScopeWord { Host: "the exact host name", Domain: "with subdomains", Prefix: "below the seed's path" } }
words! { JsWord { Never: "HTTP alone", Auto: "where a page needs it", Always: "every page" } }
words! { SlashWord { Merge: "one page", Keep: "two pages" } }
words! { TrapsWord { On: "refuse them", Off: "follow them" } }
words! { When { Auto: "as it fits", Always: "always", Never: "never" } }
words! { LogWord { Text: "for people", Json: "for machines" } }
words! { MapFormatWord {
    Text: "one URL a line", Json: "one array", Ndjson: "one object a line", Csv: "a row a URL",
    Sitemap: "a sitemap.xml",
} }
words! { ContentFormatWord {
    Markdown: "GitHub's kind", Html: "cleaned, with nothing that runs", Text: "just the words",
    Json: "everything: content, text, html, meta, links",
} }
words! { FormatWord {
    Text: "\"Visited:\" and \"Links found:\" for each page",
    Tree: "each page, its links indented",
    Edges: "[page] -> [link] a line",
    Json: "one array of objects",
    Ndjson: "one object a line",
    Csv: "a row a link",
    Html: "one self-contained page to look at",
} }

/// The presets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum ProfileWord {
    /// 500 pages, depth 3, 10 workers
    Conservative,
    /// 2,000 pages, depth 5, 25 workers
    #[default]
    Balanced,
    /// 10,000 pages, depth 8, 50 workers
    Aggressive,
    /// no limits, 8 workers, one attempt, slashes kept, no trap rules
    Exhaustive,
}
