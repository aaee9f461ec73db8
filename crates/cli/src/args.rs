//! The command line as clap sees it: commands, flags and their help.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

use crate::serve_args::{ConfigArgs, KeysArgs, ServeArgs};
use crate::values::{bytes, duration, header, interval_ms, path_delay, whole_number};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Crawl a website and print every page with the links on it.
#[derive(Debug, Parser)]
#[command(
    name = "crawler",
    version,
    styles = STYLES,
    max_term_width = 100,
    override_usage = "crawler <URL> [OPTIONS]\n       crawler <COMMAND>",
    after_help = "Examples:
  # Print every page and its links
  crawler https://example.org/
  # Write an HTML report
  crawler https://example.org/ --format html -o site.html
  # Print pages as JSON, one object per line
  crawler https://example.org/ --format ndjson | jq .url
  # List the site's URLs
  crawler map https://example.org/
  # Print a page's main content as Markdown
  crawler scrape https://example.org/about
  # Start the API on http://127.0.0.1:8080
  crawler serve

`crawler <URL>` is short for `crawler crawl <URL>`.
For its options, see `crawler crawl --help`."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Crawl a site and print each visited page with the links on it
    #[command(override_usage = "crawler [crawl] <URL> [OPTIONS]")]
    Crawl(Box<CrawlArgs>),
    /// List a site's URLs, found through links and sitemaps
    ///
    /// Prints every URL in scope once, sorted. Broken URLs are listed too, with their status in json, ndjson and csv;
    /// the sitemap format leaves them out.
    Map(Box<MapArgs>),
    /// Fetch pages and print their main content as Markdown, HTML, text or JSON
    ///
    /// Several URLs are printed in the order given, each below a line with its URL; with --format json, one object per
    /// line. Redirects are followed, robots.txt is obeyed, and temporary failures are retried (up to three attempts). A JSON
    /// response is printed as a code block and plain text as is; PDFs, images and other binary files are rejected. Exits
    /// with 1 if any page could not be fetched.
    Scrape(Box<ScrapeArgs>),
    /// Run the service: an HTTP API, workers, or both
    ///
    /// Stores everything in a SQLite file unless DATABASE_URL=postgres://… is set; any number of processes can share a
    /// Postgres database. `crawler --mode=api` is short for `crawler serve --mode=api`.
    Serve(Box<ServeArgs>),
    /// Print the service's configuration and the source of each value, with secrets hidden
    Config(Box<ConfigArgs>),
    /// Create, list and revoke API keys
    ///
    /// Keys are stored as hashes in the service's database. Changes apply to a running service immediately.
    Keys(Box<KeysArgs>),
    /// Print a shell completion script
    Completions {
        /// The shell to complete for
        shell: clap_complete::Shell,
    },
    /// Print the man page
    Man {
        /// Print the Markdown reference instead
        #[arg(long, hide = true)]
        markdown: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CrawlArgs {
    #[command(flatten)]
    pub(crate) site: SiteArgs,

    /// Output format
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: FormatChoice,

    #[command(flatten)]
    pub(crate) file: FileArgs,

    /// Which links to print
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) links: LinksChoice,

    /// Which URL schemes to print
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) schemes: SchemesChoice,

    /// Remove the #fragment from printed links
    #[arg(
        long, value_name = "BOOL", action = ArgAction::Set, default_value_t = true, help_heading = "Output"
    )]
    pub(crate) strip_fragments: bool,

    /// Write every distinct link to FILE when the crawl ends, sorted, one per line
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) unique_links: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) progress: ProgressArgs,

    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}

#[derive(Debug, Args)]
pub(crate) struct MapArgs {
    #[command(flatten)]
    pub(crate) site: SiteArgs,

    /// Output format
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: MapFormatChoice,

    #[command(flatten)]
    pub(crate) file: FileArgs,

    #[command(flatten)]
    pub(crate) progress: ProgressArgs,

    #[command(flatten)]
    pub(crate) messages: MessageArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ScrapeArgs {
    /// Pages to fetch, as http or https URLs; - reads URLs from stdin, one per line (lines starting with # are ignored)
    #[arg(value_name = "URL", required = true)]
    pub(crate) urls: Vec<String>,

    /// Output format
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    pub(crate) format: ContentFormatChoice,

    /// Print only the main content; false prints the whole body without menus, footers and hidden elements
    #[arg(
        long, value_name = "BOOL", action = ArgAction::Set, default_value_t = true, help_heading = "Output"
    )]
    pub(crate) main_content: bool,

    #[command(flatten)]
    pub(crate) file: FileArgs,

    #[command(flatten)]
    pub(crate) request: RequestArgs,

    #[command(flatten)]
    pub(crate) messages: MessageArgs,
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

