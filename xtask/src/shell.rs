//! Running other programs, and messages to the terminal.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Parses the arguments `[FLAG N]` of a command.
pub(crate) fn parse_count(args: &[&str], flag: &str, default: u64, usage: &str) -> Result<u64> {
    match args {
        [] => Ok(default),
        [given, text] if *given == flag => text
            .parse()
            .with_context(|| format!("{text:?} is not a number")),
        _ => bail!("{usage}"),
    }
}

/// Prints a line to stderr.
pub(crate) fn print(text: &str) {
    // A closed terminal is not an error.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// The workspace's root.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The cargo that runs this program.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Runs a command with its output on the terminal. The error names the command.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {command:?}"))?;
    if !status.success() {
        bail!("{command:?} ended with {status}");
    }
    Ok(())
}

/// Runs a command and returns its stdout.
pub(crate) fn output_of(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} ended with {}", output.status);
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The folder of build results, `target` unless the environment names another.
pub(crate) fn target_folder() -> Result<PathBuf> {
    let metadata =
        output_of(cargo().args(["metadata", "--no-deps", "--locked", "--format-version=1"]))?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata)?;
    let folder = metadata["target_directory"].as_str();
    let folder = folder.context("no target_directory in the output of cargo metadata")?;
    Ok(PathBuf::from(folder))
}

/// Whether a program can be started with this argument and succeeds.
pub(crate) fn exists(program: &str, argument: &str) -> bool {
    succeeds(Command::new(program).arg(argument))
}

/// Whether a command can be started and succeeds. Its output is discarded.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::parse_count;

    #[test]
    fn a_count_is_parsed() {
        let parse = |args: &[&str]| parse_count(args, "--pages", 1_000, "usage");
        assert_eq!(parse(&[]).unwrap(), 1_000);
        assert_eq!(parse(&["--pages", "30"]).unwrap(), 30);
        assert!(parse(&["--pages"]).is_err());
        assert!(parse(&["--pages", "many"]).is_err());
        assert!(parse(&["--runs", "3"]).is_err());
    }
}
