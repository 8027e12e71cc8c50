//! What a run may do, and what it never does.

use serde_json::{Value, json};
use uiap_discovery::safety::{Stance, Subject, Verdict, judge, lexicon};
use uiap_model::capability::ActionDescriptor;
use uiap_model::discovery::DiscoveryEnvironment;
use uiap_model::web::PageGraph;

use crate::graph::{Page, named, page};

fn stance(safety: Value, metadata: Value) -> Stance {
    let environment: DiscoveryEnvironment = serde_json::from_value(json!({
        "environmentId": "test", "baseUrl": "https://app.example/", "safety": safety, "metadata": metadata,
    }))
    .unwrap();
    Stance::of(&environment)
}

fn safe() -> Stance {
    stance(json!({"defaultMode": "safe_explore"}), json!({}))
}

fn sandbox(more: Value) -> Stance {
    let mut safety = json!({"defaultMode": "sandbox_write"});
    for (key, value) in more.as_object().unwrap() {
        safety[key] = value.clone();
    }
    stance(safety, json!({"controlledTenant": true}))
}

fn verdict(graph: &PageGraph, name: &str, stance: &Stance) -> Verdict {
    verdict_of(graph, name, None, &[], stance)
}

fn verdict_of(
    graph: &PageGraph,
    name: &str,
    action: Option<&str>,
    actions: &[ActionDescriptor],
    stance: &Stance,
) -> Verdict {
    let (scope, element) = named(graph, name);
    let default = match element.role.as_str() {
        "link" => "nav.navigate",
        "checkbox" | "switch" => "ui.toggle",
        "textbox" | "searchbox" => "ui.enterText",
        "combobox" => "ui.choose",
        _ => "ui.activate",
    };
    let subject = Subject {
        graph,
        scope: Some(scope),
        element: Some(element),
        action_id: action.unwrap_or(default),
        actions,
    };
    judge(&subject, stance)
}

fn told(verdict: &Verdict) -> (String, String) {
    let word = |value: Value| value.as_str().unwrap().to_owned();
    (word(serde_json::to_value(verdict.effect).unwrap()), word(serde_json::to_value(verdict.reason).unwrap()))
}

fn button(name: &str, more: Value) -> Page {
    page("https://app.example/").element("~page", "button", name, more)
}

fn link(name: &str, href: &str) -> Page {
    page("https://app.example/").element("~page", "link", name, json!({"metadata": {"href": href}}))
}

#[track_caller]
fn allowed(made: Page, name: &str) {
    let found = verdict(&made.build(), name, &safe());
    assert_eq!(told(&found), ("allow".into(), "safe".into()), "{name}: {}", found.because);
}

#[track_caller]
fn refused(made: Page, name: &str, reason: &str) {
    let found = verdict(&made.build(), name, &safe());
    let (effect, why) = told(&found);
    assert_ne!(effect, "allow", "{name}: {}", found.because);
    assert_eq!(why, reason, "{name}: {}", found.because);
}

/// Requirement: DISC-8-11
/// Requirement: DISC-11.5-01
#[test]
fn what_only_shows_or_opens_is_done() {
    for name in [
        "Open menu",
        "Show details",
        "Filters",
        "New video",
        "Edit",
        "Close",
        "Cancel",
        "Hilfe",
        "Détails",
        "Buscar",
        "Sluiten",
    ] {
        allowed(button(name, json!({})), name);
    }
    allowed(button("Anything", json!({"state": {"expanded": false}})), "Anything");
    allowed(button("Anything", json!({"state": {"hasPopup": "menu"}})), "Anything");
    allowed(button("Share", json!({"state": {"hasPopup": "menu"}})), "Share");
    allowed(page("https://app.example/").element("~page", "tab", "Publishing", json!({})), "Publishing");
    for (name, href) in [
        ("Videos", "/videos"),
        ("Payments", "/payments"),
        ("Sign in", "/login"),
        ("How to delete a video in five easy steps", "/help/how-to-delete-a-video"),
    ] {
        allowed(link(name, &format!("https://app.example{href}")), name);
    }
}

