//! Generates completions, man page and Markdown reference from the command line's definition.

use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;
use crawler_model::RenderReason;

use crate::args::Cli;
use crate::exit;

/// Prints the completion script. The root command completes crawl's flags too, for `crawler <URL> --fo…`.
pub(crate) fn completions(shell: Shell) -> ExitCode {
    let cli = Cli::command();
    let flags: Vec<Arg> = cli
        .find_subcommand("crawl")
        .map(|crawl| crawl.get_arguments().cloned().collect())
        .unwrap_or_default();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut cli.args(flags), "crawler", &mut script);
    print(&script)
}

pub(crate) fn man(markdown: bool) -> ExitCode {
    let mut command = Cli::command();
    if markdown {
        return print(reference(&command).as_bytes());
    }
    command.build();
    match man_page(&command) {
        Ok(page) => print(&page),
        Err(_) => ExitCode::from(exit::FAILED),
    }
}

/// One page for all commands: the options of `crawl`, then the other commands, the exit codes and examples.
fn man_page(cli: &Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let man = clap_mangen::Man::new(cli.clone());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    page.extend_from_slice(
        b".SH SYNOPSIS\n\\fBcrawler\\fR [\\fBcrawl\\fR] \\fIURL\\fR [\\fIOPTIONS\\fR]\n.br\n\
          \\fBcrawler map\\fR \\fIURL\\fR [\\fIOPTIONS\\fR]\n.br\n\
          \\fBcrawler scrape\\fR \\fIURL\\fR... [\\fIOPTIONS\\fR]\n.br\n\
          \\fBcrawler serve\\fR [\\fB\\-\\-mode\\fR \\fIall|api|worker\\fR]\n.br\n\
          \\fBcrawler config\\fR\n.br\n\
          \\fBcrawler keys add\\fR \\fINAME\\fR | \\fBlist\\fR | \\fBrevoke\\fR \\fIKEY\\fR\n.br\n\
          \\fBcrawler completions\\fR \\fISHELL\\fR\n.br\n\\fBcrawler man\\fR\n",
    );
    page.extend_from_slice(
        b".SH DESCRIPTION\nVisits every page of a host once and prints each page with the links on it. Data goes to \
          stdout; progress, errors and the summary go to stderr.\n",
    );
    if let Some(crawl) = cli.find_subcommand("crawl") {
        clap_mangen::Man::new(crawl.clone()).render_options_section(&mut page)?;
    }
    page.extend_from_slice(
        b".SH MAP\n\\fBcrawler map\\fR takes the same options except those for links, reads sitemaps by default, and \
          prints every URL in scope once, sorted. Broken URLs are listed too, with their status in json, ndjson and csv; \
          \\fB\\-\\-format sitemap\\fR leaves them out.\n",
    );
    page.extend_from_slice(
        b".SH SCRAPE\n\\fBcrawler scrape\\fR fetches single pages and prints their main content: as \\fBmarkdown\\fR, \
          \\fBhtml\\fR, \\fBtext\\fR or \\fBjson\\fR (\\fB\\-\\-format\\fR), or, with \\fB\\-\\-main\\-content false\\fR, the whole \
          body. Several URLs are printed in the order given, each below a line with its URL; \
          with \\fBjson\\fR, one object per line. \\fB\\-\\fR reads URLs from stdin, one per line. It takes the options above \
          for output, requests and messages, \\fB\\-\\-timeout\\fR and \\fB\\-\\-robots\\fR. Exits with 1 if any page could \
          not be fetched.\n",
    );
    page.extend_from_slice(
        b".SH SERVE\n\\fBcrawler serve\\fR runs the service: an HTTP API (documented at \\fB/docs\\fR) and workers, with a SQLite \
          file or, with \\fBDATABASE_URL\\fR, a Postgres database that any number of processes can share. \\fB\\-\\-mode api\\fR and \
          \\fB\\-\\-mode worker\\fR run only one of the two. Settings come from \\fBconfig.yaml\\fR (\\fB\\-\\-config\\fR, \
          \\fBCONFIG_PATH\\fR), the environment and flags, in increasing precedence. \\fBcrawler config\\fR shows the effective \
          configuration, \\fBcrawler config \\-\\-example\\fR all settings. \\fBcrawler keys add\\fR \\fINAME\\fR creates an API key \
          and prints it once, \\fBlist\\fR shows all keys, \\fBrevoke\\fR revokes one by its id or name.\n",
    );
    page.extend_from_slice(
        b".SH EXIT STATUS\n.TP\n0\nthe crawl ended, by itself or at a limit\n.TP\n1\nthe seed (scrape: any page) could \
          not be fetched, or the program failed\n.TP\n2\nbad usage\n.TP\n130\nstopped by a signal\n",
    );
    page.extend_from_slice(
        b".SH EXAMPLES\n.nf\ncrawler https://example.org/\n\
          crawler https://example.org/ \\-\\-format html \\-o site.html\n\
          crawler https://example.org/ \\-\\-format ndjson | jq .url\n\
          crawler map https://example.org/ \\-\\-format sitemap \\-o sitemap.xml\n\
          crawler scrape https://example.org/about > about.md\n.fi\n",
    );
    Ok(page)
}

