//! `cargo xtask fuzz`: looks for pages that break the html crate, guided by coverage.
//!
//! `cargo xtask test` replays what was found; this searches on. It needs `cargo-fuzz`, which it installs, and
//! instruments the code on a stable compiler, without the sanitizers: there is no unsafe code to watch.

use anyhow::{Context, Result, bail};

use crate::shell::{cargo, exists, root, run, tell};

const TARGETS: [&str; 2] = ["markdown", "links"];
const MINUTES: u64 = 5;

/// The words after `fuzz`: a target or all of them, and for how long each.
pub(crate) fn start(words: &[&str]) -> Result<()> {
    let (targets, minutes) = asked(words)?;
    if !exists("cargo-fuzz", "--version") {
        tell("installing cargo-fuzz");
        run(cargo().args(["install", "cargo-fuzz", "--locked"]))?;
    }
    for target in targets {
        fuzz(target, minutes)?;
    }
    Ok(())
}

fn asked<'w>(words: &[&'w str]) -> Result<(Vec<&'w str>, u64)> {
    let (targets, rest) = match words {
        [target, rest @ ..] if TARGETS.contains(target) => (vec![*target], rest),
        rest => (TARGETS.to_vec(), rest),
    };
    let minutes = match rest {
        [] => MINUTES,
        ["--minutes", number] => number
            .parse()
            .with_context(|| format!("{number:?} is not a number of minutes"))?,
        _ => bail!("cargo xtask fuzz [{}] [--minutes N]", TARGETS.join("|")),
    };
    Ok((targets, minutes))
}

/// The corpus that grows is the fuzzer's own and not kept; it starts from the inputs of the tests.
fn fuzz(target: &str, minutes: u64) -> Result<()> {
    let tests = root().join("crates/html/tests");
    let corpus = root().join("fuzz/corpus").join(target);
    std::fs::create_dir_all(&corpus)?;
    let mut command = cargo();
    command
        .current_dir(root().join("fuzz"))
        // what instruments the code is not stable
        .env("RUSTC_BOOTSTRAP", "1")
        .args([
            "fuzz",
            "run",
            "--sanitizer",
            "none",
            "--fuzz-dir",
            ".",
            target,
        ])
        .arg(corpus)
        .arg(tests.join("fuzz/corpus").join(target))
        .arg(tests.join("writers/golden"))
        .arg("--")
        .args(["-dict=html.dict", "-max_len=2048", "-timeout=10"])
        .arg(format!("-max_total_time={}", minutes.saturating_mul(60)));
    run(&mut command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked() {
        assert_eq!(asked(&[]).unwrap(), (TARGETS.to_vec(), MINUTES));
        assert_eq!(asked(&["links"]).unwrap(), (vec!["links"], MINUTES));
        assert_eq!(
            asked(&["markdown", "--minutes", "30"]).unwrap(),
            (vec!["markdown"], 30)
        );
        assert!(asked(&["nothing"]).is_err());
        assert!(asked(&["--minutes", "x"]).is_err());
    }
}