/// Requirement: DISC-2-04
/// Requirement: DISC-8-16
#[test]
fn what_takes_away_costs_or_reaches_others_is_never_done_whatever_its_language_or_form() {
    let words = [
        ("Delete", "destructive"),
        ("Löschen", "destructive"),
        ("Konto löschen", "destructive"),
        ("Supprimer", "destructive"),
        ("Eliminar", "destructive"),
        ("Rimuovi", "destructive"),
        ("Excluir", "destructive"),
        ("Verwijderen", "destructive"),
        ("Remove member", "destructive"),
        ("Cancel plan", "destructive"),
        ("Move to trash", "destructive"),
        ("Log out", "credential"),
        ("Abmelden", "credential"),
        ("Se déconnecter", "credential"),
        ("Cerrar sesión", "credential"),
        ("Esci", "credential"),
        ("Sair", "credential"),
        ("Uitloggen", "credential"),
        ("Pay now", "payment"),
        ("Jetzt bezahlen", "payment"),
        ("Payer", "payment"),
        ("Pagar", "payment"),
        ("Acquista", "payment"),
        ("Betalen", "payment"),
        ("Buy", "payment"),
        ("Checkout", "payment"),
        ("Send", "external_effect"),
        ("Nachricht senden", "external_effect"),
        ("Envoyer", "external_effect"),
        ("Enviar", "external_effect"),
        ("Invia", "external_effect"),
        ("Versturen", "external_effect"),
        ("Invite Ana", "external_effect"),
        ("Einladen", "external_effect"),
        ("Publish", "external_effect"),
        ("Veröffentlichen", "external_effect"),
        ("Publier", "external_effect"),
        ("Publicar", "external_effect"),
        ("Pubblica", "external_effect"),
        ("Publiceren", "external_effect"),
        ("Upload", "external_effect"),
        ("Hochladen", "external_effect"),
        ("Export CSV", "external_effect"),
        ("Make a new key", "security_sensitive"),
    ];
    for (name, reason) in words {
        refused(button(name, json!({})), name, reason);
        refused(link(name, "https://app.example/x"), name, reason);
        refused(page("https://app.example/").element("~page", "menuitem", name, json!({})), name, reason);
    }
}

/// Requirement: DISC-8-16
#[test]
fn an_address_that_says_what_it_does_is_believed() {
    for (href, reason) in [
        ("/videos/12/delete", "destructive"),
        ("/wp-admin/post.php?post=5&action=trash", "destructive"),
        ("/x?_method=delete", "destructive"),
        ("/logout", "credential"),
        ("/account/sign-out", "credential"),
        ("/users/sign_out", "credential"),
        ("/session/logOut", "credential"),
        ("/videos/12/publish", "external_effect"),
        ("/orders/7/pay", "payment"),
        ("/report.csv", "external_effect"),
    ] {
        refused(link("Go", &format!("https://app.example{href}")), "Go", reason);
    }
    allowed(link("Go", "https://app.example/videos/12"), "Go");
}

