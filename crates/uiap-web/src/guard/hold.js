// Runs in every document before its own scripts. Holds back what leaves a page beside the network: messages through sockets and
// to workers, and farewells. Keeps from a page that the network held something back: no answer comes, as from a slow server. What it does is switched by events whose name nobody in the page knows; it leaves no name behind.
((NAME, BINDING, HELD) => {
  const tell = globalThis[BINDING];
  if (!tell) return;
  delete globalThis[BINDING];
  const { apply, construct } = Reflect;
  const { parse, stringify } = JSON;
  const KEYS = new Set(['type', 'action', 'method', 'op', 'operation', 'event', 'command', 'cmd', 'kind', 'name', 'msg']);
  const VERB = /(?:^|[^a-z])(delete|remove|destroy|create|insert|update|upsert|save|patch|publish|send|submit|pay|invite|upload|archive|rename|logout)(?:[^a-z]|$)/i;
  // `free`: nobody acts. `acting`: messages that write are held. `sealed`: nothing leaves.
  let mode = 'free';
  // Whether anybody ever acted here: what is said later may be said because of it.
  let touched = false;
  const own = new Set();

  const words = (value, depth, found) => {
    if (depth > 3 || value === null || typeof value !== 'object') return found;
    for (const [key, each] of Object.entries(value)) {
      if (typeof each === 'object') words(each, depth + 1, found);
      else if (typeof each !== 'string') continue;
      else if (key === 'query' && /^\s*mutation\b/.test(each)) found.push('delete mutation');
      else if (each.length <= 64 && (Array.isArray(value) || KEYS.has(key))) found.push(each);
    }
    return found;
  };
  /** What a message does, in a word that writes; nothing for all others. */
  const verb = (data) => {
    if (typeof data !== 'string' || data.length > 1e6) return null;
    let value = null;
    try { value = parse(data.replace(/^\d+(?=[[{])/, '')); } catch { return null; }
    const word = words(value, 0, []).map((each) => each.replace(/([a-z])([A-Z])/g, '$1 $2')).find((each) => VERB.test(each));
    return word ?? null;
  };
  const holds = (what, address, data, always) => {
    if (mode === 'sealed') { tell(stringify([what, address])); return true; }
    const found = always ? null : verb(data);
    if (found === null) return false;
    if (mode === 'free' && !touched) { own.add(found); return false; }
    if (own.has(found)) return false;
    tell(stringify([what, address]));
    return true;
  };
  const replace = (holder, name, make) => {
    const property = Object.getOwnPropertyDescriptor(holder ?? {}, name);
    if (property?.value) Object.defineProperty(holder, name, { ...property, value: make(property.value) });
  };
  /** A method that says nothing while it is held. */
  const method = (type, name, judge) => replace(globalThis[type]?.prototype, name, (native) => ({
    [name](...values) { return judge(this, values[0]) ? undefined : apply(native, this, values); },
  })[name]);

  method('WebSocket', 'send', (socket, data) => holds('SOCKET', socket.url, data, false));
  method('RTCDataChannel', 'send', (channel, data) => holds('CHANNEL', channel.label, data, false));
  method('Worker', 'postMessage', () => holds('WORKER', 'worker', null, true));
  method('ServiceWorker', 'postMessage', (worker) => holds('WORKER', worker.scriptURL, null, true));
  method('BroadcastChannel', 'postMessage', (channel) => holds('CHANNEL', channel.name, null, true));
  const ports = new WeakSet();
  method('MessagePort', 'postMessage', (port) => ports.has(port) && holds('WORKER', 'shared worker', null, true));
  const started = (made) => { if (made.port) ports.add(made.port); return made; };
  for (const type of ['WebSocket', 'WebTransport', 'EventSource', 'Worker', 'SharedWorker']) {
    replace(globalThis, type, (native) => new Proxy(native, {
      construct(target, values, made) {
        if (mode === 'sealed') {
          tell(stringify([type.toUpperCase(), String(values[0])]));
          throw new DOMException(`${type} is not available`, 'SecurityError');
        }
        return started(construct(target, values, made));
      },
    }));
  }

  // A request that leaves with its page is seen by nobody any more: whoever has been acted on takes no leave, and puts nothing off
  // until then.
  const LEAVING = ['pagehide', 'unload', 'visibilitychange', 'freeze'];
  const leave = (event) => {
    const stays = event.type === 'visibilitychange' && document.visibilityState === 'visible';
    if (touched && !stays) event.stopImmediatePropagation();
  };
  for (const type of LEAVING) addEventListener(type, leave, { capture: true });
  replace(globalThis, 'fetchLater', (native) => ({
    fetchLater(...values) {
      if (!touched) return apply(native, this, values);
      tell(stringify(['LATER', String(values[0]?.url ?? values[0])]));
      return { activated: false };
    },
  }).fetchLater);

  // A page that learned that its write failed would say so, and try again: what it shows then nobody else would ever see.
  const { then } = Promise.prototype;
  const { get } = Object.getOwnPropertyDescriptor(Response.prototype, 'headers');
  const { has } = Headers.prototype;
  const { addEventListener: listen } = EventTarget.prototype;
  const silence = (signal) => new Promise((_, refuse) => {
    const end = () => refuse(signal.reason);
    if (signal?.aborted) end();
    else if (signal) apply(listen, signal, ['abort', end]);
  });
  replace(globalThis, 'fetch', (native) => ({
    fetch(...values) {
      const signal = values[1]?.signal ?? values[0]?.signal;
      const settle = (answer) => (apply(has, apply(get, answer, []), [HELD]) ? silence(signal) : answer);
      return apply(then, apply(native, this, values), [settle]);
    },
  }).fetch);
  const { getResponseHeader } = XMLHttpRequest.prototype;
  const hush = (request) => (event) => {
    if (request.readyState > 1 && apply(getResponseHeader, request, [HELD]) !== null) event.stopImmediatePropagation();
  };
  replace(globalThis, 'XMLHttpRequest', (native) => new Proxy(native, {
    construct(target, values, made) {
      const request = construct(target, values, made);
      const quiet = hush(request);
      for (const type of ['readystatechange', 'progress', 'load', 'loadend']) {
        apply(listen, request, [type, quiet, true]);
        if (type !== 'readystatechange') apply(listen, request.upload, [type, quiet, true]);
      }
      return request;
    },
  }));

  // What is kept for later may be sent when the page is loaded again.
  const keeps = (type, names) => {
    for (const name of names) method(type, name, () => { if (touched) tell(stringify(['KEPT', type])); return false; });
  };
  keeps('IDBObjectStore', ['add', 'put', 'delete', 'clear']);
  keeps('IDBCursor', ['update', 'delete']);
  keeps('Cache', ['add', 'addAll', 'put', 'delete']);
  keeps('FileSystemFileHandle', ['createWritable', 'createSyncAccessHandle']);

  const pass = (step) => {
    for (let at = 0; at < frames.length; at += 1) {
      try { frames[at].document.dispatchEvent(new CustomEvent(`${NAME}:${step}`)); } catch { /* another origin */ }
    }
  };
  for (const step of ['free', 'acting', 'sealed']) {
    document.addEventListener(`${NAME}:${step}`, (event) => {
      event.preventDefault();
      // What is sealed stays so.
      if (mode !== 'sealed') mode = step;
      touched ||= step !== 'free';
      pass(mode);
    });
  }
  document.addEventListener(`${NAME}:asked`, () => pass(mode));
  // A frame that comes later is told where its page stands.
  if (parent !== globalThis) {
    try { parent.document.dispatchEvent(new CustomEvent(`${NAME}:asked`)); } catch { /* another origin */ }
  }
})
