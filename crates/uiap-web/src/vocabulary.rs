//! The tables of roles, handed to the in-page script so that there is only one of each.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Serialize;
use uiap_model::capability::semantics::{ARIA_ROLES, INPUT_TYPES, TAGS, affordances_of};
use uiap_model::capability::{RiskLevel, RiskTag, UIAffordance, UIRole};
use uiap_model::policy::DataClass;
use uiap_model::shape::{Shape, Wire};
use uiap_model::web::ScopeKind;

/// What the script is told once, when it is created.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Vocabulary {
    #[serde(flatten)]
    tables: &'static Tables,
    first_id: u64,
}

impl Vocabulary {
    pub(crate) fn starting_at(first_id: u64) -> Self {
        Self { tables: &TABLES, first_id }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tables {
    aria: BTreeMap<&'static str, UIRole>,
    tags: BTreeMap<&'static str, UIRole>,
    inputs: BTreeMap<&'static str, UIRole>,
    affordances: BTreeMap<&'static str, &'static [UIAffordance]>,
    roles: &'static [&'static str],
    scope_kinds: &'static [&'static str],
    data_classes: &'static [&'static str],
    risk_levels: &'static [&'static str],
    risk_tags: &'static [&'static str],
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let table = |rows: &[(&'static str, UIRole)]| rows.iter().cloned().collect();
    let roles = words::<UIRole>();
    let offered = |name: &'static str| {
        let role = serde_json::from_value::<UIRole>(name.into()).ok()?;
        Some((name, affordances_of(&role)))
    };
    Tables {
        aria: table(ARIA_ROLES),
        tags: table(TAGS),
        inputs: table(INPUT_TYPES),
        affordances: roles.iter().copied().filter_map(offered).collect(),
        roles,
        scope_kinds: words::<ScopeKind>(),
        data_classes: words::<DataClass>(),
        risk_levels: words::<RiskLevel>(),
        risk_tags: words::<RiskTag>(),
    }
});

/// Every word of a vocabulary of the model.
fn words<T: Wire>() -> &'static [&'static str] {
    match T::shape() {
        Shape::Words(words) => words.values,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_filled() {
        let Tables { roles, scope_kinds, data_classes, risk_levels, risk_tags, affordances, .. } = &*TABLES;
        for words in [roles, scope_kinds, data_classes, risk_levels, risk_tags] {
            assert!(words.len() > 2, "{words:?}");
        }
        assert_eq!(affordances.len(), roles.len());
        assert_eq!(risk_levels.last(), Some(&"blocked"), "the script takes the last as the strictest");
    }
}