/// What is got with GET, by whatever: nobody is asked by a form or a method whether it should be done.
///
/// Requirement: DISC-8-16
#[test]
fn an_address_acts_where_a_verb_is_done_to_something_and_not_where_it_names_a_place() {
    use uiap_discovery::safety::address::acts;
    for path in [
        "/logout.php",
        "/delete.php?id=3",
        "/items/3/del",
        "/admin/posts?action=trash&post=3",
        "/items/3/trash",
        "/cart/add/3",
        "/shop/?add-to-cart=12",
        "/vote?id=3",
        "/vote.php",
        "/posts/3/like",
        "/like/3",
        "/comments/7/approve",
        "/issues/7/archive",
        "/jobs/7/start",
        "/system/reboot",
        "/index.php?do=restart",
        "/x?%61ction=%64elete",
        "/mail/3/send",
    ] {
        assert!(acts(&format!("http://app.test{path}")), "{path}");
    }
    for path in [
        "/",
        "/videos?start=20&sort=delete",
        "/search?q=delete%20account",
        "/items?status=deleted",
        "/items/deleted",
        "/trash",
        "/trash?page=2",
        "/blog/archive",
        "/blog?archive=2024",
        "/start",
        "/items/3/update",
        "/items/3/run-history",
        "/static/delete-icon.svg",
        "/assets/Logout-8f1c.js",
        "/locales/en/delete.json",
        "/help/how-to-delete-a-video",
        "/login?next=/logout",
        "/export?format=csv",
        "/items/add",
        "/users/3/follow-ups",
    ] {
        assert!(!acts(&format!("http://app.test{path}")), "{path}");
    }
}

/// Requirement: DISC-8-16
#[test]
fn a_link_that_acts_is_no_place_whatever_it_is_called() {
    let listed = |name: &str, href: &str| {
        let told = json!({"metadata": {"href": format!("https://app.example{href}")}});
        page("https://app.example/")
            .scope("~page", "~list", "list", json!({}))
            .element("~list", "link", name, told)
    };
    refused(listed("", "/posts/3/like"), "", "manual_only");
    refused(listed("Add to cart", "/?add-to-cart=12"), "Add to cart", "manual_only");
    refused(listed("Remove from list", "/items/3/out"), "Remove from list", "destructive");
    refused(listed("Mark as read", "/items/3/seen"), "Mark as read", "manual_only");
    refused(listed("Reboot", "/system/now"), "Reboot", "destructive");
    refused(listed("Go", "/items/3?_wpnonce=12ab"), "Go", "unknown_side_effect");
    allowed(listed("Delete old videos", "/tasks/3"), "Delete old videos");
    allowed(listed("Delete old videos", "/tasks/delete-all-the-old-videos"), "Delete old videos");
    // What is pressed by a script is done only where its name is known to be harmless.
    refused(link("Frobnicate", "https://app.example/#"), "Frobnicate", "unknown_side_effect");
    let opens = json!({"metadata": {"href": "https://app.example/#", "opens": "menu"}});
    allowed(page("https://app.example/").element("~page", "link", "Frobnicate", opens), "Frobnicate");
}

/// Requirement: DISC-11.5-02
#[test]
fn other_origins_and_other_programs_are_left_alone() {
    for href in ["https://elsewhere.example/", "mailto:a@b.example", "tel:123", "http://app.example/"] {
        refused(link("Go", href), "Go", "external_effect");
    }
}

/// Requirement: DISC-8-13
/// Requirement: DISC-8-14
/// Requirement: DISC-13-06
#[test]
fn what_nobody_knows_is_not_done_until_the_app_calls_it_safe() {
    refused(button("Frobnicate", json!({})), "Frobnicate", "unknown_side_effect");
    refused(button("", json!({})), "", "unknown_side_effect");
    allowed(button("Frobnicate", json!({"risk": {"level": "safe"}})), "Frobnicate");
    // Declared harmless and called grave: a contradiction is no permission.
    refused(button("Delete", json!({"risk": {"level": "safe"}})), "Delete", "unknown_side_effect");
    refused(
        page("https://app.example/").element("~page", "custom", "Open", json!({})),
        "Open",
        "unknown_side_effect",
    );
}

