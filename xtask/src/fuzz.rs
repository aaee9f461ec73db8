//! `cargo xtask fuzz`: looks for inputs on which our own ways differ from the parsers they stand in for.
//!
//! `cargo xtask test` makes a short run from a fixed seed, and replays what was found; this searches on, in two ways:
//!
//! * `agree` makes up pages and addresses, many a second, and compares scanner with tree and resolver with `url`;
//! * the other targets are guided by coverage. They need `cargo-fuzz`, which is installed, and the code is instrumented
//!   on a stable compiler, without the sanitizers: there is no unsafe code to watch.

use anyhow::{Context, Result, bail};

use crate::shell::{cargo, exists, root, run, tell};

const AGREE: &str = "agree";
const SECONDS: u64 = 300;

/// A target guided by coverage: its name, the tests that have its corpus, and its words.
struct Target {
    name: &'static str,
    tests: &'static str,
    words: &'static str,
}

const TARGETS: [Target; 4] = [
    Target {
        name: "markdown",
        tests: "crates/html/tests/fuzz",
        words: "html.dict",
    },
    Target {
        name: "links",
        tests: "crates/html/tests/fuzz",
        words: "html.dict",
    },
    Target {
        name: "resolver",
        tests: "crates/weburl/tests/agree",
        words: "url.dict",
    },
    Target {
        name: "url_key",
        tests: "crates/weburl/tests/agree",
        words: "url.dict",
    },
];

/// The searches of `agree`: a crate and the beginning of a test's name.
const SEARCHES: [(&str, &str); 3] = [
    ("html", "scanner_and_tree"),
    ("weburl", "references_resolve"),
    ("weburl", "keys_are"),
];

/// What was asked for: one target or all of them, and how much of each.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked<'w> {
    target: Option<&'w str>,
    seconds: Option<u64>,
    /// of `agree` alone
    inputs: Option<u64>,
    seed: Option<u64>,
}

/// The words after `fuzz`.
pub(crate) fn start(words: &[&str]) -> Result<()> {
    let asked = asked(words)?;
    if asked.target.is_none_or(|target| target == AGREE) {
        agree(&asked)?;
    }
    let targets = TARGETS
        .iter()
        .filter(|target| asked.target.is_none_or(|name| name == target.name));
    for (at, target) in targets.enumerate() {
        if at == 0 && !exists("cargo-fuzz", "--version") {
            tell("installing cargo-fuzz");
            run(cargo().args(["install", "cargo-fuzz", "--locked"]))?;
        }
        fuzz(target, asked.seconds.unwrap_or(SECONDS))?;
    }
    Ok(())
}

fn asked<'w>(words: &[&'w str]) -> Result<Asked<'w>> {
    let mut asked = Asked::default();
    let mut rest = words;
    if let [target, behind @ ..] = words
        && (*target == AGREE || TARGETS.iter().any(|known| known.name == *target))
    {
        asked.target = Some(target);
        rest = behind;
    }
    for pair in rest.chunks(2) {
        let number = |text: &str| {
            text.parse()
                .with_context(|| format!("{text:?} is no number"))
        };
        match pair {
            ["--seconds", text] => asked.seconds = Some(number(text)?),
            ["--inputs", text] if asked.target == Some(AGREE) => {
                asked.inputs = Some(number(text)?);
            }
            ["--seed", text] => asked.seed = Some(number(text)?),
            _ => bail!(
                "cargo xtask fuzz [markdown|links|resolver|url_key] [--seconds N], or \
                 cargo xtask fuzz agree [--inputs N] [--seconds N] [--seed S]"
            ),
        }
    }
    Ok(asked)
}

/// The searches that make up their inputs, one after the other, optimised.
fn agree(asked: &Asked<'_>) -> Result<()> {
    for (package, test) in SEARCHES {
        let mut command = cargo();
        command
            .args(["test", "--release", "--locked", "--package", package])
            .args(["--test", "agree", "--", "--nocapture", test]);
        match asked.inputs {
            Some(inputs) => command.env("AGREE_INPUTS", inputs.to_string()),
            None => command.env(
                "AGREE_SECONDS",
                asked.seconds.unwrap_or(SECONDS).to_string(),
            ),
        };
        if let (Some(_), Some(seconds)) = (asked.inputs, asked.seconds) {
            command.env("AGREE_SECONDS", seconds.to_string());
        }
        // another one each time, unless one is asked for again
        let seed = asked.seed.unwrap_or_else(|| u64::from(std::process::id()));
        run(command.env("AGREE_SEED", seed.to_string()))?;
    }
    Ok(())
}

/// The corpus that grows is the fuzzer's own and not kept; it starts from the inputs of the tests.
fn fuzz(target: &Target, seconds: u64) -> Result<()> {
    let corpus = root().join("fuzz/corpus").join(target.name);
    std::fs::create_dir_all(&corpus)?;
    let mut command = cargo();
    command
        .current_dir(root().join("fuzz"))
        // what instruments the code is not stable
        .env("RUSTC_BOOTSTRAP", "1")
        .args(["fuzz", "run", "--sanitizer", "none", "--fuzz-dir", "."])
        .arg(target.name)
        .arg(corpus)
        .arg(root().join(target.tests).join("corpus").join(target.name));
    if target.words == "html.dict" {
        command.arg(root().join("crates/html/tests/writers/golden"));
    }
    command
        .args(["--", "-max_len=2048", "-timeout=10"])
        .arg(format!("-dict={}", target.words))
        .arg(format!("-max_total_time={seconds}"));
    run(&mut command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked() {
        assert_eq!(asked(&[]).unwrap(), Asked::default());
        let one = asked(&["links", "--seconds", "30"]).unwrap();
        assert_eq!((one.target, one.seconds), (Some("links"), Some(30)));
        let many = asked(&["agree", "--inputs", "10000000", "--seed", "7"]).unwrap();
        assert_eq!(many.inputs, Some(10_000_000));
        assert_eq!((many.target, many.seed), (Some(AGREE), Some(7)));
        assert!(asked(&["nothing"]).is_err());
        assert!(asked(&["--seconds", "x"]).is_err());
        assert!(asked(&["--seconds"]).is_err());
        assert!(asked(&["--inputs", "5"]).is_err());
        assert!(asked(&["--minutes", "5"]).is_err());
    }
}
