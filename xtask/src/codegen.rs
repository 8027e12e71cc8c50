//! Generated files are committed; this writes them or proves them fresh.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::compile::cargo;
use crate::mistakes;
use crate::repository::{execute, output, root};

/// Writes the files, or fails when one of them is not up to date.
pub(crate) fn run(check: bool) -> Result<()> {
    let fresh = root().join("target/codegen");
    if fresh.is_dir() {
        std::fs::remove_dir_all(&fresh)?;
    }
    std::fs::create_dir_all(&fresh)?;
    let folder = fresh.to_string_lossy().into_owned();
    // As the tests have it, which `build` does not: it would compile everything once more.
    cargo(&["test", "--no-run", "--quiet", "--workspace"])?;
    let uiap = mistakes::binary();
    let product = uiap.to_string_lossy();
    execute(&product, &["schema", "--all", "--out", &format!("{folder}/schemas")])?;
    let reference = output(&product, &["reference"])?;
    std::fs::create_dir_all(fresh.join("docs"))?;
    std::fs::write(fresh.join("docs/cli.md"), reference)?;
    let work = tempfile::tempdir()?;
    let mistakes = mistakes::page(&uiap, work.path())?;
    std::fs::write(fresh.join("docs/diagnostics.md"), mistakes)?;
    let wanted = files(&fresh)?;
    let mut stale = Vec::new();
    for (name, text) in &wanted {
        let place = root().join(name);
        if std::fs::read(&place).ok().as_deref() != Some(text.as_slice()) {
            stale.push(name.display().to_string());
            if !check {
                std::fs::create_dir_all(place.parent().context("a file has a folder")?)?;
                std::fs::write(&place, text)?;
            }
        }
    }
    for name in files(&root().join("schemas")).unwrap_or_default().into_keys() {
        let name = Path::new("schemas").join(name);
        if !wanted.contains_key(&name) {
            stale.push(name.display().to_string());
            if !check {
                std::fs::remove_file(root().join(&name))?;
            }
        }
    }
    if check && !stale.is_empty() {
        bail!("not up to date: {}; run `cargo xtask codegen`", stale.join(", "));
    }
    println!(
        "   {} generated files, {} {}",
        wanted.len(),
        stale.len(),
        if check { "stale" } else { "written" }
    );
    Ok(())
}

/// Every file below a folder, by its name relative to it.
fn files(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut out = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).with_context(|| format!("reading {}", next.display()))? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                out.insert(path.strip_prefix(folder)?.to_path_buf(), std::fs::read(&path)?);
            }
        }
    }
    Ok(out)
}
