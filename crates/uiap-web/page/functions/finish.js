// Runs in the isolated world, with the target as `this`: takes the guard of the gesture away and tells what it saw.
function finish(end) {
  const state = this.ownerDocument?.defaultView?.[Symbol.for('uiap.input')];
  const guard = state?.guard;
  if (!guard) return JSON.stringify({ delivered: [], wrong: null, dragging: false });
  const dragging = guard.drag !== null && !guard.drag.defaultPrevented;
  if (end) guard.release();
  return JSON.stringify({ delivered: guard.delivered, wrong: guard.wrong, dragging });
}