/// Prints to stdout; a closed pipe (`crawler man | head`) is a clean exit.
fn print(bytes: &[u8]) -> ExitCode {
    match std::io::stdout().write_all(bytes) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            // Nothing can be done if stderr is closed too.
            let _ = writeln!(std::io::stderr(), "error: cannot write to stdout: {error}");
            ExitCode::from(exit::FAILED)
        }
        _ => ExitCode::SUCCESS,
    }
}

/// The content of `docs/cli.md`.
fn reference(cli: &Command) -> String {
    let mut text = String::from("# Command line reference\n\n");
    text.push_str("Generated by `cargo xtask docs`; do not edit.\n\n");
    let about = cli.get_about().map(plain).unwrap_or_default();
    let _ = writeln!(text, "{about}\n\n| command | description |\n|---|---|");
    let commands = || {
        cli.get_subcommands()
            .filter(|command| !command.is_hide_set())
    };
    for command in commands() {
        let about = command.get_about().map(plain).unwrap_or_default();
        let _ = writeln!(text, "| `crawler {}` | {about} |", command.get_name());
    }
    text.push_str("\n`crawler <URL>` is short for `crawler crawl <URL>`.\n");
    for command in commands() {
        let _ = write!(text, "\n## crawler {}\n\n", command.get_name());
        for inner in command.get_subcommands() {
            let about = inner.get_about().map(plain).unwrap_or_default();
            let arguments: Vec<String> = inner.get_positionals().map(syntax).collect();
            let _ = writeln!(
                text,
                "- `{}` {}: {about}",
                inner.get_name(),
                arguments.join(" ")
            );
            let options = inner
                .get_arguments()
                .filter(|arg| !arg.is_positional() && !arg.is_global_set() && !arg.is_hide_set());
            for option in options {
                let _ = writeln!(text, "  - {}: {}", syntax(option), description(option));
            }
        }
        if command.has_subcommands() {
            text.push('\n');
        }
        text.push_str("| argument | description | default |\n|---|---|---|\n");
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let _ = writeln!(
                text,
                "| {} | {} | {} |",
                syntax(arg),
                description(arg),
                default(arg)
            );
        }
    }
    push_render_reasons(&mut text);
    text
}

/// The values of `render_reason`.
fn push_render_reasons(text: &mut String) {
    text.push_str(
        "\n## Why a page was or was not rendered\n\nWith `--js auto`, `--js always` or the service's `use_js`, page records have \
         `rendered` (true or false) and `render_reason`:\n\n| `render_reason` | meaning |\n|---|---|\n",
    );
    for reason in RenderReason::ALL {
        let _ = writeln!(text, "| `{}` | {} |", reason.as_str(), reason.meaning());
    }
}

fn plain(styled: &StyledStr) -> String {
    styled.to_string().replace('|', "\\|").replace('\n', " ")
}

fn syntax(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    let value = names
        .first()
        .map(|name| format!("<{name}>"))
        .unwrap_or_default();
    if arg.is_positional() {
        return format!("`{value}`");
    }
    let value = if arg.get_action().takes_values() {
        format!(" {value}")
    } else {
        String::new()
    };
    let short = arg
        .get_short()
        .map(|short| format!("`-{short}`, "))
        .unwrap_or_default();
    let long = arg.get_long().unwrap_or_default();
    let aliases: Vec<String> = arg
        .get_all_aliases()
        .unwrap_or_default()
        .iter()
        .map(|alias| format!(", `--{alias}`"))
        .collect();
    format!("{short}`--{long}{value}`{}", aliases.concat())
}

fn description(arg: &Arg) -> String {
    let help = arg.get_help().map(plain).unwrap_or_default();
    let help = help
        .split(" [default:")
        .next()
        .unwrap_or_default()
        .to_owned();
    let values = arg.get_possible_values();
    if values.is_empty()
        || !arg.get_action().takes_values()
        || values.iter().all(|value| value.get_help().is_none())
    {
        return help;
    }
    let values: Vec<String> = values
        .iter()
        .map(|value| {
            format!(
                "`{}` {}",
                value.get_name(),
                value.get_help().map(plain).unwrap_or_default()
            )
        })
        .collect();
    format!("{help}: {}", values.join("; "))
}

fn default(arg: &Arg) -> String {
    let help = arg.get_help().map(plain).unwrap_or_default();
    if let Some((_, default)) = help.split_once("[default: ") {
        return default.trim_end_matches(']').to_owned();
    }
    if !arg.get_action().takes_values() {
        return String::new();
    }
    let values: Vec<String> = arg
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy().into_owned())
        .collect();
    values.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_render_reason_is_documented() {
        let reference = reference(&Cli::command());
        for reason in RenderReason::ALL {
            let row = format!("| `{}` | {} |\n", reason.as_str(), reason.meaning());
            assert!(reference.contains(&row), "docs/cli.md lacks {row}");
        }
    }
}
