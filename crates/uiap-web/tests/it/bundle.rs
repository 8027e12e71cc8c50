//! The committed bundle is what its sources say.

use std::path::Path;
use std::process::Command;

#[test]
fn the_committed_bundle_is_fresh() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
    if !page.join("node_modules").is_dir() {
        eprintln!("skipped: `npm ci` in page/ first");
        return;
    }
    let output = Command::new("node").arg("build.mjs").arg("--check").current_dir(&page).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
