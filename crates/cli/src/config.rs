//! `config`: prints the effective configuration of the service.

use std::io::Write;
use std::process::ExitCode;

use crawler_service::config::{ConfigError, ConfigFlag, ConfigInputs, LoadedConfig};

use crate::console;
use crate::exit;
use crate::serve_args::{ConfigArgs, SettingArgs};

pub(crate) fn config(args: &ConfigArgs) -> ExitCode {
    if args.example {
        return print(&crawler_service::config::example());
    }
    if args.openapi {
        return print(&crawler_service::api::openapi_json());
    }
    match load(&args.settings) {
        Ok(loaded) => {
            for note in loaded.notes() {
                console::print_warning(&note);
            }
            print(&loaded.text())
        }
        Err(error) => print_errors(&error, false),
    }
}

/// Loads the configuration of this process from file, environment and flags.
pub(crate) fn load(args: &SettingArgs) -> Result<LoadedConfig, ConfigError> {
    let flag =
        |name, key, value: Option<String>| value.map(|value| ConfigFlag { name, key, value });
    let flags = [
        flag(
            "--addr",
            "server.addr",
            args.addr.map(|addr| addr.to_string()),
        ),
        flag(
            "--workers",
            "worker.pool_size",
            args.workers.map(|n| n.to_string()),
        ),
        flag(
            "--store",
            "store.path",
            args.store.as_ref().map(|path| path.display().to_string()),
        ),
    ];
    LoadedConfig::load(&ConfigInputs {
        file: args.config.clone(),
        env: &|name| std::env::var(name).ok(),
        flags: flags.into_iter().flatten().collect(),
    })
}

/// Prints every error of a configuration.
pub(crate) fn print_errors(error: &ConfigError, json: bool) -> ExitCode {
    for message in &error.0 {
        console::print_error(message, json);
    }
    ExitCode::from(exit::BAD_USAGE)
}

/// Prints to stdout; a closed pipe (`crawler config | head`) is a clean exit.
pub(crate) fn print(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            console::print_error(&format!("cannot write to stdout: {error}"), false);
            ExitCode::from(exit::FAILED)
        }
        _ => ExitCode::SUCCESS,
    }
}
