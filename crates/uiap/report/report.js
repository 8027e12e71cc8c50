'use strict';
// Everything that comes from the app is set as text, never as markup.
const DATA = JSON.parse(document.getElementById('data').textContent);
const $ = (id) => document.getElementById(id);

function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ''));
  return made;
}

const hue = (text) => { let sum = 7; for (const letter of text) sum = (sum * 31 + letter.codePointAt(0)) % 3600; return Math.round(sum / 10); };
const plural = (count, one, many) => `${count.toLocaleString('en')} ${count === 1 ? one : many || `${one}s`}`;
const lower = (...parts) => parts.flat().filter(Boolean).join(' ').toLowerCase();
const words = (id) => id.replace(/_/g, ' ');

const states = DATA.states;
for (const state of states) {
  state.hue = hue(state.route || '');
  state.text = lower(state.label, state.route, state.path, state.modals, state.boxes.map((box) => box.n));
}
const byId = new Map(states.map((state) => [state.id, state]));
const byRoute = new Map();
for (const state of states) { const list = byRoute.get(state.route) || []; list.push(state); byRoute.set(state.route, list); }

const SECTIONS = [
  ['overview', 'Overview'], ['map', 'Map', states.length], ['places', 'Places', DATA.routes.length], ['states', 'States', states.length], ['controls', 'Controls', DATA.elements.length],
  ['actions', 'Actions', DATA.actions.length], ['tasks', 'Tasks', DATA.workflows.length], ['areas', 'Areas', DATA.scopes.length], ['review', 'To review', DATA.review.length], ['safety', 'Safety log', DATA.decided],
];

const SURE = { high: ['good', 'sure'], medium: ['blue', 'fairly sure'], low: ['warn', 'a guess'] };
const sure = (level) => el('span', { class: `pill ${SURE[level][0]}`, title: 'How well this is supported by what was seen' }, SURE[level][1]);
const RISK = { safe: 'good', confirm: 'warn', blocked: 'bad' };
const risk = (value) => (value ? el('span', { class: `pill ${RISK[value.level] || ''}`, title: value.reason || '' }, value.level === 'blocked' ? 'not by an agent' : value.level === 'confirm' ? 'ask first' : 'safe') : '');
const stateLink = (id) => { const state = byId.get(id); return state ? el('a', { href: `#/state/${id}` }, state.label) : el('span', {}, id); };
const placeLink = (id) => el('a', { href: `#/places/${encodeURIComponent(id)}` }, id);

function picture(state) {
  const box = el('div', { class: 'pic' });
  if (state.shot) box.append(el('img', { src: state.shot, alt: '', loading: 'lazy' }));
  else box.append(wire(state));
  return box;
}

/** Where there is no picture: the controls as boxes. */
function wire(state) {
  const made = el('div', { class: 'wire' }), high = state.w * 0.625;
  for (const box of state.boxes.slice(0, 120)) {
    if (box.y > high) continue;
    made.append(el('i', { style: `left:${(box.x / state.w) * 100}%;top:${(box.y / high) * 100}%;width:${(box.w / state.w) * 100}%;height:${(box.h / high) * 100}%` }));
  }
  return made;
}

const shot = (state) => el('a', { class: 'shot', href: `#/state/${state.id}` }, picture(state), el('div', { class: 'cap' }, state.label), el('div', { class: 'sub' }, state.modals.length ? `${state.path} · ${state.modals.at(-1)}` : state.path));

/** Words between backticks are set as code. */
const prose = (text) => text.split('`').map((part, at) => (at % 2 ? el('code', {}, part) : part));

const SEVERITY = { high: ['bad', 'important'], medium: ['warn', 'worth a look'], low: ['', 'minor'] };
function reviewItem(item) {
  return el('div', { class: `item ${item.severity}` }, el('i', {}), el('div', {},
    el('p', {}, prose(item.description)), item.remediation ? el('p', { class: 'fix' }, prose(item.remediation)) : '',
    el('div', { class: 'row' }, el('span', { class: `pill ${SEVERITY[item.severity][0]}` }, SEVERITY[item.severity][1]), el('span', { class: 'pill' }, words(item.kind)),
      item.route ? placeLink(item.route) : '', ...item.states.slice(0, 3).map((id) => stateLink(id)))));
}

function table(heads, rows) {
  return el('div', { class: 'scroll' }, el('table', {}, el('thead', {}, el('tr', {}, heads.map((head) => el('th', { scope: 'col' }, head)))), el('tbody', {}, rows)));
}

