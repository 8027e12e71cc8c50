//! Turns the steps of a parser into the arena, and reports what no single token shows.
//!
//! All parsers go through here, so that depth, duplicate keys and member lists follow one rule.

use std::sync::Arc;

use super::doc::{DecodedKey, Form, LISTED, NodeData, SourceDoc, Tag, UNLISTED, inside_quotes, pack, unpack};
use super::file::SourceFile;
use super::limits::Limits;
use super::node::Number;
use super::span::{Span, offset};
use crate::diagnostic::{Diagnostic, Diagnostics, codes, shown};

/// The nesting limit was hit; the parser stops.
#[derive(Debug)]
pub(super) struct TooDeep;

/// The text of a key or a string: where it stands and how to read it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text {
    pub(super) span: Span,
    pub(super) form: Form,
    /// Range of the side buffer, for [`Form::Decoded`].
    pub(super) decoded: Span,
}

impl Text {
    pub(super) fn verbatim(span: Span) -> Self {
        Self { span, form: Form::Verbatim, decoded: Span::default() }
    }

    pub(super) fn quoted(span: Span) -> Self {
        Self { span, form: Form::Quoted, decoded: Span::default() }
    }
}

struct Frame {
    node: u32,
    count: u32,
    /// The member that was added last.
    last: u32,
    /// One bit per key fingerprint; two keys with the same bit may be equal.
    seen: u64,
    has_clash: bool,
    /// The members, once there are enough of them for a list.
    list: Vec<u32>,
}

/// Builds one tree.
pub(super) struct TreeBuilder<'a> {
    file: &'a Arc<SourceFile>,
    nodes: Vec<NodeData>,
    /// Public to the parsers, which append decoded text and remember its range.
    pub(super) decoded: String,
    decoded_keys: Vec<DecodedKey>,
    members: Vec<u32>,
    stack: Vec<Frame>,
    key: Option<Text>,
    max_depth: usize,
    pub(super) diagnostics: Diagnostics,
}

impl<'a> TreeBuilder<'a> {
    pub(super) fn new(file: &'a Arc<SourceFile>, limits: &Limits) -> Self {
        Self {
            file,
            // Room for dense text: pages that are not touched cost nothing, growing does.
            nodes: Vec::with_capacity(file.text().len() / 16 + 8),
            decoded: String::new(),
            decoded_keys: Vec::new(),
            members: Vec::new(),
            stack: Vec::new(),
            key: None,
            max_depth: limits.max_depth as usize,
            diagnostics: Diagnostics::new(),
        }
    }