/// Which pages are visited and how: the flags that `crawl` and `map` share.
#[derive(Debug, Args)]
pub(crate) struct SiteArgs {
    /// The URL to start from (the seed), with http:// or https://
    #[arg(value_name = "URL", required_unless_present = "seed")]
    pub(crate) url: Option<String>,

    /// The URL to start from, given as a flag
    #[arg(long = "url", id = "seed", value_name = "URL", conflicts_with = "url")]
    pub(crate) seed: Option<String>,

    /// Preset of limits; explicit flags override it
    #[arg(long, value_enum, default_value_t)]
    pub(crate) profile: ProfileChoice,

    /// Number of pages fetched at the same time; with --js always, limited to the browser's tabs [default: profile]
    #[arg(
        long, aliases = ["concurrency", "max-parallel"], value_name = "N",
        value_parser = whole_number::<usize>, allow_negative_numbers = true
    )]
    pub(crate) workers: Option<usize>,

    /// Stop after N URLs, including redirects and failures; 0 means no limit [default: profile]
    #[arg(
        long, value_name = "N", help_heading = "Limits",
        value_parser = whole_number::<u64>, allow_negative_numbers = true
    )]
    pub(crate) max_pages: Option<u64>,

    /// Follow links up to N hops from the seed; 0 means no limit [default: profile]
    #[arg(
        long, value_name = "N", help_heading = "Limits",
        value_parser = whole_number::<u32>, allow_negative_numbers = true
    )]
    pub(crate) max_depth: Option<u32>,

    /// Stop after this time, such as 90s, 10m or 1h30m
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Limits")]
    pub(crate) max_duration: Option<Duration>,

    /// Stop after downloading this much, such as 500MB or 2GiB
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Limits")]
    pub(crate) max_bytes: Option<u64>,

    /// Truncate response bodies to this size [default: 2MB]
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Limits")]
    pub(crate) max_body_bytes: Option<u64>,

    /// Maximum number of redirects to follow for one URL [default: 10]
    #[arg(
        long, value_name = "N", help_heading = "Limits",
        value_parser = whole_number::<u32>, allow_negative_numbers = true
    )]
    pub(crate) max_redirects: Option<u32>,

    /// Minimum delay between requests, in milliseconds, across all workers
    #[arg(
        long,
        value_name = "MS",
        default_value_t = 0,
        value_parser = interval_ms,
        allow_negative_numbers = true,
        help_heading = "Politeness"
    )]
    pub(crate) rate_ms: u64,

    /// Maximum number of attempts per URL, including the first [default: profile]
    #[arg(
        long, value_name = "N", help_heading = "Politeness",
        value_parser = whole_number::<u32>, allow_negative_numbers = true
    )]
    pub(crate) max_attempts: Option<u32>,

    /// Minimum delay between requests below a path, such as '/search=2s'; repeatable
    #[arg(long, value_name = "PREFIX=DELAY", value_parser = path_delay, help_heading = "Politeness")]
    pub(crate) path_delay: Vec<(String, Duration)>,

    /// Whether to read sitemaps [default: skip; map: include]
    #[arg(long, value_enum, help_heading = "Scope")]
    pub(crate) sitemaps: Option<SitemapsChoice>,

    /// Which URLs are in scope
    #[arg(long, value_enum, default_value_t, help_heading = "Scope")]
    pub(crate) scope: ScopeChoice,

    /// Follow only URLs that match this regular expression; repeatable
    #[arg(long, value_name = "REGEX", help_heading = "Scope")]
    pub(crate) include: Vec<String>,

    /// Never follow URLs that match this regular expression; overrides --include; repeatable
    #[arg(long, value_name = "REGEX", help_heading = "Scope")]
    pub(crate) exclude: Vec<String>,

    /// Whether /a and /a/ are the same page [default: profile]
    #[arg(long, value_enum, help_heading = "Scope")]
    pub(crate) trailing_slash: Option<SlashChoice>,

    /// Treat URLs that differ only in their query string as the same page
    #[arg(long, help_heading = "Scope")]
    pub(crate) strip_query: bool,

    /// Avoid crawler traps (endless calendars, session ids, repeating paths) [default: profile]
    #[arg(long, value_enum, help_heading = "Scope")]
    pub(crate) traps: Option<TrapsChoice>,

    /// Save progress in FILE; rerun the same command to resume, appending to the same -o file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) state: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) request: RequestArgs,
}

