// Runs in the isolated world of a document, before the page's own scripts where it can: a frame of a granted origin that greets is
// welcomed with a port. Only built-ins of this world are called, so nothing that the page replaced; what a frame says is compared
// and handed on as text, never followed.
(function greet(granted) {
  const KEY = Symbol.for('uiap.greetings');
  // A frame of another origin in the page's process gets this script too: it is not the page, and nobody asks it.
  try { void top.document; } catch { return; }
  if (globalThis[KEY]) { globalThis[KEY].grant(granted); return; }

  const VERSION = '0.1';
  const MOST_FRAMES = 100;
  let origins = new Set(granted);
  let last = 0;
  /** Window of a frame → its greeting. */
  const greeted = new Map();
  /** Told of every greeting, by those who wait for one. */
  const waiters = new Set();

  const end = (source, one) => {
    if (greeted.get(source) === one) greeted.delete(source);
    one.port.close();
    for (const { done } of [...one.asked.values()]) done('uiap:left');
  };

  const textOf = (value, most) => {
    try {
      const text = JSON.stringify(value);
      if (text?.[0] !== '{') return 'uiap:wrong';
      return text.length > most ? 'uiap:large' : text;
    } catch {
      return 'uiap:wrong';
    }
  };

  const welcome = (source, origin, nonce) => {
    const former = greeted.get(source);
    if (former) end(source, former);
    for (const [frame, one] of [...greeted]) if (frame.parent !== window) end(frame, one);
    if (greeted.size >= MOST_FRAMES) return;
    const { port1: port, port2 } = new MessageChannel();
    const one = { origin, port, serial: ++last, asked: new Map() };
    port.onmessage = ({ data }) => {
      const asked = typeof data === 'object' && data !== null ? one.asked.get(data.id) : undefined;
      if (asked) asked.done(data.type === asked.type ? textOf(data[asked.member], asked.most) : 'uiap:wrong');
    };
    greeted.set(source, one);
    source.postMessage({ uiapFrame: VERSION, type: 'welcome', nonce }, { targetOrigin: origin, transfer: [port2] });
    for (const tell of [...waiters]) tell(source, one);
  };

  addEventListener('message', (event) => {
    const { isTrusted, origin, source } = event;
    // A page can dispatch events of its own making. The data is read last: nobody else's costs anything.
    if (!isTrusted || !origins.has(origin) || !source || source === window || source.parent !== window) return;
    const { data } = event;
    if (typeof data !== 'object' || data === null || data.uiapFrame !== VERSION || data.type !== 'hello' || data.origin !== origin) return;
    const { nonce } = data;
    if (typeof nonce === 'string' && nonce.length >= 8 && nonce.length <= 128) welcome(source, origin, nonce);
  }, true);

  /** The greeting of a frame, waited for when there is none yet. */
  const greeting = (source, origin, patience) => {
    const present = greeted.get(source);
    if (present?.origin === origin) return present;
    if (patience <= 0) return null;
    return new Promise((resolve) => {
      const done = (one) => { clearTimeout(timer); waiters.delete(hear); resolve(one); };
      const hear = (from, one) => { if (from === source && one.origin === origin) done(one); };
      const timer = setTimeout(done, patience, null);
      waiters.add(hear);
    });
  };

  const exchange = (source, one, { message, type, member, most, patience }) => new Promise((resolve) => {
    const id = `ask_${++last}`;
    const done = (text) => { clearTimeout(timer); one.asked.delete(id); resolve(text); };
    const timer = setTimeout(() => {
      done('uiap:silent');
      if (type !== 'snapshot') return;
      // It would hold up every look at the page. It is told, and may greet anew.
      one.port.postMessage({ type: 'close' });
      end(source, one);
    }, patience);
    one.asked.set(id, { type, member, most, done });
    one.port.postMessage({ ...message, id });
  });

  globalThis[KEY] = {
    grant(more) {
      origins = new Set(more);
      for (const [source, one] of [...greeted]) if (!origins.has(one.origin)) end(source, one);
    },
    /** Asks the frame of a window; answers with the number of its greeting and the text of its answer, or a word that says why not. */
    async ask(source, question) {
      const former = greeted.get(source);
      if (former && former.serial === question.left) end(source, former);
      const one = await greeting(source, question.origin, question.hello);
      if (!one || (question.serial !== null && question.serial !== one.serial)) return 'uiap:none';
      const text = await exchange(source, one, question);
      return text[0] === '{' ? `${one.serial}\n${text}` : text;
    },
  };
})