/** A list with a search field and a choice; shows more when asked. */
function catalogue(title, lead, items, filters, draw, heads, query = '') {
  const body = el('div', { class: 'panel' }), count = el('p', { class: 'hint', role: 'status' });
  const seek = el('input', { type: 'search', placeholder: 'Search here', 'aria-label': `Search in ${title}`, value: query });
  const choices = filters.map(([label, of]) => el('select', { 'aria-label': label }, el('option', { value: '' }, label), [...new Set(items.flatMap(of))].filter(Boolean).sort().map((value) => el('option', { value }, words(value)))));
  let most = 200;
  function show() {
    const wanted = seek.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const hits = items.filter((item) => wanted.every((word) => item.text.includes(word)) && choices.every((choice, at) => !choice.value || filters[at][1](item).includes(choice.value)));
    count.textContent = `${hits.length.toLocaleString('en')} of ${items.length.toLocaleString('en')}`;
    const shown = hits.slice(0, most).map(draw);
    const list = hits.length === 0 ? el('p', { class: 'empty' }, items.length ? 'Nothing fits. Try fewer words.' : 'Nothing of this kind was found.') : heads ? table(heads, shown) : el('div', { class: draw === shot ? 'shots' : 'list' }, shown);
    body.replaceChildren(count, list, hits.length > most ? el('div', { class: 'row', style: 'margin-top:16px' }, el('button', { class: 'btn', onclick: () => { most += 500; show(); } }, `Show more (${hits.length - most})`)) : '');
  }
  for (const input of [seek, ...choices]) input.addEventListener('input', () => { most = 200; show(); });
  show();
  return el('div', {}, el('h1', {}, title), el('p', { class: 'lead' }, lead), el('div', { class: 'tools' }, seek, choices), body);
}

function overview() {
  const { coverage, run } = DATA, grave = DATA.review.filter((item) => item.severity === 'high').length, sums = coverage.confidence, total = sums.high + sums.medium + sums.low || 1;
  const card = (href, number, label) => el('a', { class: 'card', href }, el('b', {}, number.toLocaleString('en')), el('span', {}, label));
  const first = states.filter((state) => state.base);
  return el('div', { class: 'stack' },
    el('div', {}, el('h1', {}, `What ${DATA.app} can do`), el('p', { class: 'lead' }, run.sentence),
      el('div', { class: 'row', style: 'margin-top:14px' }, el('span', { class: `pill ${run.status === 'completed' ? 'good' : 'warn'}` }, run.status), el('span', { class: 'pill' }, run.mode), el('span', { class: 'pill' }, run.when), run.took ? el('span', { class: 'pill' }, run.took) : '', run.profiles.length > 1 ? el('span', { class: 'pill blue' }, plural(run.profiles.length, 'profile')) : '', run.notes.map((note) => el('span', { class: 'pill warn' }, note)))),
    el('div', { class: 'cards' }, card('#/places', DATA.routes.length, 'places'), card('#/states', states.length, 'states'), card('#/controls', DATA.elements.length, 'controls'), card('#/actions', DATA.actions.length, 'actions'), card('#/tasks', DATA.workflows.length, 'tasks'), card('#/review', DATA.review.length, 'to review')),
    el('div', { class: 'two' },
      el('section', { class: 'panel' }, el('h2', {}, grave ? `${plural(grave, 'thing')} need${grave === 1 ? 's' : ''} you` : 'Nothing urgent'), el('p', { class: 'hint' }, 'The most important findings. Each says what would mend it.'),
        DATA.review.length ? el('div', { class: 'list' }, DATA.review.slice(0, 5).map(reviewItem)) : el('p', { class: 'empty' }, 'No doubts, no gaps.'),
        DATA.review.length > 5 ? el('p', { style: 'margin-top:12px' }, el('a', { href: '#/review' }, `All ${DATA.review.length} findings`)) : ''),
      el('div', { class: 'stack' },
        el('section', { class: 'panel' }, el('h2', {}, 'How sure this map is'), el('p', { class: 'hint' }, 'Declared by the app or seen again and again; seen once or told by several signs; only guessed.'),
          el('div', { class: 'bar' }, el('i', { class: 'h', style: `flex:${sums.high}` }), el('i', { class: 'm', style: `flex:${sums.medium}` }), el('i', { class: 'l', style: `flex:${sums.low}` })),
          el('div', { class: 'legend' }, [['good', 'sure', sums.high], ['accent', 'fairly sure', sums.medium], ['warn', 'a guess', sums.low]].map(([color, label, count]) => el('span', {}, el('i', { style: `background:var(--${color})` }), `${label} ${count} (${Math.round((count / total) * 100)} %)`)))),
        el('section', { class: 'panel' }, el('h2', {}, 'What was done'), el('p', { class: 'hint' }, 'Every action was weighed before it was carried out.'),
          el('dl', { class: 'kv' }, el('dt', {}, 'Starting points'), el('dd', {}, `${coverage.seedsVisited} of ${coverage.seedsTotal} visited`), el('dt', {}, 'Actions carried out'), el('dd', {}, DATA.edges.length.toLocaleString('en')), el('dt', {}, 'Weighed and left alone'), el('dd', {}, DATA.refused.toLocaleString('en')), el('dt', {}, 'Without visible effect'), el('dd', {}, coverage.unresolved.toLocaleString('en')), el('dt', {}, 'Closed to view'), el('dd', {}, plural(coverage.opaque, 'region')))))),
    el('section', { class: 'panel' }, el('h2', {}, 'The places'), el('p', { class: 'hint' }, 'One picture for each. Fields with secrets are masked.'), first.length ? el('div', { class: 'shots' }, first.slice(0, 12).map(shot)) : el('p', { class: 'empty' }, 'No page was seen.'), first.length > 12 ? el('p', { style: 'margin-top:14px' }, el('a', { href: '#/states' }, 'All states')) : ''));
}

