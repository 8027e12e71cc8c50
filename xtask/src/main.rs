//! Chores of the repository: `cargo xtask --help`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool prints")]
#![expect(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "the repository names its files in small letters"
)]

mod bench;
mod codegen;
mod compile;
mod layers;
mod mistakes;
mod passed;
mod proof;
mod repository;
mod requirements;
mod roadmap;
mod rustdoc;
mod suite;
mod tests;
mod tidy;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of the repository.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Everything that CI runs; installs what it needs
    Test {
        /// Skip the installation of missing tools
        #[arg(long)]
        no_install: bool,
        /// Run also what passed before and did not change since
        #[arg(long)]
        all: bool,
    },
    /// House rules: file openings, sizes, forbidden words, links, the roadmap
    Tidy,
    /// Write the generated files, or prove that they are fresh
    Codegen {
        /// Fail when a generated file is not up to date
        #[arg(long)]
        check: bool,
    },
    /// Who may know whom
    Layers,
    /// Which requirements have a test that names them
    Requirements {
        /// Folder with the requirement files
        dir: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Fail when a requirement of this level (and its NOT form) has no test
        #[arg(long, value_name = "LEVEL")]
        require: Vec<String>,
        /// Look at these files only, such as `capability`
        #[arg(long = "in", value_name = "FILE")]
        files: Vec<String>,
    },
    /// Proofs that take long: safeguards are taken out and their tests must fail, rare faults are looked for 200 times
    Proof {
        /// The safeguards only
        #[arg(long)]
        mutants: bool,
    },
    /// Measure, and print the figures of docs/benchmarks.md
    Bench,
}

fn main() -> ExitCode {
    if let Some(done) = rustdoc::stand_in() {
        return done.unwrap_or_else(|error| failed(&error));
    }
    let result = match Cli::parse().chore {
        Chore::Test { no_install, all } => suite::run(!no_install, all),
        Chore::Tidy => tidy::run(),
        Chore::Codegen { check } => codegen::run(check),
        Chore::Layers => layers::run(),
        Chore::Requirements { dir, json, require, files } => {
            requirements::run(&requirements::Options { dir, json, require, files })
        }
        Chore::Proof { mutants } => match (proof::mutants(), mutants) {
            (Ok(()), false) => proof::large(),
            (outcome, _) => outcome,
        },
        Chore::Bench => bench::run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error),
    }
}

fn failed(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::FAILURE
}
