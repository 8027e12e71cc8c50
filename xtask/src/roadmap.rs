//! The tables of `docs/roadmap.md`: how far things are, what comes next, and whether releases get better.

use std::collections::BTreeSet;

/// The words for how far something is.
const STATUSES: [&str; 3] = ["Completed", "Spec Ready", "Planned"];
/// What an agent needs to act reliably, in the order in which it is told.
const CAPABILITIES: [&str; 10] = [
    "state verification",
    "element identity",
    "wait and synchronization",
    "actionability",
    "adjustable controls",
    "custom control semantics",
    "diagnostic filtering",
    "long press",
    "pinch to zoom",
    "trace correlation",
];
/// The one that may stand before something that it needs, and what that is.
const EXCEPTION: (&str, &str) = ("custom control semantics", "long press");

/// Everything that is wrong with the page. `named` holds the ids that tests name.
pub(crate) fn check(text: &str, named: &BTreeSet<String>) -> Vec<String> {
    let mut wrong = Vec::new();
    let capabilities = table(text, "capability");
    check_order(&capabilities, &mut wrong);
    for row in &capabilities {
        check_status(row, named, &mut wrong);
        check_needs(row, &capabilities, &mut wrong);
    }
    check_circles(&capabilities, &mut wrong);
    check_ranks(&table(text, "what"), &mut wrong);
    check_releases(&table(text, "release"), &mut wrong);
    wrong
}

type Row = Vec<String>;

