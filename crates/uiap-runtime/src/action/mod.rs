//! One action from request to result. Spec: action-runtime (04).
//!
//! - [`life`] is the state machine; [`Runtime`] takes requests in (`take_in`) and leads each through all of it (`drive`).
//! - Before: `plan` tells what a request leaves open, `aim` finds the target, `obstacle` and [`precondition`] tell whether it can be used, `guard` asks the policy, `agreement`
//!   and `handoff` ask people.
//! - The act: [`primitive`] says what the protocol's own actions need, `perform`, `choose`, `adjust`, `travel` and `invoke` do them,
//!   `hands` send and remember what was sent.
//! - After: `judge` draws the verdict, `account` writes everything down, `afterwatch` notices what is taken back.
//! - Beside: `presenter` shows, `wait` waits without acting.

mod account;
mod adjust;
mod afterwatch;
mod agreement;
mod aim;
mod choose;
mod confirm;
mod control;
mod drive;
mod ending;
mod execute;
mod guard;
mod handoff;
mod hands;
mod invoke;
mod judge;
pub mod life;
mod live;
mod obstacle;
mod perform;
mod plan;
pub mod precondition;
mod presenter;
pub mod primitive;
mod runtime;
mod take_in;
mod travel;
mod trust;
mod wait;

pub use afterwatch::Notice;
pub use confirm::AnswerError;
pub use ending::{FailureClass, SURFACE_LOST, Stop};
pub use live::ActionEvent;
pub use plan::{IncompletePlan, Part, check_plan, expected_change, intent};
pub use presenter::{Cue, Moment, Presenter};
pub use runtime::{AuditSink, MayVisit, Running, Runtime, RuntimeOptions, UnknownAction};
pub use take_in::Refused;
pub use wait::{Loading, LoadingKind, WaitEnd, WaitError, Waited};