function map() {
  const box = el('div', { class: 'panel map' });
  const seek = el('input', { class: 'seek', type: 'search', placeholder: 'Find a state or a control', 'aria-label': 'Find on the map' });
  const page = el('div', {}, el('h1', {}, 'Map'), el('p', { class: 'lead', style: 'margin-bottom:16px' }, 'Every state of the app and the ways between them. Drag to move, scroll to zoom, click a state to look at it. Dashed frames are dialogs.'), box);
  if (!states.length) { box.append(el('p', { class: 'empty' }, 'No state was seen.')); return page; }
  let peek = null;
  const drawn = [];
  const choose = (id) => {
    peek?.remove();
    const state = byId.get(id), out = DATA.edges.filter((edge) => edge.f === id && edge.t !== id);
    peek = el('div', { class: 'peek' }, el('button', { class: 'x', 'aria-label': 'Close', onclick: () => peek.remove() }, '×'), picture(state), el('h3', {}, el('a', { href: `#/state/${id}` }, state.label)), el('p', { class: 'sub mono' }, state.path),
      el('p', { class: 'hint', style: 'margin-top:8px' }, out.length ? `${plural(out.length, 'way')} from here` : 'No way leads on from here'), el('div', { class: 'list' }, out.slice(0, 12).map(way)));
    box.append(peek);
  };
  queueMicrotask(() => {
    const made = drawMap(box, states, DATA.edges, choose);
    drawn.push(made);
    const button = (label, text, act) => el('button', { class: 'btn', 'aria-label': label, title: label, onclick: act }, text);
    box.append(seek, el('div', { class: 'ctl' }, button('Zoom in', '+', () => made.zoom(1.3)), button('Zoom out', '−', () => made.zoom(1 / 1.3)), button('Show all', '⤢', made.fit)));
    seek.addEventListener('input', () => made.seek(seek.value));
  });
  return page;
}

const way = (edge) => el('div', { class: 'way' }, el('span', { title: edge.n }, edge.n), el('span', { class: 'to' }, '→'), edge.t === edge.f ? el('span', { class: 'sub' }, edge.u ? 'nothing to see' : 'stays here') : stateLink(edge.t));

