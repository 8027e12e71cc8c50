// Runs in the isolated world, with the target as `this`. Brings the target into view, waits until it stands still, finds a
// point at which a pointer really reaches it, and sets a guard that lets no event of the gesture reach anything else.
function aim(options) {
  const target = this;
  const STILL = 50; // Milliseconds without a change of inline style after which nothing is moved by script.
  const GEOMETRY = /^(transform|translate|rotate|scale|left|right|top|bottom|inset.*|width|height|margin.*|padding.*|flex.*|grid.*|min.*|max.*|offset.*|fontSize|zoom)$/;
  const answer = (result) => JSON.stringify(result);

  const parentOf = (node) => node.assignedSlot || node.parentElement || (node.getRootNode() instanceof ShadowRoot ? node.getRootNode().host : null);
  const frames = (element) => {
    const chain = [];
    for (let view = element.ownerDocument.defaultView; view && view.frameElement; view = view.frameElement.ownerDocument.defaultView) chain.unshift(view.frameElement);
    return chain;
  };
  const contains = (element, node) => {
    for (let each = node; each; each = parentOf(each)) if (each === element) return true;
    return false;
  };
  // The deepest element at a point of a document, through open shadow roots.
  const hit = (document, x, y) => {
    let found = document.elementFromPoint(x, y);
    while (found && found.shadowRoot) {
      const inner = found.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === found) break;
      found = inner;
    }
    return found;
  };
  const controlOf = (node) => {
    for (let each = node; each; each = parentOf(each)) {
      if (each.localName === 'label') return each.control;
      if (/^(button|input|select|textarea|a)$/.test(each.localName)) return null;
    }
    return null;
  };
  const belongs = (node) => contains(target, node) || controlOf(node) === target || (node.localName === 'map' && contains(node, target));
  const describe = (element) => {
    if (!element) return null;
    const text = (element.getAttribute('aria-label') || element.textContent || '').replace(/\s+/g, ' ').trim().slice(0, 80);
    return { tag: element.localName, id: element.id || undefined, role: element.getAttribute('role') || undefined, text: text || undefined };
  };

  // Frames move and scale what is in them.
  const placeOf = (chain) => {
    let place = { x: 0, y: 0, sx: 1, sy: 1 };
    for (const frame of chain) {
      const box = frame.getBoundingClientRect();
      const style = frame.ownerDocument.defaultView.getComputedStyle(frame);
      const sx = frame.offsetWidth ? box.width / frame.offsetWidth : 1;
      const sy = frame.offsetHeight ? box.height / frame.offsetHeight : 1;
      const left = box.left + (frame.clientLeft + (parseFloat(style.paddingLeft) || 0)) * sx;
      const top = box.top + (frame.clientTop + (parseFloat(style.paddingTop) || 0)) * sy;
      place = { x: place.x + left * place.sx, y: place.y + top * place.sy, sx: place.sx * sx, sy: place.sy * sy };
    }
    return place;
  };
  // Where a point of the target's frame lies in each document above it; the first of them is the top.
  const reaches = (chain, x, y) => {
    for (let at = 0; at < chain.length; at++) {
      const frame = chain[at];
      const inner = placeOf(chain.slice(at));
      const seen = hit(frame.ownerDocument, inner.x + x * inner.sx, inner.y + y * inner.sy);
      if (seen !== frame) return { ok: false, by: seen };
    }
    const seen = hit(target.ownerDocument, x, y);
    return { ok: !!seen && belongs(seen), by: seen };
  };

  const rectsOf = (element) => Array.from(element.getClientRects()).filter((rect) => rect.width >= 1 && rect.height >= 1);
  const bearer = () => {
    if (rectsOf(target).length) return target;
    for (const label of target.labels || []) if (rectsOf(label).length) return label;
    if (target.localName === 'option' && target.parentElement) return target.closest('select');
    if (target.localName === 'area') return target.ownerDocument.querySelector(`img[usemap="#${CSS.escape(target.closest('map')?.name || '')}"]`);
    return Array.from(target.children).find((child) => rectsOf(child).length) || null;
  };
  const points = (element) => {
    const { innerWidth, innerHeight } = element.ownerDocument.defaultView;
    const found = [];
    for (const rect of rectsOf(element)) {
      const left = Math.max(rect.left, 0), top = Math.max(rect.top, 0);
      const right = Math.min(rect.right, innerWidth), bottom = Math.min(rect.bottom, innerHeight);
      if (right - left < 1 || bottom - top < 1) continue;
      const at = (fx, fy) => found.push([left + (right - left) * fx, top + (bottom - top) * fy]);
      if (options.position) found.push([rect.left + options.position[0], rect.top + options.position[1]]);
      else for (const [fx, fy] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9]]) at(fx, fy);
      if (found.length > 60) break;
    }
    return found;
  };
  const search = (element, chain) => {
    let by = null;
    for (const [x, y] of points(element)) {
      const seen = reaches(chain, x, y);
      if (seen.ok) return { x, y };
      by = by || seen.by;
    }
    return { by };
  };
  const moving = (document) => document.getAnimations().some((animation) => {
    const subject = animation.playState === 'running' && animation.effect && animation.effect.target;
    if (!subject || !contains(subject, target)) return false;
    return animation.effect.getKeyframes().some((frame) => Object.keys(frame).some((name) => GEOMETRY.test(name)));
  });
  const boxOf = (element, chain) => {
    const rect = element.getBoundingClientRect();
    const place = placeOf(chain);
    return [place.x + rect.left * place.sx, place.y + rect.top * place.sy, rect.width * place.sx, rect.height * place.sy];
  };
  const same = (a, b) => a.every((value, at) => Math.abs(value - b[at]) < 0.5);

  // Two frames with the same box; a page that draws none is asked by the clock.
  // An animation that has not begun to draw stands still for some frames; one that never moves the box harms nobody.
  const settle = (element, chain, until, views) => new Promise((resolve) => {
    let last = boxOf(element, chain), equal = 0;
    const next = (step) => {
      let called = false;
      const once = () => { if (!called) { called = true; clearTimeout(bound); step(); } };
      const bound = setTimeout(once, 100);
      requestAnimationFrame(once);
    };
    const look = () => {
      if (!element.isConnected) return resolve(false);
      const box = boxOf(element, chain);
      equal = same(box, last) ? equal + 1 : 0;
      last = box;
      if (equal >= (views.some(moving) ? 12 : 2)) return resolve(true);
      if (performance.now() > until) return resolve(false);
      next(look);
    };
    next(look);
  });

  const guard = (state, view) => {
    state.guard?.release();
    const TYPES = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'touchstart', 'touchend', 'click', 'dblclick', 'auxclick', 'contextmenu'];
    const record = { delivered: [], wrong: null, drag: null, over: false };
    const over = (event) => {
      if (!event.isTrusted || !belongs(event.composedPath()[0])) return;
      record.over = true;
      if (options.hover && !record.delivered.includes(event.type)) record.delivered.push(event.type);
    };
    const watch = (event) => {
      if (!event.isTrusted) return;
      const path = event.composedPath();
      // A press that began on the target may end elsewhere: it moved away under the pointer by itself.
      const ok = record.wrong === null && (record.delivered.length > 0 || belongs(path[0]) || !options.strict);
      if (ok) return void record.delivered.push(event.type);
      record.wrong = record.wrong || describe(path[0]);
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const drag = (event) => { record.drag = event; };
    for (const type of TYPES) view.addEventListener(type, watch, { capture: true, passive: false });
    const MOVES = ['pointermove', 'mousemove', 'mouseover'];
    for (const type of MOVES) view.addEventListener(type, over, { capture: true, passive: true });
    view.addEventListener('dragstart', drag, { capture: true });
    record.release = () => {
      for (const type of TYPES) view.removeEventListener(type, watch, { capture: true });
      for (const type of MOVES) view.removeEventListener(type, over, { capture: true });
      view.removeEventListener('dragstart', drag, { capture: true });
      state.guard = null;
    };
    state.guard = record;
    globalThis[Symbol.for('uiap.guarding')] = state;
  };

  const run = async () => {
    if (!target.isConnected) return answer({ kind: 'gone' });
    const state = globalThis[Symbol.for('uiap.motion')](target.ownerDocument);
    const chain = frames(target);
    const until = performance.now() + options.patience;
    for (let scrolled = false; ;) {
      const element = bearer();
      if (!element) return answer({ kind: 'hidden' });
      let found = search(element, chain);
      if (found.x === undefined && !scrolled) {
        element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
        scrolled = true;
        found = search(element, chain);
      }
      const views = [target.ownerDocument, ...chain.map((frame) => frame.ownerDocument)];
      const known = performance.now() - state.since > STILL && performance.now() - state.moved > STILL;
      const still = known && !views.some(moving);
      if (!still) {
        const settled = await settle(element, chain, until, views);
        if (!settled) return answer({ kind: target.isConnected ? 'moving' : 'gone' });
        found = search(element, chain);
      }
      if (found.x === undefined) {
        // What covers it may be on its way out.
        if (performance.now() < until && views.some((document) => document.getAnimations().some((each) => each.playState === 'running' && Number.isFinite(each.effect?.getComputedTiming().endTime)))) {
          await settle(element, chain, until, views);
          continue;
        }
        return answer({ kind: found.by ? 'covered' : 'outside', by: describe(found.by), box: boxOf(element, chain) });
      }
      const place = placeOf(chain);
      guard(state, target.ownerDocument.defaultView);
      return answer({ kind: 'clear', x: place.x + found.x * place.sx, y: place.y + found.y * place.sy, box: boxOf(element, chain), label: element !== target });
    }
  };
  return run();
}
