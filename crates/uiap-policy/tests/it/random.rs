//! Random documents, questions and worlds out of small vocabularies, so that rules and questions often meet.

use serde_json::{Map, Value, json};
use uiap_model::policy::PolicyRequest;

use crate::support::World;

/// A small generator: the same seed gives the same sequence.
pub(crate) struct Random(pub(crate) u64);

pub(crate) const ACTIONS: &[&str] = &[
    "ui.read",
    "ui.highlight",
    "ui.enterText",
    "ui.activate",
    "nav.navigate",
    "billing.plan",
    "billing.plan.change",
    "billing",
    "video.create",
    "video.delete",
];
const PATTERNS: &[&str] = &[
    "ui.read",
    "ui.*",
    "billing.*",
    "billing.plan.*",
    "billing.plan",
    "video.create",
    "video.*",
    "nav.navigate",
];
const EFFECTS: &[&str] = &["allow", "confirm", "handoff", "deny"];
const LEVELS: &[&str] = &["safe", "confirm", "blocked"];
const TAGS: &[&str] = &[
    "sensitive_data",
    "destructive",
    "external_effect",
    "privileged",
    "billing",
    "security",
    "identity",
    "legal",
    "irreversible",
    "x.acme.tag",
    "x.acme.other",
];
const SIDES: &[&str] = &[
    "none",
    "ui_only",
    "navigation",
    "draft",
    "data_write",
    "external_effect",
    "identity_change",
    "security_change",
    "billing_change",
    "destructive",
    "irreversible",
    "unknown",
    "x.acme.effect",
    "x.acme.bang",
];
const CLASSES: &[&str] = &[
    "public",
    "internal",
    "personal",
    "sensitive",
    "credential",
    "secret",
    "payment",
    "health",
    "legal",
    "x.acme.card",
    "x.acme.gene",
];
const GRANTS: &[&str] = &[
    "observe",
    "guide",
    "draft",
    "act",
    "admin",
    "read.sensitive",
    "read.secret",
    "write.sensitive",
    "billing",
    "identity",
    "security",
    "x.acme.export",
];
const ROUTES: &[&str] = &["home", "billing.invoices", "billing.invoices.open", "billing"];
const ROUTE_PATTERNS: &[&str] = &["home", "billing.*", "billing.invoices.*", "billing"];
const NAMES: &[&str] = &["one", "two", "three"];
const MODES: &[&str] = &["appAction", "semanticUi", "inputSynthesis", "externalDriver", "visionAssist"];
const ROLES: &[&str] = &["button", "textbox", "cell", "x.acme.knob"];
const TYPES: &[&str] = &["user", "agent", "bridge", "observer", "system"];
const INTERACTIONS: &[&str] = &["guide", "assist", "auto"];

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 11).unwrap() % end
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn one<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    fn some(&mut self, words: &[&str], most: usize) -> Value {
        let count = 1 + self.below(most);
        (0..count).map(|_| self.one(words)).collect()
    }

    /// Shuffles in place.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }

    fn maybe(&mut self, into: &mut Map<String, Value>, percent: usize, key: &str, words: &[&str]) {
        if self.chance(percent) {
            let list = self.some(words, 3);
            into.insert(key.into(), list);
        }
    }

    pub(crate) fn matching(&mut self) -> Value {
        let mut keys = Map::new();
        self.maybe(&mut keys, 60, "actions", PATTERNS);
        for (key, words) in [
            ("actionKinds", &["primitive", "domain"][..]),
            ("riskLevels", LEVELS),
            ("riskTags", TAGS),
            ("sideEffects", SIDES),
            ("dataClasses", CLASSES),
            ("routes", ROUTE_PATTERNS),
            ("scopes", NAMES),
            ("stableIds", NAMES),
            ("roles", ROLES),
            ("executionModes", MODES),
            ("workflowIds", NAMES),
            ("interactionModes", INTERACTIONS),
            ("phase", &["observe", "act"]),
        ] {
            self.maybe(&mut keys, 9, key, words);
        }
        if self.chance(15) {
            let mut principal = Map::new();
            self.maybe(&mut principal, 40, "types", TYPES);
            self.maybe(&mut principal, 30, "ids", NAMES);
            self.maybe(&mut principal, 30, "roles", NAMES);
            self.maybe(&mut principal, 40, "grants", GRANTS);
            keys.insert("principal".into(), Value::Object(principal));
        }
        Value::Object(keys)
    }

    fn obligation(&mut self) -> Value {
        match self.below(8) {
            0 => json!({ "type": "confirm", "by": "user" }),
            1 => json!({ "type": "audit", "level": self.one(&["none", "metadata", "full"]) }),
            2 => json!({ "type": "redact", "mode": self.one(&["mask", "remove"]) }),
            3 | 4 => json!({ "type": "restrictModes", "modes": self.some(MODES, 4) }),
            5 => json!({ "type": "verify", "policy": self.one(&["any", "all"]) }),
            6 => json!({ "type": "notify", "text": self.one(NAMES) }),
            _ => json!({ "type": "handoff", "reason": self.one(NAMES) }),
        }
    }

    pub(crate) fn rule(&mut self, id: &str) -> Value {
        let mut rule = json!({ "id": id, "match": self.matching(), "effect": self.one(EFFECTS) });
        if self.chance(30) {
            rule["override"] = json!(self.chance(80));
        }
        if self.chance(10) {
            rule["enabled"] = json!(self.chance(50));
        }
        if self.chance(25) {
            rule["obligations"] = (0..=self.below(2)).map(|_| self.obligation()).collect();
        }
        rule
    }

    fn grant_row(&mut self) -> Value {
        let mut row = json!({ "requires": if self.chance(20) { json!([]) } else { self.some(GRANTS, 2) } });
        for (percent, key, words) in [
            (60, "sideEffect", SIDES),
            (35, "dataClass", CLASSES),
            (20, "riskTag", TAGS),
            (30, "access", &["read", "write"]),
        ] {
            if self.chance(percent) {
                row[key] = json!(self.one(words));
            }
        }
        row
    }

    /// A policy with an id and nothing that selects it.
    pub(crate) fn policy(&mut self, id: &str) -> Value {
        let mut defaults = json!({ "onUnknownAction": self.one(EFFECTS) });
        if self.chance(30) {
            defaults["onNoMatch"] = json!(self.one(EFFECTS));
        }
        if self.chance(30) {
            defaults["onMissingGrant"] = json!(self.one(&["deny", "handoff", "confirm"]));
        }
        if self.chance(30) {
            defaults["onError"] = json!(self.one(&["deny", "handoff"]));
        }
        if self.chance(30) {
            defaults["byRisk"] = json!({ self.one(LEVELS): self.one(EFFECTS) });
        }
        let mut document = json!({ "modelVersion": "0.1", "defaults": defaults });
        document["rules"] = (0..self.below(14)).map(|number| self.rule(&format!("r{number}"))).collect();
        if self.chance(40) {
            document["grants"] = (0..=self.below(3)).map(|_| self.grant_row()).collect();
        }
        if self.chance(40) {
            document["audit"] = json!({ "level": self.one(&["none", "metadata", "full"]) });
            if self.chance(40) {
                document["audit"]["minRisk"] = json!(self.one(LEVELS));
            }
        }
        json!({ "id": id, "document": document })
    }

    fn risk(&mut self) -> Value {
        let mut risk = json!({ "level": if self.chance(70) { "safe" } else { self.one(LEVELS) } });
        if self.chance(30) {
            risk["tags"] = self.some(TAGS, 2);
        }
        risk
    }

    pub(crate) fn request(&mut self) -> PolicyRequest {
        let grants: Vec<&str> = if self.chance(60) {
            GRANTS.iter().copied().filter(|_| self.chance(75)).collect()
        } else {
            GRANTS.iter().copied().filter(|_| self.chance(20)).collect()
        };
        let id = self.one(NAMES);
        let mut request = json!({
            "principal": { "type": self.one(TYPES), "id": id, "grants": grants }, "actionId": self.one(ACTIONS),
        });
        if self.chance(40) {
            request["principal"]["roles"] = self.some(NAMES, 2);
        }
        for (percent, key, words) in [
            (20, "sideEffect", SIDES),
            (20, "routeId", ROUTES),
            (15, "scopeId", NAMES),
            (15, "executionMode", MODES),
            (15, "workflowId", NAMES),
            (30, "interactionMode", INTERACTIONS),
        ] {
            if self.chance(percent) {
                request[key] = json!(self.one(words));
            }
        }
        if self.chance(20) {
            request["risk"] = self.risk();
        }
        if self.chance(20) {
            request["dataClasses"] = self.some(CLASSES, 2);
        }
        if self.chance(20) {
            request["target"] = match self.below(3) {
                0 => json!({ "by": "stableId", "value": self.one(NAMES) }),
                1 => json!({ "by": "scope", "value": self.one(NAMES) }),
                _ => json!({ "by": "semantic", "role": self.one(ROLES), "scope": self.one(NAMES) }),
            };
        }
        serde_json::from_value(request).unwrap()
    }

    /// A declared side effect, now and then one that nobody can read.
    fn metadata(&mut self) -> Value {
        if self.chance(2) { json!({ "sideEffect": 42 }) } else { json!({ "sideEffect": self.one(SIDES) }) }
    }

    pub(crate) fn world(&mut self, action: &str) -> World {
        let mut world = World::default();
        if self.chance(60) {
            let mut value = json!({
                "id": action, "kind": "domain", "targetKinds": ["none"], "executionModes": ["appAction"],
                "risk": self.risk(),
            });
            if self.chance(70) {
                value["metadata"] = self.metadata();
            }
            world.descriptor = Some(serde_json::from_value(value).unwrap());
        }
        let stable_id = self.one(NAMES);
        if self.chance(30) {
            let mut value = json!({ "id": stable_id, "match": [] });
            if self.chance(40) {
                value["risk"] = json!(self.one(&["safe", "safe", "confirm"]));
            }
            if self.chance(40) {
                value["dataClasses"] = self.some(CLASSES, 2);
            }
            if self.chance(40) {
                value["metadata"] = self.metadata();
            }
            if self.chance(40) {
                value["scopeId"] = json!(self.one(NAMES));
            }
            world.binding = Some(serde_json::from_value(value).unwrap());
        }
        if self.chance(40) {
            let mut value = json!({
                "role": self.one(ROLES), "source": self.one(&["registry", "annotation", "aria"]), "risk": self.risk(),
            });
            if self.chance(60) {
                value["stableId"] = json!(if self.chance(97) { stable_id } else { "elsewhere" });
            }
            if self.chance(40) {
                value["dataClasses"] = self.some(CLASSES, 2);
            }
            if self.chance(40) {
                value["metadata"] = self.metadata();
            }
            if self.chance(20) {
                value["state"] = json!({ "sensitive": self.chance(50), "obscured": self.chance(50) });
            }
            world.element = Some(crate::support::element(value));
        }
        world.route = self.chance(50).then(|| self.one(ROUTES).to_owned());
        world.scope = self.chance(30).then(|| self.one(NAMES).to_owned());
        world.workflow = self.chance(30).then(|| self.one(NAMES).to_owned());
        world.mode = self.chance(30).then(|| serde_json::from_value(json!(self.one(MODES))).unwrap());
        world.limits.opaque_target = self.chance(3);
        world.limits.closed_shadow = self.chance(3);
        world.limits.user_activation = self.chance(4);
        world
    }
}
