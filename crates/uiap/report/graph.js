// The map: states in columns by the number of steps from a starting point, ways between them as curves.
const WIDE = 168, HIGH = 44, GAP_X = 96, GAP_Y = 14;

function svg(tag, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Steps from a starting point; what cannot be reached goes last. */
function depths(states, edges) {
  const next = new Map(states.map((state) => [state.id, []]));
  for (const edge of edges) if (edge.f !== edge.t) next.get(edge.f)?.push(edge.t);
  const depth = new Map();
  const starts = states.filter((state) => state.seed);
  let front = (starts.length ? starts : states.slice(0, 1)).map((state) => state.id);
  for (const id of front) depth.set(id, 0);
  for (let level = 1; front.length; level++) {
    const found = [];
    for (const id of front) for (const to of next.get(id) || []) if (next.has(to) && !depth.has(to)) { depth.set(to, level); found.push(to); }
    front = found;
  }
  const last = Math.max(0, ...depth.values());
  for (const state of states) if (!depth.has(state.id)) depth.set(state.id, last + 1);
  return depth;
}

/** Places every state: columns by depth, within a column near to what leads there; long columns are folded. */
function layout(states, edges) {
  const depth = depths(states, edges);
  const columns = [];
  for (const state of states) (columns[depth.get(state.id)] ||= []).push(state);
  const rank = new Map();
  const by = new Map(states.map((state) => [state.id, []]));
  for (const edge of edges) if (edge.f !== edge.t) { by.get(edge.f)?.push(edge.t); by.get(edge.t)?.push(edge.f); }
  for (const column of columns) column?.sort((a, b) => (a.route < b.route ? -1 : a.route > b.route ? 1 : a.id < b.id ? -1 : 1)).forEach((state, at) => rank.set(state.id, at / column.length));
  for (let sweep = 0; sweep < 6; sweep++) {
    for (const column of columns) {
      if (!column) continue;
      const weight = new Map(column.map((state) => {
        const near = by.get(state.id).filter((id) => depth.get(id) !== depth.get(state.id));
        const mean = near.length ? near.reduce((sum, id) => sum + rank.get(id), 0) / near.length : rank.get(state.id);
        return [state.id, mean];
      }));
      column.sort((a, b) => weight.get(a.id) - weight.get(b.id) || (a.id < b.id ? -1 : 1));
      column.forEach((state, at) => rank.set(state.id, at / column.length));
    }
  }
  const tall = Math.max(9, Math.round(Math.sqrt(states.length) * 0.85));
  const places = new Map(), heads = [];
  let x = 0;
  columns.forEach((column, level) => {
    if (!column) return;
    const folds = Math.ceil(column.length / tall), each = Math.ceil(column.length / folds);
    heads.push({ x, label: level === 0 ? 'Start' : level === 1 ? '1 step' : `${level} steps` });
    column.forEach((state, at) => {
      const fold = Math.floor(at / each), row = at % each, rows = Math.min(each, column.length - fold * each);
      places.set(state.id, { x: x + fold * (WIDE + 26), y: (row - (rows - 1) / 2) * (HIGH + GAP_Y) });
    });
    x += folds * (WIDE + 26) - 26 + GAP_X;
  });
  return { places, heads };
}

const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** Draws the map into a box. `choose` is told which state was clicked. */
function drawMap(box, states, edges, choose) {
  const { places, heads } = layout(states, edges);
  const root = svg('g'), lines = svg('g'), nodes = svg('g');
  const canvas = svg('svg', { role: 'img', 'aria-label': `Map of ${states.length} states and ${edges.length} ways between them` }, root);
  root.append(lines, nodes);
  const drawn = new Map(), paths = [];
  const joined = new Map();
  for (const edge of edges) {
    if (edge.f === edge.t || !places.has(edge.f) || !places.has(edge.t)) continue;
    const key = `${edge.f} ${edge.t}`;
    if (joined.has(key)) continue;
    joined.set(key, edge);
    const a = places.get(edge.f), b = places.get(edge.t), forward = b.x > a.x;
    const x1 = forward ? a.x + WIDE : a.x, x2 = forward ? b.x : b.x + WIDE, y1 = a.y, y2 = b.y, bend = Math.max(40, Math.abs(x2 - x1) / 2.2);
    const sign = forward ? 1 : -1;
    const line = svg('path', { class: forward ? 'edge' : a.x === b.x ? 'edge back near' : 'edge back', d: `M${x1} ${y1}C${x1 + sign * bend} ${y1} ${x2 - sign * bend} ${y2} ${x2} ${y2}` });
    lines.append(line);
    paths.push({ line, f: edge.f, t: edge.t });
  }
  let top = 0;
  for (const state of states) {
    const at = places.get(state.id);
    top = Math.min(top, at.y);
    const title = svg('text', { x: 14, y: -3, class: 't' }), sub = svg('text', { x: 14, y: 13, class: 's' });
    title.textContent = cut(state.head, 21);
    sub.textContent = cut(state.head === state.label ? state.path || state.route : `in ${state.under}`, 27);
    const tip = svg('title');
    tip.textContent = `${state.label}\n${state.path || ''}`;
    const node = svg('g', { class: state.modals.length ? 'node modal' : 'node', transform: `translate(${at.x} ${at.y})`, tabindex: 0, role: 'button', 'aria-label': state.label, 'data-state': state.id },
      svg('rect', { x: 0, y: -HIGH / 2, width: WIDE, height: HIGH, rx: 10 }), svg('rect', { x: 5, y: -HIGH / 2 + 9, width: 3, height: HIGH - 18, rx: 1.5, style: `fill:hsl(${state.hue} 62% 55%);stroke:none` }), title, sub, tip);
    node.addEventListener('click', () => pick(state.id));
    node.addEventListener('keydown', (event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); pick(state.id); } });
    nodes.append(node);
    drawn.set(state.id, node);
  }
  for (const head of heads) {
    const text = svg('text', { x: head.x, y: top - HIGH, class: 'col' });
    text.textContent = head.label;
    root.append(text);
  }
  box.prepend(canvas);
  const all = [...places.values()];
  const bounds = { x: Math.min(...all.map((p) => p.x)) - 30, y: top - HIGH - 70, r: Math.max(...all.map((p) => p.x)) + WIDE + 30, b: Math.max(...all.map((p) => p.y)) + HIGH };
  const view = { x: 0, y: 0, k: 1 };
  const place = () => root.setAttribute('transform', `translate(${view.x} ${view.y}) scale(${view.k})`);
  function fit() {
    const width = box.clientWidth || 800, height = box.clientHeight || 500;
    const whole = Math.min(width / (bounds.r - bounds.x), height / (bounds.b - bounds.y));
    // Names stay readable: what does not fit is reached by moving.
    view.k = Math.min(1.15, Math.max(whole, width < 600 ? 0.62 : 0.55));
    const fits = (bounds.r - bounds.x) * view.k <= width;
    view.x = fits ? (width - (bounds.r - bounds.x) * view.k) / 2 - bounds.x * view.k : 12 - bounds.x * view.k;
    view.y = height / 2 - ((bounds.y + bounds.b) / 2) * view.k;
    place();
  }
  function zoom(by, cx = box.clientWidth / 2, cy = box.clientHeight / 2) {
    const k = Math.min(3, Math.max(0.06, view.k * by));
    view.x = cx - ((cx - view.x) / view.k) * k;
    view.y = cy - ((cy - view.y) / view.k) * k;
    view.k = k;
    place();
  }
  function pick(id) {
    for (const [each, node] of drawn) node.classList.toggle('on', each === id);
    for (const path of paths) path.line.classList.toggle('on', path.f === id || path.t === id);
    choose(id);
  }
  function seek(text) {
    const wanted = text.trim().toLowerCase();
    let first = null;
    for (const state of states) {
      const hit = !wanted || state.text.includes(wanted);
      drawn.get(state.id).classList.toggle('dim', !hit);
      if (hit && wanted && !first) first = state.id;
    }
    for (const path of paths) path.line.classList.toggle('dim', Boolean(wanted));
    if (first) show(first);
  }
  function show(id) {
    const at = places.get(id);
    if (!at) return;
    view.k = Math.max(view.k, 0.7);
    view.x = box.clientWidth / 2 - (at.x + WIDE / 2) * view.k;
    view.y = box.clientHeight / 2 - at.y * view.k;
    place();
  }
  canvas.addEventListener('wheel', (event) => { event.preventDefault(); const area = canvas.getBoundingClientRect(); zoom(Math.exp(-event.deltaY * 0.0016), event.clientX - area.left, event.clientY - area.top); }, { passive: false });
  const held = new Map();
  let span = 0;
  canvas.addEventListener('pointerdown', (event) => { held.set(event.pointerId, event); canvas.classList.add('held'); });
  window.addEventListener('pointermove', (event) => {
    const before = held.get(event.pointerId);
    if (!before) return;
    held.set(event.pointerId, event);
    if (held.size === 1) { view.x += event.clientX - before.clientX; view.y += event.clientY - before.clientY; place(); return; }
    const [a, b] = [...held.values()], now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY), area = canvas.getBoundingClientRect();
    if (span) zoom(now / span, (a.clientX + b.clientX) / 2 - area.left, (a.clientY + b.clientY) / 2 - area.top);
    span = now;
  });
  const drop = (event) => { held.delete(event.pointerId); span = 0; if (!held.size) canvas.classList.remove('held'); };
  window.addEventListener('pointerup', drop);
  window.addEventListener('pointercancel', drop);
  fit();
  return { fit, zoom, pick, seek, show };
}