function stateView(id) {
  const state = byId.get(id);
  if (!state) return el('p', { class: 'empty' }, 'There is no such state.');
  const stage = el('div', { class: state.shot ? 'stage' : 'stage bare' }), told = el('p', { class: 'hint', role: 'status' }, (state.boxes.length ? 'Point at a frame to see what it is.' : 'No positions were recorded.') + (state.file ? ` The picture found no room in this file; it lies beside it: ${state.file}` : ''));
  const high = Math.max(state.h, ...state.boxes.map((box) => box.y + box.h), 200);
  if (state.shot) stage.append(el('img', { src: state.shot, alt: `Picture of ${state.label}` }));
  else stage.style.aspectRatio = `${state.w} / ${Math.min(high, state.w * 1.4)}`;
  const tall = state.shot ? state.h : Math.min(high, state.w * 1.4);
  state.boxes.forEach((box) => {
    if (box.y + box.h > tall + 2) return;
    const mark = el('button', { class: `bx ${box.k || ''}`, title: `${box.r} ${box.n}`, 'aria-label': `${box.r} ${box.n}`, style: `left:${(box.x / state.w) * 100}%;top:${(box.y / tall) * 100}%;width:${(box.w / state.w) * 100}%;height:${(box.h / tall) * 100}%` }, state.shot ? '' : box.n);
    const tell = () => { told.textContent = `${box.r}${box.n ? ` “${box.n}”` : ' without a name'}`; };
    mark.addEventListener('pointerenter', tell);
    mark.addEventListener('focus', tell);
    stage.append(mark);
  });
  const out = DATA.edges.filter((edge) => edge.f === id), into = DATA.edges.filter((edge) => edge.t === id && edge.f !== id);
  const toggle = el('button', { class: 'btn', 'aria-pressed': 'true', onclick: () => { const off = stage.classList.toggle('plain'); toggle.setAttribute('aria-pressed', String(!off)); toggle.textContent = off ? 'Show frames' : 'Hide frames'; } }, 'Hide frames');
  return el('div', { class: 'stack' }, el('div', {}, el('p', { class: 'crumb' }, el('a', { href: '#/states' }, 'States'), ' / ', state.route ? placeLink(state.route) : ''), el('h1', {}, state.label), el('p', { class: 'lead mono' }, state.path),
    el('div', { class: 'row', style: 'margin-top:10px' }, sure(state.confidence), state.modals.map((modal) => el('span', { class: 'pill' }, `open: ${modal}`)), state.profiles.map((name) => el('span', { class: 'pill blue' }, name)), state.same ? el('span', { class: 'pill' }, `stands for ${state.same + 1} alike`) : '', state.held ? el('span', { class: 'pill' }, 'seen while it waited for an answer that was held back') : '')),
    el('div', { class: 'two' }, el('section', { class: 'panel' }, el('div', { class: 'row', style: 'justify-content:space-between;margin-bottom:10px' }, told, state.boxes.length ? toggle : ''), stage),
      el('div', { class: 'stack' }, el('section', { class: 'panel' }, el('h2', {}, 'From here'), el('p', { class: 'hint' }, out.length ? 'What was tried, and where it led.' : 'Nothing was tried here.'), el('div', { class: 'list' }, out.map(way))),
        el('section', { class: 'panel' }, el('h2', {}, 'How one gets here'), el('p', { class: 'hint' }, into.length ? '' : state.seed ? 'A starting point.' : 'No way was recorded.'), el('div', { class: 'list' }, into.slice(0, 20).map((edge) => el('div', { class: 'way' }, stateLink(edge.f), el('span', { class: 'to' }, '→'), el('span', { title: edge.n }, edge.n))))))));
}

function place(id) {
  const route = DATA.routes.find((each) => each.id === id);
  if (!route) return el('p', { class: 'empty' }, 'There is no such place.');
  const here = byRoute.get(id) || [], controls = DATA.elements.filter((each) => each.routes.includes(id)), findings = DATA.review.filter((item) => item.route === id);
  return el('div', { class: 'stack' }, el('div', {}, el('p', { class: 'crumb' }, el('a', { href: '#/places' }, 'Places')), el('h1', {}, id), el('p', { class: 'lead mono' }, route.urls.join('  ')), el('div', { class: 'row', style: 'margin-top:10px' }, sure(route.confidence), route.titles.map((title) => el('span', { class: 'pill' }, title)), route.profiles.map((name) => el('span', { class: 'pill blue' }, name)))),
    el('section', { class: 'panel' }, el('h2', {}, plural(here.length, 'state')), el('p', { class: 'hint' }, 'How this place can look.'), el('div', { class: 'shots' }, here.map(shot))),
    findings.length ? el('section', { class: 'panel' }, el('h2', {}, 'To review here'), el('div', { class: 'list', style: 'margin-top:10px' }, findings.map(reviewItem))) : '',
    el('section', { class: 'panel' }, el('h2', {}, plural(controls.length, 'control')), el('div', { style: 'margin-top:8px' }, table(CONTROL_HEADS, controls.slice(0, 300).map(controlRow)))));
}