/// Pictures that come as a font, and addresses that are there for the looks only, say nothing.
///
/// Requirement: DISC-8-13
#[test]
fn a_link_to_nowhere_is_judged_by_its_name_or_picture_and_a_button_that_leads_by_its_address() {
    let nowhere = "https://app.example/#";
    refused(link("\u{f067}", nowhere), "\u{f067}", "unknown_side_effect");
    refused(link("", "javascript:void(0)"), "", "unknown_side_effect");
    // A list does not make a command the name of an entry, whatever the address of the app looks like.
    let restart = json!({"metadata": {"href": "https://app.example/3#"}});
    let listed = page("https://app.example/").scope("~page", "~list", "list", json!({}));
    refused(
        listed.element("~list", "link", "Restart all flows now", restart),
        "Restart all flows now",
        "manual_only",
    );
    allowed(link("Last week", nowhere), "Last week");
    let pictured = |icon: &str| {
        let told = json!({"metadata": {"href": nowhere, "icon": icon}});
        page("https://app.example/").element("~page", "link", "\u{f0c9}", told)
    };
    allowed(pictured("fa fa-bars"), "\u{f0c9}");
    refused(pictured("fa fa-trash"), "\u{f0c9}", "destructive");
    let leads = |name: &str, href: &str| button(name, json!({"metadata": {"href": href}}));
    allowed(leads("Runs", "https://app.example/runs"), "Runs");
    refused(leads("Runs", nowhere), "Runs", "unknown_side_effect");
    refused(leads("Runs", "https://app.example/runs/3/delete"), "Runs", "destructive");
}

/// Requirement: DISC-2-05
/// Requirement: DISC-11.5-02
/// Requirement: DISC-13-04
#[test]
fn what_the_app_declares_counts() {
    for (risk, reason) in [
        (json!({"level": "confirm", "tags": ["external_effect"]}), "external_effect"),
        (json!({"level": "blocked", "tags": ["destructive"]}), "destructive"),
        (json!({"level": "blocked", "tags": ["irreversible"]}), "destructive"),
        (json!({"level": "blocked", "tags": ["billing", "sensitive_data"]}), "payment"),
        (json!({"level": "blocked", "tags": ["security"]}), "security_sensitive"),
        (json!({"level": "blocked"}), "manual_only"),
        (json!({"level": "confirm"}), "manual_only"),
    ] {
        refused(button("Open", json!({"risk": risk})), "Open", reason);
    }
    for (class, reason) in [
        ("destructive", "destructive"),
        ("billing_change", "payment"),
        ("security_change", "security_sensitive"),
        ("irreversible", "destructive"),
    ] {
        for mode in ["observe_only", "safe_explore", "sandbox_write"] {
            let graph = button("Open", json!({"metadata": {"sideEffect": class}})).build();
            let found = verdict(
                &graph,
                "Open",
                &stance(json!({"defaultMode": mode}), json!({"controlledTenant": true})),
            );
            assert_eq!(told(&found), ("deny".into(), reason.into()), "{class} in {mode}");
        }
    }
}

/// Requirement: DISC-11.5-01
#[test]
fn registered_actions_are_judged_by_their_risk_and_their_name() {
    let action = |id: &str, level: &str| -> ActionDescriptor {
        serde_json::from_value(json!({
            "id": id, "kind": "domain", "targetKinds": ["none"], "executionModes": ["appAction"], "risk": {"level": level},
        }))
        .unwrap()
    };
    let graph = page("https://app.example/").build();
    let judged = |id: &str, level: &str| {
        let actions = [action(id, level)];
        let subject = Subject { graph: &graph, scope: None, element: None, action_id: id, actions: &actions };
        told(&judge(&subject, &safe())).0
    };
    assert_eq!(judged("report.show", "safe"), "allow");
    assert_eq!(judged("video.delete", "safe"), "deny");
    assert_eq!(judged("video.rename", "confirm"), "review");
    let unknown = Subject { graph: &graph, scope: None, element: None, action_id: "x.y", actions: &[] };
    assert_eq!(told(&judge(&unknown, &safe())).0, "review");
}

fn form(button: &str, more: Value) -> Page {
    page("https://app.example/")
        .scope("~page", "~form", "form", json!({"submitTarget": "e2"}))
        .element("~form", "textbox", "Title", json!({}))
        .element("~form", "button", button, more)
}

