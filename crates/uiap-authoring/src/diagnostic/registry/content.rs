//! Codes 130 to 179: texts, references and the merged content.

super::declare! {
    TEXT_CONFLICT = 130 Error "two texts for one key",
        "Two locale packs give different texts for the same namespace, key and locale. Keep one of them.",
        "two packs with video.first.title";
    AMBIGUOUS_TEXT = 131 Error "reference means two texts",
        "The reference can be split into namespace and key in two ways, and both exist with different texts. \
         Rename a key or a namespace.",
        "namespaces a and a.b, ref a.b.c";
    TEXT_FALLBACK = 132 Warning "text is missing, fallback used",
        "No locale pack has the key, so the fallback of the reference goes into the bundle. It is the same in \
         every language.",
        "title: { ref: nowhere.title, fallback: Title }";
    TEXT_MISSING = 133 Warning "text is missing",
        "No locale pack has the key and the reference has no fallback, so the key itself goes into the \
         bundle. With `--strict` a missing title or instruction is an error.",
        "title: { ref: nowhere.title }";
    PLACEHOLDERS = 134 Warning "placeholders differ between languages",
        "A translation has other `{placeholders}` than the default text. What the program fills in would be \
         missing or stay visible.",
        "default: Hi {name}, de: Hallo";
    BAD_LOCALE = 135 Error "not a locale",
        "Locales are written as BCP 47 tags: language, optionally script and region, joined by dashes.",
        "supportedLocales: [de_CH]";
    DEFAULT_LOCALE = 136 Error "default locale is not supported",
        "`defaultLocale` is one of `supportedLocales`. Otherwise the texts that everybody falls back to \
         belong to a language that the App does not claim to speak.",
        "defaultLocale: fr, supportedLocales: [de, en]";
    LOCALE_COVERAGE = 137 Warning "locale lacks texts",
        "A supported locale does not have all texts, or the build asks for a locale that the App does not \
         support. Missing texts fall back to the default.",
        "supportedLocales: [de, fr] and packs without fr";
    ITEM_SKIPPED = 138 Info "item is left out",
        "The selector of an action or workflow asks for a dimension that the build context does not name. The \
         item is left out, because it is not known to be valid.",
        "selectors: [{ tenantIds: [acme] }]";
    DEDUPLICATED = 139 Info "item is defined twice, equally",
        "A local item equals an imported one. It is taken once. Remove the local copy: a later change of one \
         of them would be a conflict.",
        "the same action here and in base";
    IMPLICIT_OVERRIDE = 140 Error "local item differs from an imported one",
        "A local manifest defines an item that an import defines too, differently. Imported content is \
         changed by overlays or by a fork, never by a second definition.",
        "action video.create here and in base";
    BINDING_CONFLICT = 141 Error "binding is defined twice",
        "Two Bindings define the same route, scope or element differently. The note lists the members that \
         differ.",
        "element x with role button and with role link";
    MATCH_CONFLICT = 142 Warning "binding is matched in two ways",
        "Two Bindings define the same id with different matchers. Which one is right is a question for a \
         person; channels that require approved content refuse it.",
        "element x by annotation and by css";
    ACTION_CONFLICT = 143 Error "action is defined twice",
        "Two manifests define the same action differently, for example with different implementations. The \
         note lists the members that differ.",
        "video.create with two handlers";
    WORKFLOW_CONFLICT = 144 Error "workflow is defined twice",
        "Two catalogues define the same workflow differently. Remove one, or make them equal with an overlay.",
        "video.create_first_video in two catalogues";
    POLICY_CONFLICT = 145 Error "policy is defined twice",
        "Policies have ids of their own; two policies under one id cannot be told apart in decisions and \
         audits. Rules of different policies may well contradict each other: the stricter one wins.",
        "two policies with id default";
    CAPABILITY_CONFLICT = 146 Error "capability documents disagree",
        "Several Capabilities manifests are merged: objects deeply, lists by identity. Single values and \
         actions of one id must be equal.",
        "profile: web@0.1 and profile: mobile@0.1";
    UNKNOWN_REFERENCE = 150 Error "reference leads nowhere",
        "A route, scope, element or action is named that the effective content does not have. Check the \
         spelling, and whether a selector or filter left it out for this context.",
        "scopeId: video.crate.form";
    PARENT_CYCLE = 151 Error "parents contain each other",
        "A chain of parents leads back to where it began. Routes and scopes form trees, and the top of a tree \
         has no parent.",
        "a has parent b, b has parent a";
    UNDECLARED_WORD = 152 Error "used and not declared",
        "The capability document must declare every role, affordance and state key that is in use. Add the \
         word to the list, or correct it.",
        "role: slider without slider in roles";
    UNDECLARED_SIGNAL = 153 Warning "signal kind is not declared",
        "The capability document should list the kinds of success signals in use, so that agents know what to \
         watch.",
        "kind: toast.contains without the entry";
    CAPABILITY_LACKS_ACTION = 154 Warning "capabilities lack an action",
        "The package declares an action that its capability document does not list. Agents that read the \
         capabilities will not know it.",
        "Actions has video.create, Capabilities has not";
    RISK_CONFLICT = 155 Error "risk is rated in two ways",
        "Capabilities and Actions rate the same action differently. The stricter level would win at runtime, \
         but one of the two documents is wrong.",
        "safe in Capabilities, confirm in Actions";
    NO_SUCCESS_SIGNAL = 156 Warning "success can hardly be recognised",
        "An action should say how its success is observed; a critical one should name two independent \
         signals. Otherwise its result stays unknown.",
        "an action without success";
    NO_IMPLEMENTATION = 157 Warning "domain action without implementation",
        "A domain action should say who carries it out. Without `implementation` it is a promise that nobody \
         keeps.",
        "kind: domain without implementation";
    EMPTY_REFERENCE = 158 Error "reference is empty",
        "A handler or provider is named by `ref`, and the name is empty or missing. Nothing could be called \
         at runtime.",
        "implementation: { kind: sdkHandler }";
    PREFER_HANDLER = 159 Info "sdkHandler is the preferred form",
        "The action runs in the app, and its implementation is a server action or an external driver. A \
         handler in the SDK is faster and can be verified better.",
        "executionModes: [appAction], kind: serverAction";
    NO_MATCHER = 160 Error "binding without matcher",
        "`match` is an empty list, so the route or element can never be found on a page. Add an annotation or \
         a semantic matcher.",
        "match: []";
    HINT_FIRST = 161 Warning "hint stands before a better matcher",
        "Matchers are tried in order of preference: annotations and semantics first. A CSS or XPath hint in \
         front suggests otherwise.",
        "match: [runtimeHint, annotation]";
    FRAGILE_TARGET = 162 Warning "critical element is found by a hint only",
        "An element that needs confirmation or is blocked should not depend on a CSS or XPath hint alone: \
         after the next redesign the hint may find something else.",
        "risk: confirm with css only";
    SHARED_ID = 163 Warning "id of an element and a scope",
        "An element and a scope share an id. Both are legal, but policies and messages that name the id are \
         ambiguous to people.",
        "scope video.form and element video.form";
    BAD_PATTERN = 164 Error "pattern cannot be used",
        "The pattern is malformed, or needs an engine that can take exponential time. Patterns run on every \
         page, so only linear ones are accepted.",
        "value: /videos/(a+)+";
    DUPLICATE_NAME = 165 Error "name declared twice",
        "Environments and principal profiles of an App have names of their own. Both places are shown.",
        "environments: [{ id: prod }, { id: prod }]";
    BAD_URL = 166 Error "not a base URL",
        "A base URL has a scheme, http or https, and a host, and no credentials. Paths that the app knows are \
         matched below it.",
        "baseUrls: [app.example.com]";
    ANNOTATION_PREFIX = 167 Info "unusual annotation prefix",
        "Annotations usually begin with `data-uiap-`. Another prefix works, if the SDK of the app uses the \
         same one.",
        "annotationPrefix: data-x-";
    RULE_NEVER_APPLIES = 168 Warning "policy rule names something unknown",
        "A policy rule matches by an id that does not exist, so it never applies by it. Most often the id was \
         renamed and the rule was forgotten.",
        "scopes: [old.form]";
}