const CONTROL_HEADS = ['Name', 'What it is', 'What can be done', 'Where', ''];
const controlRow = (item) => el('tr', {}, el('td', {}, el('div', {}, item.name || el('span', { class: 'pill warn' }, 'no name'), item.repeats ? el('span', { class: 'pill', style: 'margin-left:8px' }, 'in every entry') : ''), el('div', { class: 'sub mono', style: 'color:var(--faint)' }, item.key)), el('td', {}, item.role), el('td', {}, item.actions.map((id) => el('code', { style: 'display:block' }, id))), el('td', {}, item.routes.length > 3 ? plural(item.routes.length, 'place') : item.routes.map((id) => el('div', {}, placeLink(id)))), el('td', {}, el('div', { class: 'row' }, sure(item.confidence), risk(item.risk), item.classes.map((name) => el('span', { class: 'pill warn' }, name)))));

const kinds = (item) => [item.kind];
const PAGES = {
  overview, map,
  places: (query) => (query ? place(query) : catalogue('Places', 'Pages of the app. Addresses that show the same kind of page are one place.', DATA.routes, [], (item) => el('tr', { class: 'link', onclick: () => { location.hash = `#/places/${encodeURIComponent(item.id)}`; } }, el('td', {}, placeLink(item.id)), el('td', { class: 'mono' }, item.urls.join(' ')), el('td', {}, item.titles[0] || ''), el('td', { class: 'num' }, item.states), el('td', {}, sure(item.confidence))), ['Place', 'Address', 'Title', 'States', ''])),
  states: () => catalogue('States', 'Every distinct way in which the app was seen.', states, [['Any place', (item) => [item.route]]], shot, null),
  controls: (query) => catalogue('Controls', 'Everything that can be used, or that tells how the app stands.', DATA.elements, [['Any role', (item) => [item.role]], ['Any place', (item) => item.routes], ['Any certainty', (item) => [item.confidence]]], controlRow, CONTROL_HEADS, query),
  actions: () => catalogue('Actions', 'What an agent could do. Actions of the app itself, basic operations, and controls that look like an action.', DATA.actions, [['Any kind', kinds], ['Any effect', (item) => [item.effect]]], (item) => el('tr', {}, el('td', {}, el('code', {}, item.id), item.title ? el('div', { class: 'sub' }, item.title) : ''), el('td', {}, el('span', { class: 'pill' }, item.kind)), el('td', {}, item.effect ? words(item.effect) : ''), el('td', {}, item.signals.length ? item.signals.map((text) => el('code', { style: 'display:block' }, text)) : el('span', { class: 'sub' }, '–')), el('td', {}, el('div', { class: 'row' }, sure(item.confidence), risk(item.risk), item.unsafe ? el('span', { class: 'pill bad' }, 'left alone') : ''))), ['Action', 'Kind', 'Effect', 'Signs of success', '']),
  tasks: () => catalogue('Tasks', 'What people come here to do, guessed from forms and dialogs. None is approved before a person has looked at it.', DATA.workflows, [], (item) => el('div', {}, el('h3', {}, item.title), el('p', { class: 'sub mono' }, item.id), el('div', { class: 'row', style: 'margin:8px 0' }, sure(item.confidence), item.inputs.map((input) => el('span', { class: 'pill' }, input))), el('ol', { style: 'margin:6px 0 0;padding-left:20px' }, item.steps.map((step) => el('li', {}, step))), item.lacks.length ? el('p', { class: 'fix', style: 'color:var(--warn);margin-top:6px' }, `Lacks ${item.lacks.join(', ')}`) : ''), null),
  areas: () => catalogue('Areas', 'Forms, dialogs, menus, lists and other parts of pages that stand for themselves.', DATA.scopes, [['Any kind', kinds]], (item) => el('tr', {}, el('td', {}, item.name || '', el('div', { class: 'sub mono', style: 'color:var(--faint)' }, item.id)), el('td', {}, item.kind), el('td', {}, item.routes.length > 3 ? plural(item.routes.length, 'place') : item.routes.map((id) => el('div', {}, placeLink(id)))), el('td', {}, sure(item.confidence))), ['Area', 'Kind', 'Where', '']),
  review: () => catalogue('To review', 'Doubts, gaps and dangers, the most important first. Each says what would mend it.', DATA.review, [['Any importance', (item) => [item.severity]], ['Any kind', kinds]], reviewItem, null),
  safety: () => catalogue('Safety log', 'What was weighed before it was done, or left alone. The same decision in several states is one line.', DATA.decisions, [['Any decision', (item) => [item.effect]], ['Any reason', (item) => [item.reason]]], (item) => el('tr', {}, el('td', {}, el('span', { class: `pill ${item.effect === 'allow' ? 'good' : item.effect === 'deny' ? 'bad' : 'warn'}` }, item.effect)), el('td', {}, item.name || el('span', { class: 'sub' }, 'no name'), el('div', { class: 'sub' }, item.role)), el('td', {}, el('code', {}, item.action)), el('td', {}, prose(item.because)), el('td', {}, words(item.reason)), el('td', { class: 'num' }, item.count)), ['Decision', 'On', 'Action', 'Because', 'Reason', 'Times']),
  state: stateView,
  find: (query) => results(query),
};