/// Requirement: DISC-8-14
#[test]
fn a_form_is_sent_only_where_it_asks() {
    refused(form("Go", json!({})), "Go", "manual_only");
    refused(form("Create video", json!({"metadata": {"formMethod": "post"}})), "Create video", "manual_only");
    allowed(form("Go", json!({"metadata": {"formMethod": "get"}})), "Go");
    refused(form("Delete", json!({"metadata": {"formMethod": "get"}})), "Delete", "destructive");
    allowed(form("Apply", json!({"metadata": {"formMethod": "get"}})), "Apply");
    refused(form("Vote", json!({"metadata": {"formMethod": "get"}})), "Vote", "manual_only");
    let asked =
        json!({"metadata": {"formMethod": "get", "formAction": "https://app.example/items/3/delete"}});
    refused(form("Go", asked), "Go", "destructive");
    allowed(form("OK", json!({"metadata": {"formMethod": "dialog"}})), "OK");
}

/// Requirement: DISC-11.5-09
/// Requirement: DISC-8-12
#[test]
fn drafts_and_test_data_need_a_sandbox_in_a_controlled_tenant() {
    refused(form("Save", json!({})), "Title", "manual_only");
    let graph = form("Save", json!({})).build();
    assert_eq!(told(&verdict(&graph, "Title", &sandbox(json!({})))).0, "allow");
    assert_eq!(told(&verdict(&graph, "Save", &sandbox(json!({})))).0, "allow");
    let uncontrolled = stance(json!({"defaultMode": "sandbox_write"}), json!({}));
    assert_eq!(told(&verdict(&graph, "Save", &uncontrolled)).0, "deny");
    assert_ne!(told(&verdict(&graph, "Title", &uncontrolled)).0, "allow");
}

/// Requirement: DISC-8-10
#[test]
fn nothing_is_done_while_only_observing() {
    let observe = stance(json!({"defaultMode": "observe_only"}), json!({}));
    for name in ["Open menu", "New video"] {
        assert_eq!(
            told(&verdict(&button(name, json!({})).build(), name, &observe)),
            ("skip".into(), "manual_only".into())
        );
    }
    let graph = link("Videos", "https://app.example/videos").build();
    assert_eq!(told(&verdict(&graph, "Videos", &observe)).0, "skip");
    assert_eq!(told(&verdict(&button("Delete", json!({})).build(), "Delete", &observe)).0, "deny");
}

/// Requirement: DISC-8-09
#[test]
fn without_a_policy_the_strictest_mode_holds() {
    let environment: DiscoveryEnvironment =
        serde_json::from_value(json!({"environmentId": "t", "baseUrl": "https://app.example/"})).unwrap();
    let found = verdict(&button("Open menu", json!({})).build(), "Open menu", &Stance::of(&environment));
    assert_eq!(told(&found).0, "skip");
}

/// Requirement: DISC-8-15
#[test]
fn each_flag_opens_its_own_class_only() {
    let classes = [
        ("allowExternalEffects", "Publish"),
        ("allowDestructiveActions", "Delete"),
        ("allowAuthFlows", "Log out"),
        ("allowPaymentFlows", "Pay now"),
    ];
    for (flag, _) in classes {
        for (own, name) in classes {
            let graph = button(name, json!({})).build();
            let found = verdict(&graph, name, &sandbox(json!({flag: true})));
            assert_eq!(told(&found).0 == "allow", flag == own, "{flag} and {name}");
        }
    }
    for (flag, name) in classes {
        let bold =
            stance(json!({"defaultMode": "safe_explore", flag: true}), json!({"controlledTenant": true}));
        assert_eq!(
            told(&verdict(&button(name, json!({})).build(), name, &bold)).0,
            "deny",
            "{name} in safe_explore"
        );
    }
}