/// The rows of the table whose first column has this name.
fn table(text: &str, first: &str) -> Vec<Row> {
    let cells = |line: &str| -> Row {
        line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let mut lines = text.lines().skip_while(|line| !line.starts_with(&format!("| {first} |")));
    lines.by_ref().take(2).for_each(drop);
    lines.take_while(|line| line.starts_with('|')).map(cells).collect()
}

fn cell(row: &Row, at: usize) -> &str {
    row.get(at).map_or("", String::as_str)
}

fn needs(row: &Row) -> Vec<&str> {
    cell(row, 3).split(',').map(str::trim).filter(|name| !matches!(*name, "" | "–")).collect()
}

fn check_order(rows: &[Row], wrong: &mut Vec<String>) {
    for (at, expected) in CAPABILITIES.iter().enumerate() {
        let found = rows.get(at).map_or("nothing", |row| cell(row, 0));
        if found != *expected {
            wrong.push(format!("capability {} is `{expected}`, found `{found}`", at + 1));
        }
    }
    for row in rows.iter().skip(CAPABILITIES.len()) {
        wrong.push(format!("`{}` is no capability of the list", cell(row, 0)));
    }
}

fn check_status(row: &Row, named: &BTreeSet<String>, wrong: &mut Vec<String>) {
    let (name, status, ids) = (cell(row, 0), cell(row, 1), cell(row, 4));
    if !STATUSES.contains(&status) {
        wrong.push(format!("`{name}`: `{status}` is no status; use {}", STATUSES.join(", ")));
    }
    let tested = !ids.is_empty() && named.iter().any(|id| id.starts_with(ids));
    if status == "Completed" && !tested {
        wrong.push(format!("`{name}` is called completed, and no test names `{ids}`"));
    }
}

/// Nothing comes in an earlier wave than what it needs.
fn check_needs(row: &Row, all: &[Row], wrong: &mut Vec<String>) {
    let name = cell(row, 0);
    for need in needs(row) {
        let Some(other) = all.iter().find(|other| cell(other, 0) == need) else {
            wrong.push(format!("`{name}` needs `{need}`, which is not in the list"));
            continue;
        };
        if cell(other, 2) > cell(row, 2) && (name, need) != EXCEPTION {
            wrong.push(format!("`{name}` comes before `{need}`, which it needs"));
        }
    }
}

/// Takes away what needs nothing that is left, until nothing goes any more.
fn check_circles(rows: &[Row], wrong: &mut Vec<String>) {
    let mut left: Vec<&Row> = rows.iter().collect();
    loop {
        let names: Vec<&str> = left.iter().map(|row| cell(row, 0)).collect();
        let before = left.len();
        left.retain(|row| needs(row).iter().any(|need| names.contains(need)));
        if left.len() == before {
            break;
        }
    }
    if !left.is_empty() {
        let names: Vec<&str> = left.iter().map(|row| cell(row, 0)).collect();
        wrong.push(format!("these need each other in a circle: {}", names.join(", ")));
    }
}

/// Reliability, retries, breadth, then cost; the last one is better when it is low.
fn rank(row: &Row) -> Option<[i32; 4]> {
    let rating = |at| cell(row, at).parse::<i32>().ok();
    Some([-rating(1)?, -rating(2)?, -rating(3)?, rating(4)?])
}

fn check_ranks(rows: &[Row], wrong: &mut Vec<String>) {
    for row in rows.iter().filter(|row| rank(row).is_none()) {
        wrong.push(format!("`{}` has no four ratings", cell(row, 0)));
    }
    let rated: Vec<&Row> = rows.iter().filter(|row| rank(row).is_some()).collect();
    for (one, next) in rated.iter().zip(rated.iter().skip(1)) {
        if rank(one) > rank(next) {
            wrong.push(format!("`{}` ranks before `{}`", cell(next, 0), cell(one, 0)));
        }
    }
}

fn check_releases(rows: &[Row], wrong: &mut Vec<String>) {
    let figure = |row: &Row, at| cell(row, at).trim_end_matches('%').trim().parse::<f64>().ok();
    if rows.is_empty() {
        wrong.push("there are no figures of any release".to_owned());
    }
    for row in rows {
        for (at, what) in [(1, "task success"), (2, "retries per task")] {
            if figure(row, at).is_none() {
                wrong.push(format!("release {} has no figure for {what}", cell(row, 0)));
            }
        }
    }
    for (one, next) in rows.iter().zip(rows.iter().skip(1)) {
        if figure(next, 1) < figure(one, 1) || figure(next, 2) > figure(one, 2) {
            wrong.push(format!("release {} is worse than {}", cell(next, 0), cell(one, 0)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../docs/roadmap.md");

    fn named() -> BTreeSet<String> {
        let rows = table(PAGE, "capability");
        rows.iter().map(|row| format!("{}-01", cell(row, 4))).collect()
    }

    fn wrong(from: &str, to: &str) -> String {
        assert!(PAGE.contains(from), "{from}");
        check(&PAGE.replacen(from, to, 1), &named()).join("; ")
    }

    /// Requirement: MOB-ROADMAP-STATUS-01
    #[test]
    fn three_words_tell_how_far_something_is_and_completed_needs_tests() {
        assert_eq!(check(PAGE, &named()), Vec::<String>::new());
        for known in STATUSES {
            assert_eq!(wrong("| pinch to zoom | Completed", &format!("| pinch to zoom | {known}")), "");
        }
        let told = wrong("| pinch to zoom | Completed", "| pinch to zoom | In progress");
        assert!(told.contains("`In progress`") && told.contains("Completed, Spec Ready, Planned"), "{told}");
        let untested = check(PAGE, &BTreeSet::new());
        assert_eq!(untested.len(), 10, "{untested:?}");
    }

    /// Requirement: MOB-ROADMAP-STATUS-02
    #[test]
    fn ten_capabilities_stand_in_their_order() {
        assert_eq!(table(PAGE, "capability").len(), 10);
        let swapped = wrong("| element identity |", "| wait and synchronization |");
        assert!(swapped.contains("capability 2 is `element identity`"), "{swapped}");
        let line = PAGE.lines().find(|line| line.starts_with("| long press")).unwrap();
        assert!(wrong(&format!("{line}\n"), "").contains("capability 8 is `long press`"));
    }

    /// Requirement: MOB-ROADMAP-STATUS-03
    #[test]
    fn nothing_needs_itself_or_what_comes_later_but_the_one_that_is_known() {
        let circle = wrong(
            "| actionability | Completed | 2 | element identity",
            "| actionability | Completed | 2 | adjustable controls",
        );
        assert!(circle.contains("in a circle: actionability"), "{circle}");
        let early = wrong("| trace correlation | Completed | 3", "| trace correlation | Completed | 1");
        assert!(early.contains("comes before `diagnostic filtering`"), "{early}");
        let other = wrong("state verification, actionability", "state verification, long press");
        assert!(
            other.contains("`adjustable controls` comes before `long press`"),
            "the exception is one: {other}"
        );
    }

    /// Requirement: MOB-ROADMAP-STATUS-04
    #[test]
    fn what_comes_next_is_in_the_order_of_its_ratings() {
        let before = PAGE.split("| what |").next().unwrap();
        let after = PAGE.split("## Releases").nth(1).unwrap();
        let head = "| what | reliability | retries | breadth | cost |\n|---|---|---|---|---|\n";
        let page = |rows: &str| format!("{before}{head}{rows}\n## Releases{after}");
        let told = |rows: &str| check(&page(rows), &named()).join("; ");
        assert_eq!(
            told(
                "| a | 5 | 1 | 1 | 5 |\n| b | 4 | 5 | 5 | 1 |\n| c | 4 | 5 | 4 | 1 |\n| d | 4 | 5 | 4 | 2 |\n"
            ),
            ""
        );
        assert!(told("| a | 3 | 1 | 1 | 1 |\n| b | 4 | 1 | 1 | 1 |\n").contains("`b` ranks before `a`"));
        assert!(told("| a | 3 | 1 | 1 | 2 |\n| b | 3 | 1 | 1 | 1 |\n").contains("`b` ranks before `a`"));
        assert!(told("| a | 3 | 1 | – | 2 |\n").contains("`a` has no four ratings"));
    }

    /// Requirement: MOB-ROADMAP-STATUS-05
    #[test]
    fn a_release_tells_both_figures_and_is_no_worse_than_the_one_before() {
        let row = "| 0.1.0 | 100 % | 0.00 |";
        assert_eq!(wrong(row, "| 0.1.0 | 98 % | 0.10 |\n| 0.2.0 | 99 % | 0.05 |"), "");
        assert!(
            wrong(row, "| 0.1.0 | 98 % | 0.10 |\n| 0.2.0 | 97 % | 0.10 |")
                .contains("0.2.0 is worse than 0.1.0")
        );
        assert!(wrong(row, "| 0.1.0 | 98 % | 0.10 |\n| 0.2.0 | 98 % | 0.20 |").contains("0.2.0 is worse"));
        assert!(wrong(row, "| 0.1.0 | 98 % | – |").contains("no figure for retries per task"));
    }
}
