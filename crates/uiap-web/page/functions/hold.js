// Runs in the isolated world, with the target as `this`: gives it the keyboard, and puts the caret where it is wanted. Answers
// whether the target stands in the page's own document, inside of something else, or does not keep the keyboard.
function hold(how) {
  this.focus();
  const root = this.getRootNode();
  if (root.activeElement !== this && !this.contains(root.activeElement)) return 'elsewhere';
  const held = root === document ? 'held' : 'inside';
  if (how === 'focus') return held;
  const all = how === 'all';
  if (typeof this.select === 'function') {
    if (all) this.select();
    // Kinds of fields without a caret refuse.
    else try { this.setSelectionRange(this.value.length, this.value.length); } catch { return held; }
    return held;
  }
  const selection = this.ownerDocument.getSelection();
  selection.selectAllChildren(this);
  if (!all) selection.collapseToEnd();
  return held;
}
