//! `cargo xtask fuzz`: looks for inputs on which our parsers differ from the reference parsers.
//!
//! `cargo xtask test` does a short run from a fixed seed and replays earlier findings; this command searches further, in two ways:
//!
//! * `agree` generates pages and URLs and compares the scanner with the tree, and the resolver with `url`;
//! * the other targets are coverage-guided. They need `cargo-fuzz`, which is installed if missing. The code is instrumented
//!   with the stable compiler, without sanitizers: there is no unsafe code to check.

use anyhow::{Context, Result, bail};

use crate::shell::{cargo, exists, print, root, run};

const AGREE: &str = "agree";
const SECONDS: u64 = 300;

/// A coverage-guided target: its name, the folder of tests with its corpus, and its dictionary.
struct Target {
    name: &'static str,
    tests: &'static str,
    dictionary: &'static str,
}

const TARGETS: [Target; 4] = [
    Target {
        name: "markdown",
        tests: "crates/html/tests/fuzz",
        dictionary: "html.dict",
    },
    Target {
        name: "links",
        tests: "crates/html/tests/fuzz",
        dictionary: "html.dict",
    },
    Target {
        name: "resolver",
        tests: "crates/weburl/tests/agree",
        dictionary: "url.dict",
    },
    Target {
        name: "url_key",
        tests: "crates/weburl/tests/agree",
        dictionary: "url.dict",
    },
];

/// The tests that `agree` runs: a crate and a prefix of the test's name.
const AGREE_TESTS: [(&str, &str); 3] = [
    ("crawler-html", "scanner_and_tree"),
    ("crawler-weburl", "references_resolve"),
    ("crawler-weburl", "keys_are"),
];

/// The parsed arguments: one target or all of them, and how long to run each.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options<'w> {
    target: Option<&'w str>,
    seconds: Option<u64>,
    /// For `agree` only.
    inputs: Option<u64>,
    seed: Option<u64>,
}

/// Parses the arguments after `fuzz` and runs the targets.
pub(crate) fn start(args: &[&str]) -> Result<()> {
    let options = parse(args)?;
    if options.target.is_none_or(|target| target == AGREE) {
        agree(&options)?;
    }
    let targets = TARGETS
        .iter()
        .filter(|target| options.target.is_none_or(|name| name == target.name));
    for (index, target) in targets.enumerate() {
        if index == 0 && !exists("cargo-fuzz", "--version") {
            print("installing cargo-fuzz");
            run(cargo().args(["install", "cargo-fuzz", "--locked"]))?;
        }
        fuzz(target, options.seconds.unwrap_or(SECONDS))?;
    }
    Ok(())
}

fn parse<'w>(args: &[&'w str]) -> Result<Options<'w>> {
    let mut options = Options::default();
    let mut rest = args;
    if let [target, after @ ..] = args
        && (*target == AGREE || TARGETS.iter().any(|known| known.name == *target))
    {
        options.target = Some(target);
        rest = after;
    }
    for pair in rest.chunks(2) {
        let number = |text: &str| {
            text.parse()
                .with_context(|| format!("{text:?} is not a number"))
        };
        match pair {
            ["--seconds", text] => options.seconds = Some(number(text)?),
            ["--inputs", text] if options.target == Some(AGREE) => {
                options.inputs = Some(number(text)?);
            }
            ["--seed", text] => options.seed = Some(number(text)?),
            _ => bail!(
                "cargo xtask fuzz [markdown|links|resolver|url_key] [--seconds N], or \
                 cargo xtask fuzz agree [--inputs N] [--seconds N] [--seed S]"
            ),
        }
    }
    Ok(options)
}

/// Runs the tests that generate their inputs, one after the other, in release mode.
fn agree(options: &Options<'_>) -> Result<()> {
    for (package, test) in AGREE_TESTS {
        let mut command = cargo();
        command
            .args(["test", "--release", "--locked", "--package", package])
            .args(["--test", "agree", "--", "--nocapture", test]);
        match options.inputs {
            Some(inputs) => command.env("AGREE_INPUTS", inputs.to_string()),
            None => command.env(
                "AGREE_SECONDS",
                options.seconds.unwrap_or(SECONDS).to_string(),
            ),
        };
        if let (Some(_), Some(seconds)) = (options.inputs, options.seconds) {
            command.env("AGREE_SECONDS", seconds.to_string());
        }
        // A new seed each time, unless one was given.
        let seed = options
            .seed
            .unwrap_or_else(|| u64::from(std::process::id()));
        run(command.env("AGREE_SEED", seed.to_string()))?;
    }
    Ok(())
}

/// Starts from the inputs of the tests; the corpus that the fuzzer grows is not committed.
fn fuzz(target: &Target, seconds: u64) -> Result<()> {
    let corpus = root().join("fuzz/corpus").join(target.name);
    std::fs::create_dir_all(&corpus)?;
    let mut command = cargo();
    command
        .current_dir(root().join("fuzz"))
        // Instrumentation needs unstable compiler flags.
        .env("RUSTC_BOOTSTRAP", "1")
        .args(["fuzz", "run", "--sanitizer", "none", "--fuzz-dir", "."])
        .arg(target.name)
        .arg(corpus)
        .arg(root().join(target.tests).join("corpus").join(target.name));
    if target.dictionary == "html.dict" {
        command.arg(root().join("crates/html/tests/writers/golden"));
    }
    command
        .args(["--", "-max_len=2048", "-timeout=10"])
        .arg(format!("-dict={}", target.dictionary))
        .arg(format!("-max_total_time={seconds}"));
    run(&mut command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_parsed() {
        assert_eq!(parse(&[]).unwrap(), Options::default());
        let one = parse(&["links", "--seconds", "30"]).unwrap();
        assert_eq!((one.target, one.seconds), (Some("links"), Some(30)));
        let many = parse(&["agree", "--inputs", "10000000", "--seed", "7"]).unwrap();
        assert_eq!(many.inputs, Some(10_000_000));
        assert_eq!((many.target, many.seed), (Some(AGREE), Some(7)));
        assert!(parse(&["nothing"]).is_err());
        assert!(parse(&["--seconds", "x"]).is_err());
        assert!(parse(&["--seconds"]).is_err());
        assert!(parse(&["--inputs", "5"]).is_err());
        assert!(parse(&["--minutes", "5"]).is_err());
    }
}
