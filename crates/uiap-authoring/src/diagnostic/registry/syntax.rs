//! Codes 1 to 49: reading a file and turning its text into a tree.

super::declare! {
    UNREADABLE = 1 Error "file cannot be read",
        "The file does not exist, is a directory, or its permissions keep it from being read. Nothing of it can be \
         checked, so the run cannot succeed. Check the path, which is relative to the package root.",
        "manifests:\n  - path: bindings/missing.uiap.yaml";
    TOO_LARGE = 2 Error "file is too large",
        "Files are refused above a size limit before they are read as a whole, so that a wrong path or a hostile file \
         cannot exhaust memory. Split a manifest into several files of the same kind; the build merges them.",
        "a manifest of 70 MiB with the default limit of 64 MiB";
    INVALID_UTF8 = 3 Error "file is not UTF-8",
        "Sources are UTF-8, with or without a byte order mark. A byte that does not belong to UTF-8 usually means that \
         the file was saved in a legacy encoding or as UTF-16. The message names the offset of the first such byte.",
        "title: caf\\xE9   (one byte 0xE9 from Latin-1)";
    FORBIDDEN_CHARACTER = 4 Error "control character in the text",
        "Control characters other than tab, line feed and carriage return are not allowed in the text of a source: they \
         are invisible and other readers cut the text at them. Write an escape such as \"\\u0007\" inside double quotes if \
         the character is really meant.",
        "name: ab\\x00c";
    TOO_DEEP = 5 Error "nesting is too deep",
        "Sequences and mappings may be nested 128 levels deep. Real manifests stay below twenty; deeper input is a mistake \
         or an attack on the stack of some reader, and it is refused as a whole.",
        "[[[[[[ ... 129 times ... ]]]]]]";
    EMPTY_SOURCE = 6 Error "file holds no document",
        "The file is empty or consists of comments only. A manifest needs at least `apiVersion`, `kind`, `metadata` and \
         `spec`. Remove the reference to the file, or write the manifest.",
        "# nothing here yet";
    JSON_SYNTAX = 10 Error "invalid JSON",
        "The text does not follow RFC 8259. JSON knows double-quoted strings, numbers, true, false, null, arrays and \
         objects, and nothing else: names must be quoted, and single quotes do not quote.",
        "{ kind: 'App' }";
    JSON_COMMA = 11 Error "misplaced or missing comma in JSON",
        "Members of an object and elements of an array are separated by exactly one comma, and none follows the last one. \
         Many editors tolerate a trailing comma; JSON does not, and other readers will refuse the file.",
        "{ \"tags\": [\"a\", \"b\",] }";
    JSON_COMMENT = 12 Error "comment in JSON",
        "JSON has no comments. Remove the comment, or rename the file to `.yaml` and write `# like this`: the tools read \
         both formats and produce the same bundle.",
        "{ /* why */ \"kind\": \"App\" }";
    JSON_TRAILING = 13 Error "text after the end of the JSON value",
        "A JSON file holds exactly one value. Something follows it, often a second object that was appended or a closing \
         bracket too many. Put several values into an array, or into files of their own.",
        "{ \"kind\": \"App\" } { \"kind\": \"Package\" }";
    INVALID_ESCAPE = 14 Error "invalid escape in a string",
        "A backslash begins an escape, and only certain letters may follow it. Escapes such as \\uD83D name one half of a \
         surrogate pair, which is no character on its own. Double a backslash that is meant literally.",
        "{ \"path\": \"C:\\new\\q\" }";
    UNCLOSED_STRING = 15 Error "string is never closed",
        "A quoted string starts here and the closing quote is missing, so the rest of the file would become part of it. \
         In JSON a string must also end on the line where it began; write \\n for a line break inside it.",
        "{ \"title\": \"Create video }";
    INVALID_NUMBER = 16 Error "invalid number",
        "JSON numbers have no leading zeros, no plus sign, no bare dot and no hexadecimal form; NaN and Infinity do not \
         exist. Write the plain decimal form, or a string if the digits are a name.",
        "{ \"timeoutMs\": 0x10 }";
    UNCLOSED_BRACKET = 17 Error "bracket does not match",
        "An opening bracket or brace has no partner of the same shape, or a closing one came without an opening one. The \
         message shows both ends where both are known.",
        "{ \"tags\": [\"a\", \"b\" }";
    YAML_SYNTAX = 20 Error "invalid YAML",
        "The text does not follow YAML 1.2. The message and the place come from the point where reading could not go on; \
         the cause is often a line or two above, most often indentation or a missing quote.",
        "title: [a, b";
    TAB_INDENTATION = 21 Error "tab in the indentation",
        "YAML uses spaces for indentation; tabs are forbidden because every editor shows them with another width. Replace \
         each tab at the start of the line by spaces, and let the editor insert spaces in YAML files.",
        "metadata:\n\tid: app";
    BAD_INDENTATION = 22 Error "inconsistent indentation",
        "The entries of one mapping or one sequence must start in the same column. This line starts in a column that \
         belongs to no open mapping or sequence, so it is unclear where it belongs.",
        "metadata:\n    id: app\n  title: App";
    MISSING_SPACE = 23 Error "missing space after a colon or dash",
        "In YAML a colon separates key and value only when a space or a line break follows, and a dash starts an entry only \
         when a space follows. Without the space the whole word is text.",
        "metadata:\n  id:app\n  title: App";
    UNEXPECTED_COLON = 24 Error "colon inside unquoted text",
        "A colon followed by a space starts a value. Inside text that is already a value it is ambiguous and YAML forbids \
         it. Put the text into quotes. If a new key was meant, it belongs on a line of its own.",
        "title: Note: read this first";
    RESERVED_CHARACTER = 25 Error "unquoted text starts with a reserved character",
        "Unquoted text must not start with an at sign, a backtick, a percent sign or another character that has a meaning of \
         its own in YAML. Put the text into quotes.",
        "owner: @team-video";
    BLOCK_SCALAR = 26 Error "invalid block text",
        "Text after `|` or `>` starts on the next line and is indented further than its key. The indicator itself may only \
         be followed by `+`, `-`, an indentation from 1 to 9 and a comment.",
        "description: |0\n  text";
    MULTIPLE_DOCUMENTS = 27 Error "more than one document in a file",
        "A file holds one manifest. The marker `---` starts a second document, which would be ignored by some readers and \
         replace the first for others. Move it into a file of its own and list that file in the package.",
        "kind: App\n---\nkind: Bindings";
    UNSUPPORTED_TAG = 28 Error "YAML tag",
        "Tags such as !foo or !!python/object ask the reader to build something else than plain data. Manifests are plain \
         data: the tag has no meaning here and is refused before anything acts on it. Remove the tag.",
        "value: !secret api-key";
    MERGE_KEY = 29 Error "merge key",
        "The merge key << comes from YAML 1.1 and is not part of YAML 1.2. Readers disagree on it, so the same file could \
         mean different things. Write the members out, or use an overlay to share changes between manifests.",
        "base: &base { role: button }\nsave:\n  <<: *base";
    UNKNOWN_ANCHOR = 30 Error "alias without an anchor",
        "An alias such as *name repeats the value that an earlier &name marked. No anchor of that name stands above this \
         line. If the text is meant to start with an asterisk, put it into quotes.",
        "name: *Required";
    ALIAS_BUDGET = 31 Error "aliases expand to too much",
        "Aliases repeat a value, and aliases inside repeated values multiply. A few lines can expand to billions of values, \
         which is a known attack. The total that aliases may add is limited; write the data out instead.",
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]   ... and so on";
    RECURSIVE_ALIAS = 32 Error "alias inside its own anchor",
        "The alias refers to a value that is not finished yet, because the alias is a part of it. The result would contain \
         itself without end, and JSON cannot express that.",
        "a: &a\n  self: *a";
    KEY_NOT_TEXT = 33 Error "key is not text",
        "Keys are names. A sequence, a mapping or nothing at all cannot be a key, because the bundle is JSON and JSON only \
         has text keys. Quote the key if it is text that happens to start with a bracket.",
        "[a, b]: value";
    DUPLICATE_KEY = 40 Error "key used twice",
        "A mapping has the same key twice. Readers disagree on which one counts, so one of the two values is silently lost \
         somewhere. Remove one, or merge the two values by hand. Both places are shown.",
        "role: button\nname: Save\nrole: link";
    INEXACT_NUMBER = 41 Error "number cannot be kept exactly",
        "Bundles are canonical JSON (RFC 8785), whose numbers are IEEE 754 doubles. This number changes when it is stored as \
         one. Whole numbers are exact up to 9007199254740992. Write larger ids as strings.",
        "id: 9007199254740993";
    NOT_A_NUMBER = 42 Error "NaN or infinity",
        "YAML can write .nan and .inf, JSON cannot, so the value has no form in the bundle. Leave the member out, or write a \
         real limit. If the text itself is meant, put it into quotes.",
        "timeout: .inf";
    HIDDEN_IN_KEY = 43 Error "invisible character in a key",
        "The key contains a character that cannot be seen, such as a zero-width space or a control for the writing \
         direction. Two keys that look equal would differ, or text would be shown in another order than it is read.",
        "ro\u{200b}le: button";
    HIDDEN_IN_TEXT = 44 Warning "invisible character in text",
        "The text or comment contains a character that cannot be seen, such as a zero-width space or a control for the \
         writing direction. It may be left over from copying, or hide what the text really says. Remove it, or write it \
         as an escape inside double quotes if it is meant.",
        "title: Save\u{202e}";
}