function results(query) {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean), fits = (item) => wanted.every((word) => item.text.includes(word));
  const group = (title, items, draw, more) => { const hits = items.filter(fits); return hits.length ? el('section', { class: 'panel' }, el('h2', {}, `${title} (${hits.length})`), el('div', { class: 'list', style: 'margin-top:8px' }, hits.slice(0, 12).map(draw)), hits.length > 12 && more ? el('p', { style: 'margin-top:10px' }, el('a', { href: more }, 'All of them')) : '') : ''; };
  const found = [group('Places', DATA.routes, (item) => el('div', {}, placeLink(item.id), el('span', { class: 'sub mono' }, `  ${item.urls.join(' ')}`))), group('States', states, (item) => el('div', {}, stateLink(item.id), el('span', { class: 'sub mono' }, `  ${item.path}`)), '#/states'),
    group('Controls', DATA.elements, (item) => el('div', {}, item.name || item.key, el('span', { class: 'sub' }, `  ${item.role} · ${item.routes.slice(0, 3).join(', ')}`)), `#/controls/${encodeURIComponent(query)}`), group('Actions', DATA.actions, (item) => el('div', {}, el('code', {}, item.id)), '#/actions'), group('Tasks', DATA.workflows, (item) => el('div', {}, item.title)), group('To review', DATA.review, reviewItem, '#/review')].filter(Boolean);
  return el('div', { class: 'stack' }, el('h1', {}, `“${query}”`), found.length ? found : el('p', { class: 'empty' }, 'Nothing fits. Try fewer words.'));
}

function prepare() {
  for (const item of DATA.routes) item.text = lower(item.id, item.urls, item.titles);
  for (const item of DATA.elements) item.text = lower(item.name, item.key, item.role, item.routes, item.actions, item.classes);
  for (const item of DATA.actions) item.text = lower(item.id, item.title, item.kind, item.effect);
  for (const item of DATA.workflows) item.text = lower(item.id, item.title, item.inputs, item.steps);
  for (const item of DATA.scopes) item.text = lower(item.id, item.name, item.kind, item.routes);
  for (const item of DATA.review) item.text = lower(item.description, item.kind, item.severity, item.route, item.remediation);
  for (const item of DATA.decisions) item.text = lower(item.name, item.role, item.because, item.reason, item.effect, item.action);
  $('brand').textContent = DATA.app;
  const grave = DATA.review.some((item) => item.severity === 'high');
  $('side').append(...SECTIONS.map(([id, label, count]) => el('a', { href: `#/${id}`, 'data-id': id }, label, count === undefined ? '' : el('span', { class: id === 'review' && grave ? 'n hot' : 'n' }, count.toLocaleString('en')))), el('p', { class: 'fine' }, `Made by ${DATA.generator}. This file holds everything and loads nothing.`));
}

function go() {
  const [, name = 'overview', ...rest] = location.hash.split('/');
  let query = rest.join('/');
  try { query = decodeURIComponent(query); } catch { /* a hash that somebody typed */ }
  const draw = PAGES[name] || overview;
  $('main').replaceChildren(draw(query));
  for (const link of $('side').querySelectorAll('a')) link.toggleAttribute('aria-current', link.dataset.id === (name === 'state' ? 'states' : name || 'overview'));
  for (const link of $('side').querySelectorAll('[aria-current]')) link.setAttribute('aria-current', 'page');
  $('side').classList.remove('open');
  $('burger').setAttribute('aria-expanded', 'false');
  if (name !== 'find') { $('find').value = ''; window.scrollTo(0, 0); }
}

prepare();
$('burger').addEventListener('click', () => $('burger').setAttribute('aria-expanded', String($('side').classList.toggle('open'))));
$('find').addEventListener('input', () => { const text = $('find').value.trim(); location.replace(text ? `#/find/${encodeURIComponent(text)}` : '#/overview'); });
window.addEventListener('hashchange', go);
go();