/// The flags for requests, shared by `crawl`, `map` and `scrape`.
#[derive(Debug, Args)]
pub(crate) struct RequestArgs {
    /// Time limit for one request, such as 10s or 500ms [default: 10s, or the profile's]
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = "Politeness")]
    pub(crate) timeout: Option<Duration>,

    /// Whether to obey robots.txt
    #[arg(long, value_enum, default_value_t, help_heading = "Politeness")]
    pub(crate) robots: RobotsChoice,

    /// User-Agent header; the part before the first / or space is the name matched in robots.txt
    #[arg(long, value_name = "STRING", help_heading = "Requests")]
    pub(crate) user_agent: Option<String>,

    /// Render pages in headless Chromium to see what their scripts add
    ///
    /// auto fetches a page by HTTP first and renders it only if it needs JavaScript. The browser opens two tabs per core, up
    /// to 8 and up to --workers. A page has 30s to render, or --timeout if that is longer. Pages can load from private
    /// addresses (localhost, an internal network) only if the address was given on the command line. Set CHROME to choose
    /// the browser and BROWSER_SANDBOX=off to run it without its sandbox.
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        help_heading = "Requests"
    )]
    pub(crate) js: JsChoice,

    /// Extra request header, sent only to the origin of the given URL; repeatable
    #[arg(long, value_name = "NAME: VALUE", value_parser = header, help_heading = "Requests")]
    pub(crate) header: Vec<(String, String)>,

    // A doc comment would read the brackets as a link.
    #[arg(
        long,
        value_name = "URL",
        help = "HTTP proxy, http://[user:password@]host:port; repeatable, used in turn",
        help_heading = "Requests"
    )]
    pub(crate) proxy: Vec<String>,
}

/// The progress line of a crawl.
#[derive(Debug, Args)]
pub(crate) struct ProgressArgs {
    /// When to show a progress line
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        help_heading = "Messages"
    )]
    pub(crate) progress: When,
}

/// The flags for messages on stderr, shared by all commands.
#[derive(Debug, Args)]
pub(crate) struct MessageArgs {
    /// Log every page; with -vv, every link too
    #[arg(short, long, action = ArgAction::Count, conflicts_with = "quiet", help_heading = "Messages")]
    pub(crate) verbose: u8,

    /// Print only errors and, if a limit ends a crawl, what is left
    #[arg(short, long, help_heading = "Messages")]
    pub(crate) quiet: bool,

    /// When to use colors; auto respects NO_COLOR
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "WHEN",
        help_heading = "Messages"
    )]
    pub(crate) color: When,

    /// Format of messages on stderr
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        help_heading = "Messages"
    )]
    pub(crate) log_format: LogChoice,
}

/// Declares the values of one flag: the enum that clap reads, each value with its help.
macro_rules! choices {
    ($(#[$about:meta])* $name:ident { $first:ident: $first_help:literal $(, $value:ident: $help:literal)* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
        pub(crate) enum $name {
            #[value(help = $first_help)]
            #[default]
            $first,
            $(#[value(help = $help)] $value,)*
        }
    };
}

choices! { LinksChoice { All: "all links", InScope: "only links in scope" } }
choices! { SchemesChoice { Http: "http and https only", All: "also mailto:, tel: and others" } }
choices! { RobotsChoice { Respect: "obey it", Ignore: "do not fetch it" } }
choices! { SitemapsChoice {
    Skip: "do not read sitemaps", Include: "read sitemaps and follow links", Only: "read sitemaps, do not follow links",
} }
choices! { ScopeChoice {
    Host: "the exact host of the seed", Domain: "the domain with all subdomains", Prefix: "URLs below the path of the seed",
} }
choices! { JsChoice { Never: "fetch by HTTP only", Auto: "render pages that need it", Always: "render every page" } }
choices! { SlashChoice { Merge: "the same page", Keep: "two pages" } }
choices! { TrapsChoice { On: "do not follow URLs that look like traps", Off: "follow all URLs" } }
choices! { When { Auto: "when stderr is a terminal", Always: "always", Never: "never" } }
choices! { LogChoice { Text: "plain text", Json: "one JSON object per line" } }
choices! { MapFormatChoice {
    Text: "one URL per line", Json: "one JSON array", Ndjson: "one JSON object per line", Csv: "one row per URL",
    Sitemap: "an XML sitemap",
} }
choices! { ContentFormatChoice {
    Markdown: "GitHub-flavored Markdown", Html: "clean HTML without scripts", Text: "plain text",
    Json: "an object with content, text, html, meta and links",
} }
choices! { FormatChoice {
    Text: "\"Visited:\" and \"Links found:\" for each page",
    Tree: "each page with its links indented below it",
    Edges: "[page] -> [link], one link per line",
    Json: "one JSON array",
    Ndjson: "one JSON object per line",
    Csv: "one row per link",
    Html: "a self-contained HTML report",
} }

/// The presets of `--profile`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum ProfileChoice {
    /// 500 pages, depth 3, 10 workers
    Conservative,
    /// 2,000 pages, depth 5, 25 workers
    #[default]
    Balanced,
    /// 10,000 pages, depth 8, 50 workers
    Aggressive,
    /// no limits, 8 workers, one attempt per URL, --trailing-slash keep, --traps off
    Exhaustive,
}
