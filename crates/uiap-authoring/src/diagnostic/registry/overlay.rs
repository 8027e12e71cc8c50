//! Codes 100 to 129: selectors, overlays and discovery imports.

super::declare! {
    SELECTOR_NEVER_FITS = 100 Warning "selector never fits",
        "A list in the selector is empty, and an empty list matches nothing. Leave the member out to match \
         everything.",
        "selector: { channels: [] }";
    SELECTOR_UNKNOWN_NAME = 101 Warning "selector names something undeclared",
        "The App declares no environment or principal profile of this name, so the selector cannot fit any \
         build. It is most often a typing mistake.",
        "environments: [stagin]";
    OVERLAY_SKIPPED = 102 Info "overlay is not applied",
        "The selector of the overlay does not fit the build context, or asks for a dimension that the context \
         does not name. That is how overlays work; the note helps when one was expected to act.",
        "selector: { tenantIds: [acme] } in a build without a tenant";
    UNKNOWN_MANIFEST = 103 Error "there is no such manifest",
        "A patch, filter or rule names a manifest that does not exist. Imported manifests are named with \
         their alias, and imports of imports are private.",
        "manifestId: polices.default";
    EXCLUDED_MANIFEST = 104 Error "manifest was left out of the import",
        "The manifest exists in the imported package and the import's `include` filter leaves it out. Extend \
         the filter, or drop the reference.",
        "include: { kinds: [Actions] } and a patch on base:app.core";
    PROTECTED = 105 Error "overlay may not change this",
        "Overlays change content. Identity, review state and provenance of a manifest, and manifests that \
         decide about releases, are stated where they are and nowhere else; otherwise an overlay could forge \
         an approval.",
        "path: /metadata/reviewState";
    BAD_PATH = 106 Error "not a JSON Pointer",
        "A path is a JSON Pointer (RFC 6901): it begins with `/`, and `~` and `/` inside a name are written \
         `~0` and `~1`.",
        "path: spec/policies";
    PATCH_OPERAND = 107 Error "patch lacks or has too many operands",
        "`replace`, `merge`, `append` and `upsert` need a `value`; `upsert` also needs a `matchKey`, and only \
         `upsert` has one. `remove` takes neither.",
        "op: upsert without matchKey";
    PATCH_FAILED = 108 Error "patch cannot be applied",
        "The target of the patch is missing, has the wrong kind, or matches several items. Patches never do \
         nothing silently. The help names what is there instead.",
        "path: /spec/policies/7/document";
    INDEX_PATH = 109 Info "path counts in a list of named items",
        "An index keeps its meaning only as long as nobody changes the list. `upsert` with a `matchKey` finds \
         the item by its name.",
        "path: /spec/policies/0/document";
    OVERLAY_CONFLICT = 110 Error "overlays contradict each other",
        "Two patches that fit the same build write different values to one place, write inside each other's \
         value, or shift each other's list. Which one wins would depend on their order. Both places and \
         values are shown.",
        "two overlays that replace /spec/displayName";
    OVERLAY_AGREES = 111 Info "overlays meet without contradiction",
        "Two overlays write the same value, or append to the same list. The result is clear; the order of the \
         manifest list decides where order matters.",
        "two overlays that append to one list";
    OVERLAY_BUILDS_ON = 112 Warning "patch changes an earlier patch of its overlay",
        "A patch works on a value that an earlier patch of the same overlay brought in. The order in the file \
         makes it clear, but writing the final value at once is easier to read.",
        "replace /spec/x, then replace /spec/x/y";
    UPSERT_DROPS = 113 Info "upsert drops members",
        "`upsert` replaces the whole item that it finds. The members listed were there before and are gone. \
         Repeat them in the value if they shall stay.",
        "value without the former `review`";
    UPSERT_SKIPS = 114 Warning "items without the match key",
        "Some items of the list lack the match key. They cannot be found by it and stay as they are.",
        "matchKey: id on a list with unnamed items";
    OVERLAY_OVER_IMPORT = 115 Info "overlay replaces an imported overlay",
        "The imported package set this value by an overlay of its own; the local overlay replaces it. Local \
         overlays come last, so the result is clear.",
        "both overlays write /spec/displayName";
    SILENT_REINTERPRETATION = 116 Error "workflow changes its meaning unseen",
        "An overlay changes what a workflow does, its steps, actions or targets, and keeps the version. Who \
         reviewed that version reviewed something else. Give the changed workflow a version of its own.",
        "an upsert with other steps and version 0.1.0";
    NO_DISCOVERY_SOURCE = 117 Error "discovery package cannot be read",
        "A discovery import names its source by `ref`, a path below the package root, or by `runId`, which \
         stands for `discovery/<runId>.discovery.json`. That file cannot be read.",
        "source: {}";
    DISCOVERY_CHANGED = 118 Warning "discovery package changed since it was accepted",
        "`status.digest` of the discovery import records the file that was looked at. The file has another \
         digest now, so what is accepted may be something else.",
        "a new run was saved under the old name";
    WRONG_RUN = 119 Error "discovery package of another run",
        "`source.runId` and the run that the file belongs to differ, so the provenance would be wrong.",
        "runId: run_1 and a file of run_2";
    ACCEPTED_AND_REJECTED = 120 Warning "finding is accepted and rejected",
        "An acceptance rule and a rejection rule name the same finding. Rejection wins, so the finding stays \
         out of the bundle. Remove one of the two.",
        "accept ids [x], reject ids [x]";
    ACCEPTS_ALL = 121 Warning "rule means all findings",
        "A rule without `ids` means every finding of its kind, also those of the next run. List the ids to \
         know what is taken over.",
        "accept: [{ kind: element, targetManifestId: b }]";
    UNKNOWN_FINDING = 122 Error "finding is not in the package",
        "The rule names an id that the discovery package does not have. Elements are named by their stable \
         id, or by their semantic key where they have none.",
        "ids: [video.titel]";
    WRONG_TARGET_KIND = 123 Error "target manifest has the wrong kind",
        "Routes, scopes and elements go into Bindings, actions into Actions, workflow candidates into a \
         WorkflowCatalog.",
        "kind: element, targetManifestId: actions.core";
    NO_STABLE_ID = 124 Error "element has no stable id",
        "An element that is known by a semantic key only cannot be promoted: the key may change with the next \
         run. Give the element an id in the app first.",
        "ids: [button|Save|form]";
    DISCOVERY_COLLISION = 125 Error "finding differs from what is there",
        "The target manifest already has an item of this id with other content. Discovery never overrides \
         what people wrote.",
        "promote an element that is bound by hand";
}
