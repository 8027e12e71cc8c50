//! The other end: what a client of these doors does when it chooses one, and when it loses one.

pub mod reconnect;

pub use self::reconnect::{Reconnect, may_reconnect};

/// The binding that a client takes of those that are offered: for events a connection, else whatever there is.
pub fn choose<'a>(offered: &[&'a str]) -> Option<&'a str> {
    let wanted = ["ws@0.1", "http@0.1"];
    wanted.iter().find_map(|binding| offered.iter().find(|each| *each == binding)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requirement: BIND-H-13
    #[test]
    fn a_connection_is_preferred_to_posts() {
        assert_eq!(choose(&["http@0.1", "ws@0.1"]), Some("ws@0.1"));
        assert_eq!(choose(&["http@0.1"]), Some("http@0.1"));
        assert_eq!(choose(&["pigeon@0.1"]), None);
    }
}
