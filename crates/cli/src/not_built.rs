//! Commands that this build leaves out. They are still parsed, so that the message names the missing feature.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::{console, exit};

/// Prints an error that names the feature the command needs.
pub(crate) fn refuse(words: &[OsString], feature: &str) -> ExitCode {
    let command = words.get(1).map(|word| word.to_string_lossy());
    let command = command.unwrap_or_default();
    let message = format!("{command}: not part of this build; rebuild with --features {feature}");
    console::print_error(&message, console::wants_json(words));
    ExitCode::from(exit::BAD_USAGE)
}
