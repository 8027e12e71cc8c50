//! The complete parser: events of `saphyr-parser` to the tree.
//!
//! Its places need repair before they can be used. Offsets count characters, the start of block text lies behind
//! its header, the end of a quoted string behind the comment that follows, and a missing value has the place of
//! whatever comes next. [`places`](super::places) puts them right.

use std::collections::HashMap;
use std::sync::Arc;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput, Tag as YamlTag};

use super::core_schema::{Word, add_word, classify};
use super::places::Places;
use super::{merge, tags};
use crate::diagnostic::{Diagnostic, Diagnostics, Fix, codes, shown};
use crate::source::build::{Text, TooDeep, TreeBuilder};
use crate::source::doc::{Form, SourceDoc, Tag};
use crate::source::file::SourceFile;
use crate::source::limits::Limits;
use crate::source::span::Span;

/// Why there is no tree.
pub(super) enum Refusal {
    /// The text is not YAML.
    Syntax(ScanError),
    /// A limit or rule of ours stopped the parser; it has been reported.
    Stopped(Diagnostics),
}

/// Parses with the complete parser. The text may differ from the file's in blanked-out parts only.
pub(super) fn parse(
    file: &Arc<SourceFile>,
    text: &str,
    limits: &Limits,
) -> Result<(SourceDoc, Diagnostics), Refusal> {
    // A text that ends inside block text would get a line break too many or too few.
    let terminated;
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let body = if body.is_empty() || body.ends_with('\n') {
        body
    } else {
        terminated = format!("{body}\n");
        &terminated
    };
    let mut reader = Reader {
        builder: TreeBuilder::new(file, limits),
        places: Places::new(text, body),
        anchors: HashMap::new(),
        alias_budget: limits.max_alias_nodes,
        merge_keys: Vec::new(),
    };
    match reader.document(Parser::new_from_str(body)) {
        Ok(()) => {
            let (doc, mut diagnostics) = reader.builder.finish();
            merge::report(&doc, &reader.merge_keys, &mut diagnostics);
            Ok((doc, diagnostics))
        }
        Err(Stop::Syntax(error)) => Err(Refusal::Syntax(error)),
        Err(Stop::Reported) => Err(Refusal::Stopped(reader.builder.finish().1)),
    }
}

enum Stop {
    Syntax(ScanError),
    Reported,
}

impl From<ScanError> for Stop {
    fn from(error: ScanError) -> Self {
        Self::Syntax(error)
    }
}

impl From<TooDeep> for Stop {
    fn from(_: TooDeep) -> Self {
        Self::Reported
    }
}

/// What an alias stands for.
enum Anchor {
    /// The container is still open: an alias to it would contain itself.
    Open(u32),
    Node(u32),
    /// Anchors on keys mark text, not nodes.
    Key(String),
}

struct Reader<'a, 't> {
    builder: TreeBuilder<'a>,
    places: Places<'t>,
    anchors: HashMap<usize, Anchor>,
    alias_budget: u32,
    /// Nodes whose key is `<<`.
    merge_keys: Vec<u32>,
}

