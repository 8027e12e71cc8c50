//! `uiap doctor` with a real browser, and with what is none.

use crate::support::uiap;

#[test]
fn the_browser_on_this_machine_is_found_and_starts() {
    let run = uiap(&["--json", "doctor"]);
    let report = run.json();
    assert_eq!(run.code, 0, "{report:#}");
    assert_eq!(report["ready"], true);
    assert!(report["browser"]["launchMs"].as_f64().unwrap() > 0.0);
    assert!(report["browser"]["version"].as_str().unwrap().contains("Chrom"));
    assert!(!report["candidates"].as_array().unwrap().is_empty());
}

#[test]
fn what_is_not_a_browser_is_told_with_a_way_out() {
    for path in ["/nonexistent/chromium", "/bin/true"] {
        let run = uiap(&["doctor", "--browser", path]);
        assert_eq!(run.code, 7, "{}", run.err);
        assert!(run.err.contains("hint:"), "{}", run.err);
    }
}