    pub(super) fn file(&self) -> &'a Arc<SourceFile> {
        self.file
    }

    /// Whether a member of a mapping comes next and has no key yet.
    pub(super) fn in_map(&self) -> bool {
        self.top_tag() == Some(Tag::Map)
    }

    /// Number of open containers.
    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    pub(super) fn max_depth(&self) -> usize {
        self.max_depth
    }

    /// Index that the next node will get.
    pub(super) fn next_index(&self) -> u32 {
        offset(self.nodes.len())
    }

    /// The key of the next value.
    pub(super) fn key(&mut self, key: Text) {
        self.key = Some(key);
    }

    /// End of the pending key, for a value that is missing.
    pub(super) fn pending_key(&self) -> Option<Span> {
        self.key.map(|key| key.span)
    }

    pub(super) fn string(&mut self, text: Text) {
        let payload = pack(text.decoded.start, text.decoded.end);
        self.push(NodeData {
            value: text.span,
            form: text.form,
            tag: Tag::Str,
            payload,
            ..NodeData::default()
        });
    }

    pub(super) fn null(&mut self, span: Span) {
        self.scalar(Tag::Null, span, 0);
    }

    pub(super) fn bool(&mut self, span: Span, value: bool) {
        self.scalar(Tag::Bool, span, u64::from(value));
    }

    pub(super) fn number(&mut self, span: Span, number: Number) {
        match number {
            Number::Int(n) => self.scalar(Tag::Int, span, n.cast_unsigned()),
            Number::UInt(n) => self.scalar(Tag::UInt, span, n),
            Number::Float(n) => self.scalar(Tag::Float, span, n.to_bits()),
        }
    }

    /// Opens a sequence or a mapping.
    pub(super) fn open(&mut self, tag: Tag, start: u32) -> Result<(), TooDeep> {
        if self.stack.len() >= self.max_depth {
            self.report_depth(start);
            return Err(TooDeep);
        }
        let node = self.next_index();
        self.push(NodeData { value: Span::empty(start), tag, ..NodeData::default() });
        self.stack.push(Frame { node, count: 0, last: node, seen: 0, has_clash: false, list: Vec::new() });
        Ok(())
    }

    /// Closes the innermost container. Without an end, it ends where its last member ends.
    pub(super) fn close(&mut self, end: Option<u32>) {
        let Some(frame) = self.stack.pop() else { return };
        let next = self.next_index();
        let end = end.unwrap_or_else(|| self.nodes.get(frame.last as usize).map_or(0, |last| last.value.end));
        let tag = self.nodes.get(frame.node as usize).map_or(Tag::Seq, |data| data.tag);
        let (node, count) = (frame.node, frame.count);
        let list = self.finish_members(tag, frame, next);
        if let Some(data) = self.nodes.get_mut(node as usize) {
            data.next = next;
            data.value.end = end.max(data.value.start);
            data.payload = pack(list, count);
        }
    }

    /// Copies a finished subtree as the next value; only the top of the copy gets the alias's place.
    pub(super) fn copy_subtree(&mut self, source: u32, span: Span) {
        let Some(mut top) = self.nodes.get(source as usize).copied() else { return };
        if top.tag == Tag::Str && top.form != Form::Decoded {
            let text = if top.form == Form::Quoted { inside_quotes(top.value) } else { top.value };
            let range = self.decode(self.file.slice(text));
            top.form = Form::Decoded;
            top.payload = pack(range.start, range.end);
        }
        let base = self.next_index();
        let shift = base - source;
        self.push(NodeData { value: span, ..top });
        self.copy_members(source, top.next, shift);
        self.shift_list(&mut top, shift);
        if let Some(copy) = self.nodes.get_mut(base as usize) {
            copy.next = top.next + shift;
            copy.payload = top.payload;
        }
    }

    /// Stores text that differs from the source and returns its range in the side buffer.
    pub(super) fn decode(&mut self, text: &str) -> Span {
        let start = self.decoded.len();
        self.decoded.push_str(text);
        Span::at(start, self.decoded.len())
    }

    /// The number of nodes in a finished subtree.
    pub(super) fn subtree_size(&self, source: u32) -> u32 {
        self.nodes.get(source as usize).map_or(0, |data| data.next - source)
    }

    /// The nesting below a finished node: 0 for a scalar.
    pub(super) fn subtree_depth(&self, source: u32) -> usize {
        let end = self.nodes.get(source as usize).map_or(source, |data| data.next);
        let mut open: Vec<u32> = Vec::new();
        let mut deepest = 0;
        for index in source..end {
            while open.last().is_some_and(|&next| next <= index) {
                open.pop();
            }
            let Some(data) = self.nodes.get(index as usize) else { break };
            if matches!(data.tag, Tag::Seq | Tag::Map) {
                open.push(data.next);
                deepest = deepest.max(open.len());
            }
        }
        deepest
    }

    /// The text of a finished string or key-like scalar; what was written for anything else.
    pub(super) fn scalar_text(&self, source: u32) -> Option<(Tag, String)> {
        let data = self.nodes.get(source as usize)?;
        let text = match (data.tag, data.form) {
            (Tag::Seq | Tag::Map, _) => return None,
            (Tag::Str, Form::Decoded) => {
                let (start, end) = unpack(data.payload);
                self.decoded.get(start as usize..end as usize)?
            }
            (Tag::Str, Form::Quoted) => self.file.slice(inside_quotes(data.value)),
            _ => self.file.slice(data.value),
        };
        Some((data.tag, text.to_owned()))
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn report_depth(&mut self, at: u32) {
        let diagnostic = Diagnostic::new(
            codes::TOO_DEEP,
            format!("nesting is deeper than {} levels", self.max_depth),
            self.file,
            Span::new(at, at + 1),
        )
        .label("this would be one level too many")
        .help("flatten the structure; manifests need fewer than twenty levels");
        self.report(diagnostic);
    }

    /// The finished tree. An unfinished or empty build gets a null root.
    pub(super) fn finish(mut self) -> (SourceDoc, Diagnostics) {
        while !self.stack.is_empty() {
            self.close(None);
        }
        if self.nodes.is_empty() {
            self.null(Span::default());
        }
        if self.nodes.capacity() > 2 * self.nodes.len() {
            self.nodes.shrink_to_fit();
        }
        let doc = SourceDoc {
            file: Arc::clone(self.file),
            nodes: self.nodes,
            decoded: self.decoded,
            decoded_keys: self.decoded_keys,
            members: self.members,
        };
        (doc, self.diagnostics)
    }

    fn scalar(&mut self, tag: Tag, span: Span, payload: u64) {
        self.push(NodeData { value: span, tag, payload, ..NodeData::default() });
    }

    fn top_tag(&self) -> Option<Tag> {
        self.nodes.get(self.stack.last()?.node as usize).map(|data| data.tag)
    }

    /// Appends a node under the pending key and counts it for its container.
    fn push(&mut self, mut data: NodeData) {
        let index = self.next_index();
        data.next = index + 1;
        data.key = Span::default();
        data.key_form = Form::Absent;
        let mut bit = 0;
        if let Some(key) = self.key.take() {
            data.key = key.span;
            data.key_form = key.form;
            if key.form == Form::Decoded {
                self.decoded_keys.push(DecodedKey { node: index, range: key.decoded });
            }
            bit = 1 << fingerprint(self.key_content(&key));
        }
        if let Some(frame) = self.stack.last_mut() {
            frame.count += 1;
            frame.last = index;
            frame.has_clash |= frame.seen & bit != 0;
            frame.seen |= bit;
            if frame.count >= LISTED {
                list_member(&self.nodes, frame, index);
            }
        }
        self.nodes.push(data);
    }

    fn copy_members(&mut self, source: u32, end: u32, shift: u32) {
        let first = self.decoded_keys.partition_point(|key| key.node <= source);
        let last = self.decoded_keys.partition_point(|key| key.node < end);
        for at in first..last {
            if let Some(key) = self.decoded_keys.get(at).copied() {
                self.decoded_keys.push(DecodedKey { node: key.node + shift, range: key.range });
            }
        }
        for index in source + 1..end {
            if let Some(mut data) = self.nodes.get(index as usize).copied() {
                data.next += shift;
                self.shift_list(&mut data, shift);
                self.nodes.push(data);
            }
        }
    }

    /// A copied container needs a member list with the new indices.
    fn shift_list(&mut self, data: &mut NodeData, shift: u32) {
        if !matches!(data.tag, Tag::Seq | Tag::Map) {
            return;
        }
        let (start, count) = unpack(data.payload);
        if start == UNLISTED {
            return;
        }
        let copy = offset(self.members.len());
        for at in start..start + count {
            let member = self.members.get(at as usize).copied().unwrap_or_default();
            self.members.push(member + shift);
        }
        data.payload = pack(copy, count);
    }

    /// Checks a closed mapping for duplicates and stores the member list of a large container.
    fn finish_members(&mut self, tag: Tag, frame: Frame, end: u32) -> u32 {
        if frame.count < LISTED {
            if frame.has_clash {
                self.compare_small_map(frame.node + 1, end);
            }
            return UNLISTED;
        }
        let mut list = frame.list;
        if tag == Tag::Map {
            self.sort_members(&mut list);
        }
        let start = offset(self.members.len());
        self.members.append(&mut list);
        start
    }

    /// Sorting brings equal keys together, in the order of the text, without a hash to attack.
    fn sort_members(&mut self, list: &mut [u32]) {
        list.sort_by(|&a, &b| self.key_bytes(a).cmp(self.key_bytes(b)).then(a.cmp(&b)));
        let mut first = None;
        for &member in &*list {
            match first {
                Some(earlier) if self.key_bytes(earlier) == self.key_bytes(member) => {
                    self.report_duplicate(earlier, member);
                }
                _ => first = Some(member),
            }
        }
    }

    /// Fingerprints clear almost every mapping; only a clash compares texts.
    fn compare_small_map(&mut self, first: u32, end: u32) {
        let mut members = Vec::new();
        let mut at = first;
        while at < end {
            let twin = members.iter().copied().find(|&m| self.key_bytes(m) == self.key_bytes(at));
            match twin {
                Some(earlier) => self.report_duplicate(earlier, at),
                None => members.push(at),
            }
            at = self.nodes.get(at as usize).map_or(end, |data| data.next.max(at + 1));
        }
    }

    fn key_content(&self, key: &Text) -> &[u8] {
        let text = self.file.text().as_bytes();
        let found = match key.form {
            Form::Absent => None,
            Form::Verbatim => text.get(key.span.range()),
            Form::Quoted => text.get(inside_quotes(key.span).range()),
            Form::Decoded => self.decoded.as_bytes().get(key.decoded.range()),
        };
        found.unwrap_or_default()
    }

    fn key_bytes(&self, index: u32) -> &[u8] {
        let Some(data) = self.nodes.get(index as usize) else { return &[] };
        let decoded = match data.key_form {
            Form::Decoded => self
                .decoded_keys
                .binary_search_by_key(&index, |key| key.node)
                .ok()
                .and_then(|at| self.decoded_keys.get(at))
                .map_or(Span::default(), |key| key.range),
            _ => Span::default(),
        };
        self.key_content(&Text { span: data.key, form: data.key_form, decoded })
    }

    fn report_duplicate(&mut self, first: u32, second: u32) {
        let span = |index: u32| self.nodes.get(index as usize).map_or(Span::default(), |data| data.key);
        let (first_span, second_span) = (span(first), span(second));
        let key = shown(&String::from_utf8_lossy(self.key_bytes(second)));
        let diagnostic = Diagnostic::new(
            codes::DUPLICATE_KEY,
            format!("key `{key}` is used twice in one mapping"),
            self.file,
            second_span,
        )
        .label("used again here")
        .secondary(self.file, first_span, "first used here")
        .help("remove one of the two, or merge their values");
        self.report(diagnostic);
    }
}

/// Notes a member in its container's list. The first entry catches up with those before it, so that the many
/// small containers need no list.
fn list_member(nodes: &[NodeData], frame: &mut Frame, index: u32) {
    if frame.list.is_empty() {
        let mut at = frame.node + 1;
        while at < index {
            frame.list.push(at);
            at = nodes.get(at as usize).map_or(index, |data| data.next.max(at + 1));
        }
    }
    frame.list.push(index);
}

fn fingerprint(key: &[u8]) -> u32 {
    let first = key.first().copied().unwrap_or_default();
    let last = key.last().copied().unwrap_or_default();
    let mixed = u32::from(first).wrapping_mul(31) ^ u32::from(last).wrapping_mul(7) ^ offset(key.len());
    mixed & 63
}
