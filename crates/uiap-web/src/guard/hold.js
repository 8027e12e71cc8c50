// Runs in every document before its own scripts. Holds back what leaves a page beside the network: messages through sockets and
// to workers, and farewells. Keeps from a page that the network held something back: no answer comes, as from a slow server. What it does is switched by events whose name nobody in the page knows; it leaves no name behind.
((NAME, BINDING, HELD) => {
  const tell = globalThis[BINDING];
  if (!tell) return;
  delete globalThis[BINDING];
  const { apply, construct } = Reflect;
  const { parse, stringify } = JSON;
  // `free`: nobody acts. `acting`: messages that write are held. `sealed`: nothing leaves.
  let mode = 'free';
  // Whether anybody ever acted here: what is said later may be said because of it.
  let touched = false;
  // What was said before that, and what stays the same of it when it is said again.
  const own = new Set();

  const WRITES = /^(delete|remove|destroy|create|insert|update|upsert|save|patch|publish|send|submit|pay|invite|upload|archive|rename|logout|set|add|write|call|execute|run|toggle|mutation)$/;
  const ASKS = /^(ping|pong|heartbeat|hb|keepalive|subscribe|unsubscribe|sub|unsub|join|leave|get|list|query|search|fetch|find|read|load|watch|observe|count|subscription|hello|connect|stomp|ack|init|complete)$/;
  const NAMED = /^(type|action|method|op|operation|event|command|cmd|kind|name|msg|target|service)$/i;
  const parsed = (text) => { try { return parse(text); } catch { return undefined; } };
  const isPlain = (value) => value !== null && typeof value === 'object';
  /** A message without what frames it: numbers of a protocol, a room, a sign of the end. Text within text is looked into. */
  const opened = (data) => {
    const bare = data.replace(/\x1e$/, '').replace(/^\d+(?:\/[^,[{]*,)?\d*(?=[[{"]|$)/, '');
    const value = parsed(bare);
    return isPlain(value) ? value : bare;
  };
  const inner = (text) => (/^[[{]/.test(text) ? parsed(text) ?? text : text);
  /** What stays the same when something is said again: names, short texts, yes and no; numbers do not. */
  const skeleton = (value, depth) => {
    if (typeof value === 'string') {
      const within = depth < 4 ? inner(value) : value;
      if (isPlain(within)) return skeleton(within, depth + 1);
      return value.length > 64 ? 's' : value.replace(/[0-9a-f]{8,}|\d+/gi, '0');
    }
    if (!isPlain(value)) return typeof value === 'number' ? 0 : value;
    if (depth > 5) return 'o';
    if (Array.isArray(value)) return value.slice(0, 20).map((each) => skeleton(each, depth + 1));
    return Object.keys(value).sort().slice(0, 50).map((key) => [key, skeleton(value[key], depth + 1)]);
  };
  /** The words that say what a message is for. */
  const named = (value, depth, found) => {
    if (depth > 4 || !isPlain(value)) return found;
    for (const [key, each] of Object.entries(value).slice(0, 50)) {
      const within = typeof each === 'string' ? inner(each) : each;
      if (isPlain(within)) named(within, depth + 1, found);
      else if (typeof within !== 'string') continue;
      else if (key === 'query') found.push(/^\s*(?:\w+|\{)/.exec(within)?.[0].replace('{', 'query') ?? '');
      else if (within.length <= 64 && (Array.isArray(value) ? depth === 0 : NAMED.test(key))) found.push(within);
    }
    return found;
  };
  const split = (text) => text.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase().split(/[^a-z]+/).filter(Boolean);
  /** Whether a message only asks, or keeps a line open. */
  const asks = (value) => {
    if (value === '' || (!Array.isArray(value) && value.type === 6 && Object.keys(value).length === 1)) return true;
    const texts = typeof value === 'string' ? [value.split(/[\s:]/, 1)[0]] : named(value, 0, []);
    const all = texts.map(split).filter((words) => words.length);
    if (all.flat().some((word) => WRITES.test(word))) return false;
    return all.some((words) => ASKS.test(words[0]) || ASKS.test(words.at(-1)) || /^live (patch|redirect)$/.test(words.join(' ')));
  };
  const beginning = (data) => new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, Math.min(4, data.byteLength));
  /** What is known of a message: whether it asks, and what it is like. */
  const judged = (data) => {
    if (typeof data === 'string') {
      if (data.length > 1e6) return { asks: false, like: null };
      const value = opened(data);
      return { asks: asks(value), like: stringify(skeleton(value, 0)) };
    }
    if (data instanceof Blob) return { asks: false, like: `blob ${data.size}` };
    try { return { asks: false, like: `bytes ${data.byteLength} ${beginning(data)}` }; } catch { return { asks: false, like: null }; }
  };
  const holds = (what, address, data, always) => {
    if (mode === 'sealed') { tell(stringify([what, address])); return true; }
    if (always) return false;
    const { asks: isQuestion, like } = judged(data);
    if (mode === 'free' && !touched) { own.add(like); return false; }
    if (isQuestion || (like !== null && own.has(like))) return false;
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
  // Workers that outlive a page send what nobody sees: there are none, as in a browser that does not know them.
  delete globalThis.SharedWorker;
  replace(globalThis.ServiceWorkerContainer?.prototype, 'register', () => ({
    register() { return Promise.reject(new DOMException('Workers are not available', 'SecurityError')); },
  }).register);
  // So do streams of the newest kind, which nobody can look into.
  delete globalThis.WebTransport;
  for (const type of ['WebSocket', 'EventSource', 'Worker']) {
    replace(globalThis, type, (native) => new Proxy(native, {
      construct(target, values, made) {
        if (mode === 'sealed') {
          tell(stringify([type.toUpperCase(), String(values[0])]));
          throw new DOMException(`${type} is not available`, 'SecurityError');
        }
        return construct(target, values, made);
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

  // A window of its own would be looked at by nobody: what would open there opens here.
  const stay = (element) => {
    if (!(element instanceof HTMLAnchorElement || element instanceof HTMLAreaElement || element instanceof HTMLFormElement)) return;
    const target = element.getAttribute('target') || element.ownerDocument.querySelector('base[target]')?.getAttribute('target') || '';
    const known = ['', '_self', '_top', '_parent'].includes(target.toLowerCase()) || [...document.querySelectorAll('iframe, frame')].some((frame) => frame.name === target);
    if (!known) element.setAttribute('target', '_self');
  };
  addEventListener('click', (event) => {
    for (const element of event.composedPath()) {
      stay(element);
      if (element.form) stay(element.form);
      if (element.form && element.hasAttribute?.('formtarget')) element.setAttribute('formtarget', '_self');
    }
  }, { capture: true });
  addEventListener('submit', (event) => stay(event.target), { capture: true });
  const staying = (type, name) => replace(globalThis[type].prototype, name, (native) => ({
    [name](...values) { stay(this); return apply(native, this, values); },
  })[name]);
  staying('HTMLElement', 'click');
  staying('HTMLFormElement', 'submit');
  staying('HTMLFormElement', 'requestSubmit');

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
      // What outlives its page would be taken for something that the next page sends by itself.
      if (touched && values[1]?.keepalive) values[1] = { ...values[1], keepalive: false };
      else if (touched && values[0]?.keepalive) values[0] = new Request(values[0], { keepalive: false });
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
  // A frame that comes later is told where its page stands, and whether anybody acted there.
  document.addEventListener(`${NAME}:asked`, () => { if (touched) pass('acting'); pass(mode); });
  if (parent !== globalThis) {
    try { parent.document.dispatchEvent(new CustomEvent(`${NAME}:asked`)); } catch { /* another origin */ }
  }
})
