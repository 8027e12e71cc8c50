//! Codes of the wire model, `UIAP-M…`: what the inspector and the checks of `uiap-model` report.

super::declare! {
    model:
    MISSING_MEMBER = 1 Error "mandatory member is missing",
        "An object lacks a member that its type always has. The message names the member and the help tells \
         what kind of value belongs there. Nothing has an effect before every mandatory member is right.",
        "{ \"role\": \"agent\" }   (a peer without its id)";
    UNKNOWN_MEMBER = 2 Error "unknown member",
        "A file written by people holds a member that its type does not know, which is most often a slip of \
         the pen. On the wire unknown members are tolerated, because a newer peer may send them; in authored \
         files they are mistakes. Free data belongs under `metadata`.",
        "spec:\n  appID: videoland   (the member is called appId)";
    WRONG_KIND = 3 Error "value of the wrong kind",
        "The value is, for example, a number where a string belongs. In YAML an unquoted 0.1 is a number: put \
         versions in quotes. An optional member that has no value is left out; null is not the same as \
         absent.",
        "modelVersion: 0.1   (must be the string \"0.1\")";
    UNKNOWN_VALUE = 4 Error "word outside of its vocabulary",
        "Vocabularies of the protocol are closed: an unprefixed word that is not listed is refused, so that \
         two parties never read one word in two ways. Where a vocabulary is open, values of vendors and apps \
         begin with `x.`, such as `x.acme.card`.",
        "role: buton";
    BAD_FORMAT = 5 Error "value breaks its format",
        "Ids, versions, timestamps, pointers and numbers have rules of their own: a version is major.minor, \
         an instant is in UTC and ends with Z, a message id has 1 to 128 characters. The message tells the \
         rule and the value that breaks it.",
        "ts: 2026-03-26T13:12:09+02:00   (must be UTC)";
    TOO_FEW_ITEMS = 6 Error "list has too few items",
        "The list may not be empty. An action without an execution mode, for example, could never run, and an \
         offer without a version could never be selected.",
        "executionModes: []";
    INVALID_JSON_TEXT = 10 Error "text is not JSON",
        "The bytes do not form one JSON value in UTF-8. The message names line and column of the first place \
         where a reader cannot go on; whatever follows it was not looked at.",
        "{ \"uiap\": }";
    UNSAFE_JSON = 11 Error "JSON that the protocol does not take",
        "The text is JSON and still refused: a member stands twice, a number lies beyond 2^53 and would lose \
         digits in other readers, or values are nested 128 levels deep. Each of them makes two readers see \
         two different documents.",
        "{ \"a\": 1, \"a\": 2 }";
    MODEL_FAULT = 12 Error "document cannot be decoded",
        "The document looks right and cannot be decoded all the same. That is a fault of uiap and not of the \
         document: please report it together with the document.",
        "none known";
    UNKNOWN_KIND = 13 Error "kind of document is not known",
        "The members of the document do not give away what it is, so nothing can be checked. Messages have `uiap` and \
         `type`, manifests have `apiVersion` and `kind`; for anything smaller say the kind on the command line.",
        "{ \"by\": \"stableId\", \"value\": \"video.title\" }";
    SHRINKING_FACTOR = 20 Error "reconnect factor below 1",
        "Each attempt to reconnect waits longer than the one before by this factor. A factor below 1 would \
         make a client try ever faster until it floods the other side.",
        "factor: 0.5";
    OFFERED_TWICE = 21 Error "extension is offered twice",
        "An offer lists each extension once, with all of its versions. The former name uicp.policy and \
         today's uiap.policy count as one extension.",
        "extensions:\n  - { id: uiap.policy, versions: [\"0.1\"] }\n  - { id: uiap.policy, versions: [\"0.2\"] }";
    NOT_OFFERED = 22 Error "selection was never offered",
        "The answer to session.initialize selects a version, profile or extension that the initiator did not \
         offer. The initiator refuses it, because it could not understand what follows.",
        "selectedProfiles: [x.tv@0.1]";
    RESERVED_NAME = 23 Error "name is reserved",
        "Names without a prefix and names under `uiap.` belong to the protocol. Vendors use \
         `x.<vendor>.<name>`, and message types of an extension or profile begin with its name.",
        "id: uiap.mine";
    BAD_ARGUMENT = 30 Error "argument does not fit the action",
        "Arguments are compared with the action's declaration before anything runs: a required one is \
         missing, one has the wrong type, or one is not declared at all. No handler is called.",
        "args: { titel: Demo }   (the argument is called title)";
    AMBIGUITY_ASKED = 31 Error "ambiguous target asked for",
        "A request may not ask for ambiguity: an action on one of several possible targets is a guess. Name \
         the target more precisely, by stable id, or by role, name and scope.",
        "target: { allowAmbiguous: true }";
    SAME_RULE = 40 Error "two rules have one id",
        "Decisions and audit records name the rules that led to them, so every rule of a policy document has \
         an id of its own. Rename or remove one of the two.",
        "rules:\n  - { id: r1, match: {}, effect: deny }\n  - { id: r1, match: {}, effect: allow }";
    COVERAGE_MISMATCH = 50 Error "coverage does not equal the catalogue",
        "The numbers of the coverage report are counts of the catalogues in the same package. A difference \
         means that the package was changed by hand or cut off.",
        "coverage: { routesDiscovered: 3 }   (the catalogue has 2)";
    UNKNOWN_STATE = 51 Error "transition joins an unknown state",
        "A transition names the states that it joins; both must be in the package. A dangling end usually \
         means that states were removed after the run.",
        "fromStateId: st_99";
    WRONG_DIGEST = 60 Error "digest does not fit the content",
        "The digest of a bundle is the SHA-256 of its canonical form without the digest itself. This one \
         differs, so the bundle was changed after it was built. Build it again.",
        "digest: sha256:0000…";
    NO_ROOT = 70 Error "root document is not first",
        "The documents of a page graph begin with the root document, which the member rootDocumentId names \
         and which has the kind root.",
        "documents: []";
    LEAKY_BOUNDARY = 71 Error "boundary is not kept",
        "Cross-origin frames, closed shadow roots and canvases are opaque: they say why, and nothing of their \
         inside is published. A graph that shows scopes or elements behind such a boundary claims to see what \
         nobody may see.",
        "access: opaque\nscopes: [ { id: s1, kind: form, elements: [] } ]";
    SAME_ID = 72 Error "id stands twice",
        "Document, scope and instance ids are unique, and a stable id names one element of its document. A \
         duplicated stable id is published only with the mark metadata.duplicateStableId on every bearer, so \
         that nobody resolves by it.",
        "two elements with stableId video.submit";
    DANGLING = 73 Error "reference to nothing",
        "The graph refers to a document or scope that it does not hold, so a consumer could not tell what is \
         meant.",
        "parentScopeId: gone";
    LEAKED_SECRET = 74 Error "value of a sensitive element",
        "Passwords, one-time codes and everything of class credential or secret never leave the page: the \
         element is marked sensitive and has no textValue, whatever a subscriber asks for.",
        "state: { sensitive: true, textValue: hunter2 }";
    DEAD_BUTTON = 75 Warning "button cannot be activated",
        "A button stands for a command that can be activated. One without the affordance activate is \
         disabled, wrongly named, or not a button at all.",
        "role: button\naffordances: [read]";
    UNDECLARED = 80 Error "used and not declared",
        "A capability document lists every role, state key, affordance, risk level and risk tag that it uses, \
         so that a reader knows the whole vocabulary from the lists. Add the value to the list that the \
         second place names.",
        "affordances: [read]\nactions: [ { requiredAffordances: [edit] } ]";
    SAME_ACTION = 81 Error "two actions have one id",
        "An action id names exactly one action of the document. Rename one of the two, or remove the \
         duplicate.",
        "actions: [ { id: video.create }, { id: video.create } ]";
    WRONG_ACTION_ID = 82 Error "id does not fit the kind of action",
        "The protocol defines 20 primitive actions; only they have the kind primitive, and none of their ids \
         may be used for an action of the app. Actions of the app have the kind domain.",
        "{ id: ui.click, kind: primitive }";
    EMPTY_ENUM = 83 Error "enum argument without values",
        "An argument of type enum is usable only with the list of its values. Add `enum` with at least one \
         value, or choose the type string.",
        "{ name: size, type: enum }";
    UNDERRATED = 84 Error "risk is rated too low",
        "An action that is tagged destructive, billing, security or irreversible cannot be safe: an agent \
         would run it by itself. Raise the level to blocked, or to confirm where the effect can be undone.",
        "risk: { level: safe, tags: [destructive] }";
    EMITTED_UNDECLARED = 90 Warning "state key is emitted and not declared",
        "The running app publishes a state key that its capability document does not list. Agents that trust \
         the document will not look for it.",
        "stateKeys: [visible]   (the app emits busy)";
    UNCONFIRMED = 91 Info "declared value was never seen",
        "The document declares a value that no observed page showed. It may live on a page that was not \
         visited, or it may be a leftover.",
        "stateKeys: [dragged]";
    UNSUPPORTED = 92 Error "declared action has no support",
        "The document declares an action that nothing on any observed page can carry out. An app declares \
         only what it really supports.",
        "actions: [ { id: ui.upload } ]   (no file input anywhere)";
    DISPLAY_TEXT = 100 Warning "id reads like words for people",
        "Ids are tokens for machines and stay the same in every language and release. Words for people belong \
         into title or name.",
        "id: Video erstellen";
    SELECTOR = 101 Warning "value looks like a selector",
        "Roles and affordances tell what a thing means, not where it stands in the page. A selector breaks \
         with the next redesign.",
        "roles: [\"x.app.div#submit>.btn\"]";
    NO_VERSION = 102 Warning "profile without a version",
        "A profile is written as name@version, such as web@0.1. Without the version nobody knows which rules \
         hold.",
        "profile: web";
    GENERATED_ID = 103 Warning "id looks generated",
        "Ids that frameworks generate change with every render or build, so whatever refers to them breaks \
         silently. Choose an id that a person can read.",
        "stableId: \":r3:\"";
    ACTION_NAME = 104 Warning "action id does not name an operation",
        "Actions of an app are named by subject and operation, joined by a dot, such as team.invite. Such \
         names survive a redesign; names of buttons do not.",
        "id: clickBlueButton";
    LOW_LEVEL = 105 Warning "level does not fit the operation",
        "The name of the action speaks of paying, deleting, publishing or credentials, and its level is safe. \
         Check whether blocked or confirm is meant.",
        "{ id: user.delete, risk: { level: safe } }";
    CODE_IN_SIGNAL = 106 Warning "code where a plain value belongs",
        "Success signals are compared as plain text and never executed. A value that looks like code or a \
         template will never match.",
        "pattern: \"() => true\"";
    NO_SIGNAL = 107 Warning "action without a success signal",
        "Without a success signal nobody can tell whether the action worked, and a minimal check has to do. \
         Say what can be observed afterwards.",
        "{ id: video.create }   (no success)";
    NEEDLESS_CUSTOM = 108 Warning "custom signal that the protocol has",
        "A custom signal needs a source that the app registers. The protocol already has a kind for this one, \
         which every runtime understands.",
        "{ kind: custom, name: routeChanged }";
    SINGLE_SIGNAL = 109 Warning "critical action with a single signal",
        "An action that needs confirmation and must not run twice deserves a second success signal, so that \
         one false sighting is not taken for success.",
        "success: [ { kind: route.changed } ]";
    UNLISTED_KIND = 110 Warning "signal kind is not listed",
        "successSignalKinds lists every kind of signal that the document uses, so that a runtime knows \
         beforehand what it must be able to observe.",
        "successSignalKinds: []";
    PRIVILEGED = 111 Info "document tells of privileged actions",
        "The document names actions for privileged people. Whoever reads it learns that they exist, so hand \
         it to authorised agents only.",
        "risk: { level: confirm, tags: [privileged] }";
    UNMARKED_SECRET = 112 Warning "delicate field without a mark",
        "The name of the argument speaks of a password, a card or a code, and nothing marks it as sensitive. \
         Declare the state key sensitive or tag the action sensitive_data, so that its value is masked.",
        "args: [ { name: newPassword, type: string } ]";
    SAME_STEP = 120 Error "two steps have one id",
        "Steps refer to each other by id, so every step of a workflow has an id of its own.",
        "steps: [ { id: a }, { id: a } ]";
    UNKNOWN_STEP = 121 Error "step does not exist",
        "A way on, a branch, a recovery or initialStepId names a step that the workflow does not have.",
        "next: dnoe";
    DEAD_END = 122 Error "step leads nowhere",
        "Every step but branch and complete says by `next` where the workflow goes on. A step without it would leave the \
         person who follows the workflow standing.",
        "{ id: intro, type: instruction, text: Hello }";
    NO_END = 123 Error "workflow has no reachable end",
        "A workflow needs a complete step that can be reached from its first step, otherwise it can never be \
         finished.",
        "steps without type complete";
    UNKNOWN_PARAMETER = 124 Error "parameter is not declared",
        "A step collects or uses a parameter that `parameters` does not declare, so nobody knows its type or \
         who may provide it.",
        "args: { text: { param: titel } }";
    ENDLESS = 125 Error "steps run in a circle",
        "The steps lead back to themselves without ever waiting for a person or deciding anew, so the \
         workflow would run until its limit. Put a collect, a handoff, an acknowledged instruction or a \
         branch into the circle.",
        "a.next: b\nb.next: a";
    EMPTY_ENSURE = 126 Error "check that checks nothing",
        "An ensure step needs conditions or signals; without them it would always hold and prove nothing at all.",
        "{ id: check, type: ensure, next: done }";
    UNREACHABLE = 127 Warning "step is never reached",
        "No way leads to the step from the first one. Either it is dead text that can go, or a `next` names the wrong step.",
        "a step that nothing names";
}
