//! `Inspector`: the death of what a session looks at.

use super::event;

event! {
    Detached = "Inspector.detached" {
        reason: String,
    }
    TargetCrashed = "Inspector.targetCrashed" {}
    TargetReloadedAfterCrash = "Inspector.targetReloadedAfterCrash" {}
}