/// Requirement: DISC-13-05
#[test]
fn areas_of_credentials_and_payment_are_left_alone() {
    let login = || {
        page("https://app.example/login")
            .scope("~page", "~form", "form", json!({"submitTarget": "e2"}))
            .element("~form", "textbox", "Password", json!({"state": {"sensitive": true}}))
            .element("~form", "button", "Log in", json!({}))
    };
    refused(login(), "Password", "credential");
    refused(login(), "Log in", "credential");
    let card = || {
        page("https://app.example/checkout")
            .scope("~page", "~form", "form", json!({"submitTarget": "e2"}))
            .element("~form", "textbox", "Card number", json!({"dataClasses": ["payment"]}))
            .element("~form", "button", "Continue", json!({}))
    };
    refused(card(), "Card number", "payment");
    refused(card(), "Continue", "payment");
    refused(
        page("https://app.example/").element(
            "~page",
            "textbox",
            "API key",
            json!({"dataClasses": ["secret"]}),
        ),
        "API key",
        "credential",
    );
}

/// Requirement: DISC-13-03
#[test]
fn what_lies_behind_a_boundary_is_not_touched() {
    let made = page("https://app.example/").element(
        "~page",
        "custom",
        "Rating",
        json!({"shadow": {"mode": "closed", "access": "opaque"}}),
    );
    refused(made, "Rating", "opaque_boundary");
}

#[test]
fn filters_and_marks_are_used_and_switches_that_may_act_at_once_are_not() {
    allowed(
        page("https://app.example/").element("~page", "searchbox", "Search videos", json!({})),
        "Search videos",
    );
    allowed(page("https://app.example/").element("~page", "combobox", "Sort by", json!({})), "Sort by");
    let filters = || {
        page("https://app.example/").scope(
            "~page",
            "~region:filter-the-list",
            "region",
            json!({"name": "Filter the list"}),
        )
    };
    allowed(filters().element("~region:filter-the-list", "combobox", "Owner", json!({})), "Owner");
    let table = || page("https://app.example/").scope("~page", "~table", "table", json!({}));
    allowed(table().element("~table", "checkbox", "Select Cats", json!({})), "Select Cats");
    refused(table().element("~table", "checkbox", "Buy milk", json!({})), "Buy milk", "unknown_side_effect");
    refused(
        page("https://app.example/").element("~page", "switch", "Public link", json!({})),
        "Public link",
        "unknown_side_effect",
    );
    refused(
        page("https://app.example/").element("~page", "combobox", "Role of Ana", json!({})),
        "Role of Ana",
        "unknown_side_effect",
    );
    refused(
        page("https://app.example/").element("~page", "menuitem", "Deutsch", json!({})),
        "Deutsch",
        "manual_only",
    );
}

#[test]
fn pictures_speak_where_names_are_missing() {
    refused(button("", json!({"metadata": {"icon": "fa fa-trash"}})), "", "destructive");
    refused(button("", json!({"metadata": {"icon": "icon-logout"}})), "", "credential");
    allowed(button("", json!({"metadata": {"icon": "chevron-down"}})), "");
}

#[test]
fn inviting_nobody_in_particular_asks_first() {
    allowed(button("Invite member", json!({})), "Invite member");
    refused(button("Invite Jonas", json!({})), "Invite Jonas", "external_effect");
    let dialog = page("https://app.example/")
        .scope("~page", "~dialog", "dialog", json!({}))
        .element("~dialog", "textbox", "E-mail", json!({}))
        .element("~dialog", "button", "Invite member", json!({}));
    refused(dialog, "Invite member", "external_effect");
}

#[test]
fn words_are_found_in_any_spelling() {
    assert_eq!(lexicon::split("deleteVideo_now-please"), ["delete", "video", "now", "please"]);
    assert_eq!(lexicon::consequence("DELETE"), Some(lexicon::Consequence::Destroy));
    assert_eq!(lexicon::consequence("Cancel"), Some(lexicon::Consequence::Harmless));
    assert_eq!(lexicon::consequence("Zzz"), None);
}
