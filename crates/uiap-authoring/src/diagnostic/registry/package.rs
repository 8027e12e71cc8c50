//! Codes 50 to 99: the package, its imports, its lock and its manifests.

super::declare! {
    NO_PACKAGE = 50 Error "no Package manifest",
        "A package has exactly one manifest of kind Package in its root folder, usually `package.uiap.yaml`. \
         Without it nothing says which manifests belong together. Create one by hand or with `uiap init`.",
        "an empty folder";
    SEVERAL_PACKAGES = 51 Error "several Package manifests",
        "The root folder holds more than one manifest of kind Package, so it is unclear which of them is \
         meant. Keep one and move the others into folders of their own.",
        "package.uiap.yaml and old.uiap.yaml, both of kind Package";
    NO_PACKAGE_VERSION = 52 Error "Package without metadata.version",
        "A Package states its version twice: in `metadata.version`, like every manifest may, and in \
         `spec.version`. Both are mandatory and equal, so that readers of either see the same.",
        "metadata:\n  id: package.videoland";
    VERSION_MISMATCH = 53 Error "two versions in one Package",
        "`metadata.version` and `spec.version` differ. Readers that look at one of them would believe \
         something else than readers of the other. Raise both together.",
        "metadata: { version: 0.1.0 }\nspec: { version: 0.2.0 }";
    BAD_VERSION = 54 Error "not a version",
        "Versions are three numbers without leading zeros, then optionally a pre-release and build metadata: \
         1.0.0-rc.1+b5. A leading `v`, two numbers or a word are refused. In YAML put versions in quotes.",
        "version: v1";
    BAD_RANGE = 55 Error "not a version range",
        "A range joins comparisons by spaces (and) and `||` (or): `>=0.1 <0.2`, `^1.2.0`, `~1.2`, `1.x`. The \
         message names the part that could not be read.",
        "versionRange: \">=0.1 <abc\"";
    INCOMPATIBLE = 56 Error "package does not fit",
        "The compatibility section excludes the core version that this tool builds for, or the app version of \
         the build context. A bundle built anyway would be refused by its reader.",
        "uiapCore: \">=0.2\"";
    UNKNOWN_EXTENSION = 57 Error "extension is not known",
        "The package names an extension that this tool does not know in the wanted version. A required \
         extension makes the package unusable; an optional one is only warned about.",
        "extensions:\n  - { id: uiap.telepathy, range: \"^0.1\", required: true }";
    BAD_ID = 58 Error "not an id",
        "Ids consist of letters, digits, dots, dashes and underscores, begin with a letter or digit, and have \
         at most 128 bytes. A colon separates the alias of an import and cannot be part of an id.",
        "id: base:actions.core";
    DUPLICATE_ALIAS = 59 Error "alias used twice",
        "Two imports have the same alias, so `alias:id` would mean two things. Give each import a name of its \
         own.",
        "imports:\n  - { alias: base, … }\n  - { alias: base, … }";
    DUPLICATE_MANIFEST = 60 Error "manifest id used twice",
        "The id of a manifest is unique within its package, because overlays, reviews and messages name \
         manifests by it. Both places are shown.",
        "two manifests with `metadata.id: actions.core`";
    DUPLICATE_PATH = 61 Error "file listed twice",
        "Two entries of the manifest list name one file. A file holds one manifest, and a manifest is listed \
         once.",
        "- { id: a, path: x.uiap.yaml }\n- { id: b, path: x.uiap.yaml }";
    PATH_CASE = 62 Warning "paths differ only in case",
        "Two paths are equal on file systems that ignore case, such as those of macOS and Windows, and \
         different elsewhere. Rename one of them.",
        "a.uiap.yaml and A.uiap.yaml";
    UNSAFE_PATH = 63 Error "path leaves the package",
        "Files of a package lie below its root. Absolute paths, `..`, URLs and links that lead out are \
         refused before anything is read, so that a package cannot pull in other files of the machine.",
        "path: ../../etc/passwd";
    FOREIGN_MANIFEST = 64 Error "manifest of another package",
        "`metadata.packageId` says that the manifest belongs to another package. It was probably copied. \
         Correct or remove the member.",
        "metadata: { id: a, packageId: other.uiap }";
    DUPLICATE_CHANNEL = 65 Error "channel declared twice",
        "A release channel has one set of gates. Two declarations of one channel would leave open which of \
         them counts.",
        "channels: [{ name: prod }, { name: prod }]";
    UNDECLARED_CHANNEL = 66 Error "channel is not declared",
        "The build is for a channel, or the package has a default channel, that `publish.channels` does not \
         declare. There would be no gates to check.",
        "defaultChannel: canary";
    LENIENT_PROD = 67 Warning "production gate is lenient",
        "The channel `prod` should require approved content and forbid content that only machines made. \
         Without that, unreviewed changes can reach users.",
        "- name: prod\n  requiredReviewState: in_review";
    BAD_CONTEXT = 68 Error "build context names something unknown",
        "A value of the build context is malformed or not declared by the App: an environment, a principal \
         profile, a locale or an app version. A typing mistake here would silently select nothing.",
        "--environment stagin";
    IMPORT_NOT_FOUND = 70 Error "package is not in any registry",
        "No registry folder has a package of this name. Registries are searched as \
         `<folder>/<packageId>/<version>/package.uiap.yaml`; nothing is fetched from a network.",
        "imports:\n  - { packageId: uiap.shraed.base, … }";
    IMPORT_UNSATISFIED = 71 Error "no version fits the range",
        "The registry has the package, but no version of it lies in the wanted range. Pre-releases and \
         deprecated versions are not chosen unless they are named or locked.",
        "versionRange: \"^9.0.0\"";
    IMPORT_CONFLICT = 72 Error "imports contradict each other",
        "A build uses one version of a package. The notes list who needs which versions and what there is; no \
         version satisfies all of them. Widen a range or publish a version that fits.",
        "a needs base ^1, b needs base ^2";
    IMPORT_CYCLE = 73 Error "packages import each other",
        "A chain of imports leads back to where it began, so neither package could be resolved first. Move \
         what both need into a third package.",
        "a imports b, b imports a";
    WRONG_PACKAGE = 74 Error "package has another name than its folder",
        "The registry holds the package under a name that its manifest does not confirm. It was probably put \
         into the wrong folder.",
        "registry/uiap.base/0.1.0 holds packageId uiap.shared";
    AMBIGUOUS_BUILD = 75 Error "one version with two contents",
        "Two builds of one version differ in content. Build metadata does not order versions, so there is no \
         telling which one is meant.",
        "0.1.0+a and 0.1.0+b";
    EMPTY_IMPORT = 76 Warning "import filter leaves nothing",
        "`include` removes every manifest of the imported package, so the import has no effect. Kinds and ids \
         are joined by AND.",
        "include: { kinds: [App], manifestIds: [actions.core] }";
    BAD_LOCK = 77 Error "lock file cannot be read",
        "`uiap.lock` does not have the form that the tool writes. It is generated: delete it and build again.",
        "lockVersion: 9";
    LOCK_OUTDATED = 78 Error "lock file is missing or out of date",
        "With `--locked` a build uses exactly what the lock says. The lock is missing, or the imports of the \
         package ask for something else. Build once without `--locked` and commit the result.",
        "a new import that the lock does not know";
    LOCK_DIGEST = 79 Error "locked package changed",
        "A published version has other content than when it was locked. Published versions do not change, so \
         this is a mistake or an attack. The lock is never adapted by itself.",
        "the registry's 0.1.0 was edited";
    DEPRECATED_IMPORT = 80 Warning "locked package is deprecated",
        "The locked version was marked deprecated after it was chosen. It still works; plan to move on.",
        "reviewState: deprecated in the imported Package";
    MANIFEST_MISSING = 82 Error "listed manifest does not exist",
        "The package lists a file that is not there. A manifest that may be missing has `required: false`.",
        "- { id: app, kind: App, path: ap.uiap.yaml }";
    OPTIONAL_MANIFEST_MISSING = 83 Info "optional manifest does not exist",
        "A manifest with `required: false` is not there and is skipped. References into it are reported as \
         unknown.",
        "- { id: extra, kind: Bindings, path: extra.uiap.yaml, required: false }";
    NO_KIND = 84 Error "document without kind",
        "Every manifest says what it is by `kind`. Without it the form of the rest is unknown, so nothing \
         else of the file is checked.",
        "metadata: { id: app }";
    NOT_A_KIND = 85 Error "unknown kind of manifest",
        "`kind` is one of eleven words and case matters. The message lists them, and the nearest one where \
         there is one.",
        "kind: Binding";
    KIND_MISMATCH = 86 Error "kind differs from the list",
        "The package lists the file with one kind, the file has another. One of them is a mistake; both \
         places are shown.",
        "listed as Actions, file has kind Bindings";
    ID_MISMATCH = 87 Error "id differs from the list",
        "The package lists the file with one id, the file has another `metadata.id`. Overlays and reviews \
         would hit the wrong manifest.",
        "listed as actions.core, file has id actions.main";
    STRAY_MANIFEST = 88 Info "file is not part of the package",
        "The file looks like a manifest and the package does not list it, so it has no effect. List it, or \
         move it away.",
        "notes.uiap.yaml beside the package";
    NO_APP = 89 Error "package has no App",
        "A package describes exactly one App, its own or an imported one. Without it there is nothing that \
         bindings and actions belong to.",
        "manifests: []";
    SEVERAL_APPS = 90 Error "several Apps",
        "After imports there must be exactly one App. Keep one, or leave the imported one out by listing the \
         other kinds in `include.kinds`.",
        "a local App and an imported App";
    APP_WITHOUT_OVERLAY = 91 Warning "imported App is used as it is",
        "The only App comes from an import and no overlay adapts it. That is allowed; most often an overlay \
         with the own name and environments was forgotten.",
        "an import of a base package with an App";
    NO_PROVENANCE = 92 Info "manifest does not say where it comes from",
        "`status.provenance` tells reviewers whether people, a discovery run or a generator wrote the \
         content. It is optional and pays off at the first question.",
        "a manifest without status";
    SECRET = 93 Warning "value looks like a secret",
        "Manifests are shared and published; credentials do not belong into them. Refer to a secret store \
         instead. In a build for `prod` this is an error.",
        "apiKey: sk_live_…";
}