impl<'t> Reader<'_, 't> {
    fn document(&mut self, mut parser: Parser<'t, StrInput<'t>>) -> Result<(), Stop> {
        let mut documents = 0;
        let mut open: Vec<usize> = Vec::new();
        while let Some(next) = parser.next_event() {
            let (event, span) = next?;
            let place = self.places.bytes(span);
            match event {
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        self.second_document(place);
                        return Ok(());
                    }
                }
                Event::Scalar(value, style, anchor, tag) => {
                    self.scalar(&value, style, place, anchor, tag.as_deref())?;
                }
                Event::Alias(anchor) => self.alias(anchor, place)?,
                Event::SequenceStart(anchor, tag) => {
                    self.container(Tag::Seq, place, anchor, tag.as_deref())?;
                    open.push(anchor);
                }
                Event::MappingStart(anchor, tag) => {
                    self.container(Tag::Map, place, anchor, tag.as_deref())?;
                    open.push(anchor);
                }
                Event::SequenceEnd | Event::MappingEnd => {
                    self.end(place, open.pop().unwrap_or_default());
                }
                Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            }
        }
        if documents == 0 {
            self.builder.report(empty(self.builder.file()));
        }
        Ok(())
    }

    fn expects_key(&self) -> bool {
        self.builder.in_map() && self.builder.pending_key().is_none()
    }

    fn scalar(
        &mut self,
        value: &str,
        style: ScalarStyle,
        place: Span,
        anchor: usize,
        tag: Option<&YamlTag>,
    ) -> Result<(), Stop> {
        let has_properties = anchor > 0 || tag.is_some();
        let core = self.tag(tag, place);
        let is_missing = value.is_empty() && style == ScalarStyle::Plain;
        if self.expects_key() {
            if is_missing {
                return self.bad_key(place, "a key is missing here");
            }
            let text = self.text(value, style, place, has_properties);
            self.check_indentation(text.span.start);
            self.key(value, style, text, anchor);
            return Ok(());
        }
        let index = self.builder.next_index();
        if is_missing {
            let span = self.places.missing(place, self.builder.pending_key(), has_properties);
            match core {
                Some(tags::Core::Str) => self.decoded_string("", span),
                _ => self.builder.null(span),
            }
        } else {
            let text = self.text(value, style, place, has_properties);
            self.check_indentation(text.span.start);
            self.typed_scalar(value, style, text, core);
        }
        if anchor > 0 {
            self.anchors.insert(anchor, Anchor::Node(index));
        }
        Ok(())
    }

    fn typed_scalar(&mut self, value: &str, style: ScalarStyle, text: Text, tag: Option<tags::Core>) {
        match tag {
            None if style == ScalarStyle::Plain && text.form == Form::Verbatim => {
                add_word(&mut self.builder, text.span, value);
            }
            None | Some(tags::Core::Str) => self.builder.string(text),
            Some(core) if core.fits(classify(value)) => add_word(&mut self.builder, text.span, value),
            Some(core) => {
                let message =
                    format!("`{}` is not of the type that the tag `{}` asks for", shown(value), core.name());
                let file = self.builder.file();
                let diagnostic =
                    Diagnostic::new(codes::UNSUPPORTED_TAG, message, file, text.span).help("remove the tag");
                self.builder.report(diagnostic);
                self.builder.null(text.span);
            }
        }
    }

    fn key(&mut self, value: &str, style: ScalarStyle, text: Text, anchor: usize) {
        if value == "<<" && style == ScalarStyle::Plain {
            self.merge_keys.push(self.builder.next_index());
        }
        self.builder.key(text);
        if anchor > 0 {
            self.anchors.insert(anchor, Anchor::Key(value.to_owned()));
        }
    }

    /// Places the text of a scalar, borrowed from the source where it stands there unchanged.
    fn text(&mut self, value: &str, style: ScalarStyle, place: Span, has_properties: bool) -> Text {
        let span = self.places.scalar(place, style, value, has_properties);
        let raw = self.builder.file().slice(span);
        let quoted = matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted);
        if style == ScalarStyle::Plain && raw == value {
            return Text::verbatim(span);
        }
        if quoted && raw.get(1..raw.len().saturating_sub(1)) == Some(value) {
            return Text::quoted(span);
        }
        let decoded = self.builder.decode(value);
        Text { span, form: Form::Decoded, decoded }
    }

    fn decoded_string(&mut self, value: &str, span: Span) {
        let decoded = self.builder.decode(value);
        self.builder.string(Text { span, form: Form::Decoded, decoded });
    }

    fn container(
        &mut self,
        tag: Tag,
        place: Span,
        anchor: usize,
        tagged: Option<&YamlTag>,
    ) -> Result<(), Stop> {
        if let Some(core) = self.tag(tagged, place)
            && !core.fits_container(tag)
        {
            let file = self.builder.file();
            let message = format!("the tag `{}` does not fit this value", core.name());
            let diagnostic =
                Diagnostic::new(codes::UNSUPPORTED_TAG, message, file, place).help("remove the tag");
            self.builder.report(diagnostic);
        }
        if self.expects_key() {
            return self.bad_key(place, "a sequence or a mapping cannot be a key");
        }
        let index = self.builder.next_index();
        let has_properties = anchor > 0 || tagged.is_some();
        let start = self.places.open(place, tag, self.builder.pending_key(), has_properties);
        if tag == Tag::Seq {
            self.check_indentation(start);
        }
        self.builder.open(tag, start)?;
        if anchor > 0 {
            self.anchors.insert(anchor, Anchor::Open(index));
        }
        Ok(())
    }

    fn end(&mut self, place: Span, anchor: usize) {
        let end = self.places.close(place);
        self.builder.close(end);
        if let Some(slot) = self.anchors.get_mut(&anchor)
            && let Anchor::Open(index) = *slot
        {
            *slot = Anchor::Node(index);
        }
    }

    fn alias(&mut self, anchor: usize, place: Span) -> Result<(), Stop> {
        self.places.passed(place.end);
        match self.anchors.get(&anchor) {
            Some(Anchor::Node(index)) => self.alias_to(*index, place),
            Some(Anchor::Key(text)) => {
                let text = text.clone();
                if self.expects_key() {
                    self.decoded_key(&text, place);
                } else {
                    self.decoded_string(&text, place);
                }
                Ok(())
            }
            Some(Anchor::Open(_)) | None => {
                let file = self.builder.file();
                let diagnostic = Diagnostic::new(
                    codes::RECURSIVE_ALIAS,
                    format!("`{}` refers to the value that it is a part of", shown(file.slice(place))),
                    file,
                    place,
                )
                .help("write the data out; a value cannot contain itself");
                self.builder.report(diagnostic);
                Err(Stop::Reported)
            }
        }
    }

    fn alias_to(&mut self, index: u32, place: Span) -> Result<(), Stop> {
        if self.expects_key() {
            return match self.builder.scalar_text(index) {
                Some((_, text)) => {
                    self.decoded_key(&text, place);
                    Ok(())
                }
                None => self.bad_key(place, "a sequence or a mapping cannot be a key"),
            };
        }
        let size = self.builder.subtree_size(index);
        let Some(left) = self.alias_budget.checked_sub(size) else {
            let file = self.builder.file();
            let diagnostic = Diagnostic::new(
                codes::ALIAS_BUDGET,
                "alias budget is used up: aliases expand to too much",
                file,
                place,
            )
            .label("this alias goes beyond it")
            .help("write the data out instead of repeating it by aliases");
            self.builder.report(diagnostic);
            return Err(Stop::Reported);
        };
        self.alias_budget = left;
        if self.builder.depth() + self.builder.subtree_depth(index) > self.builder.max_depth() {
            self.builder.report_depth(place.start);
            return Err(Stop::Reported);
        }
        self.builder.copy_subtree(index, place);
        Ok(())
    }

    fn decoded_key(&mut self, text: &str, span: Span) {
        let decoded = self.builder.decode(text);
        self.builder.key(Text { span, form: Form::Decoded, decoded });
    }

    /// Without a key there is no place for the value in the tree, so reading stops.
    fn bad_key(&mut self, place: Span, message: &str) -> Result<(), Stop> {
        let file = self.builder.file();
        let diagnostic = Diagnostic::new(codes::KEY_NOT_TEXT, message, file, place)
            .help("keys are text; quote it if it is text that starts with a bracket");
        self.builder.report(diagnostic);
        Err(Stop::Reported)
    }

    fn second_document(&mut self, place: Span) {
        let file = self.builder.file();
        let diagnostic =
            Diagnostic::new(codes::MULTIPLE_DOCUMENTS, "a second document starts here", file, place)
                .label("only the first one is read")
                .help("move it into a file of its own");
        self.builder.report(diagnostic);
    }

    /// The complete parser lets some tabs pass that are forbidden in indentation.
    fn check_indentation(&mut self, start: u32) {
        if let Some(span) = self.places.indenting_tab(start) {
            let file = self.builder.file();
            let spaces = file.slice(span).replace('\t', "  ");
            let diagnostic = Diagnostic::new(codes::TAB_INDENTATION, "tab in the indentation", file, span)
                .label("a tab (`\\t`)")
                .help("indent with spaces")
                .fix(Fix::replace("use spaces", file, span, spaces));
            self.builder.report(diagnostic);
        }
    }

    /// The core type that a tag names. Any other tag is reported, and the value is read without it.
    fn tag(&mut self, tag: Option<&YamlTag>, place: Span) -> Option<tags::Core> {
        let tag = tag?;
        if let Some(core) = tags::Core::of(tag) {
            return Some(core);
        }
        let span = self.places.tag(place);
        let file = self.builder.file();
        let diagnostic = Diagnostic::new(
            codes::UNSUPPORTED_TAG,
            format!("tag `{}` is not allowed", shown(file.slice(span))),
            file,
            span,
        )
        .help("remove the tag: manifests are plain data")
        .fix(Fix::replace("remove the tag", file, self.places.with_blanks(span), ""));
        self.builder.report(diagnostic);
        None
    }
}

fn empty(file: &Arc<SourceFile>) -> Diagnostic {
    Diagnostic::new(codes::EMPTY_SOURCE, "the file holds no document", file, Span::default())
        .help("a manifest has `apiVersion`, `kind`, `metadata` and `spec`")
}

/// Whether a word has the type that a core tag asks for.
impl tags::Core {
    fn fits(self, word: Word) -> bool {
        match self {
            Self::Str => true,
            Self::Null => word == Word::Null,
            Self::Bool => matches!(word, Word::True | Word::False),
            Self::Int => matches!(word, Word::Whole | Word::Octal | Word::Hex),
            Self::Float => matches!(word, Word::Whole | Word::Fraction | Word::NotFinite),
            Self::Seq | Self::Map => false,
        }
    }

    fn fits_container(self, tag: Tag) -> bool {
        matches!((self, tag), (Self::Seq, Tag::Seq) | (Self::Map, Tag::Map))
    }
}
