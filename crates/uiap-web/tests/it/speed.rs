//! How long a full capture takes; the numbers are printed, the bounds only catch a disaster.

use std::time::{Duration, Instant};

use crate::shared::{page, run, snapshot};

fn form() -> String {
    let fields = (0..30)
        .map(|n| format!("<p><label for=f{n}>Field {n}</label> <input id=f{n}></p>"))
        .collect::<Vec<_>>()
        .concat();
    format!(
        "<h1>Order form</h1><form><fieldset><legend>Contact</legend>{fields}</fieldset><button>Send</button></form>"
    )
}

fn table(rows: usize) -> String {
    let rows = (1..=rows)
        .map(|n| format!("<tr><td>{n}</td><td><a href='#o{n}'>Order {n}</a></td><td>Customer {n}</td><td>paid</td><td>{n} EUR</td><td><button>Edit {n}</button></td></tr>"))
        .collect::<Vec<_>>().concat();
    format!(
        "<table><thead><tr><th>No</th><th>Order</th><th>Customer</th><th>Status</th><th>Total</th><th>Action</th></tr></thead><tbody>{rows}</tbody></table>"
    )
}

#[test]
fn captures_are_fast() {
    run(async {
        for (name, html, limit) in
            [("30 fields", form(), 2), ("1,000 rows", table(1_000), 8), ("10,000 rows", table(10_000), 25)]
        {
            let page = page(&html).await;
            let mut times = Vec::new();
            for _ in 0..3 {
                let start = Instant::now();
                snapshot(&page).await;
                times.push(start.elapsed());
            }
            times.sort();
            let median = times.get(1).copied().unwrap_or_default();
            eprintln!("{name}: {median:.1?}, the fastest {:.1?}", times.first().copied().unwrap_or_default());
            assert!(median < Duration::from_secs(limit), "{name}: {median:?}");
            page.session().close().await.unwrap();
        }
    });
}
