// Runs in the isolated world of every document, before its own scripts: remembers when a script last moved something by inline
// style. Whoever aims later knows at the first gesture already whether something moves.
function motion(document) {
  const KEY = Symbol.for('uiap.input');
  const view = document.defaultView;
  if (view[KEY]) return view[KEY];
  const state = { since: performance.now(), moved: -Infinity, guard: null };
  const observer = new MutationObserver(() => { state.moved = performance.now(); });
  observer.observe(document, { subtree: true, attributes: true, attributeFilter: ['style', 'transform', 'd', 'points', 'x', 'y', 'cx', 'cy'] });
  Object.defineProperty(view, KEY, { value: state, configurable: true });
  return state;
}
