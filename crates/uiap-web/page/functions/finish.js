// Runs in the isolated world, on no element: takes the guard of the last gesture away and tells what it saw.
function finish(end) {
  const guard = globalThis[Symbol.for('uiap.guarding')]?.guard;
  if (!guard) return JSON.stringify({ delivered: [], wrong: null, dragging: false });
  const dragging = guard.drag !== null && !guard.drag.defaultPrevented;
  if (end) guard.release();
  return JSON.stringify({ delivered: guard.delivered, wrong: guard.wrong, dragging });
}
