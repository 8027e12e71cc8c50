// Runs in the isolated world. Opens the window of an action: tells the page's own guard, and writes down what appears in regions that
// speak, each once. A message that comes as an element of its own is a toast; a region that was there and says something else is a
// status. That one has to wait is no message: whether it is shown at all depends on how quick the app is.
function listen(event) {
  const KEY = Symbol.for('uiap.heard');
  const SPEAKING = '[role=status],[role=alert],[role=log],output,[aria-live=polite],[aria-live=assertive],' +
    '[data-uiap-role=toast],[data-uiap-signal=toast],[data-uiap-signal=status],[class*=toast i],[class*=snackbar i]';
  const WAITING = '[aria-busy=true],[role=progressbar],progress,[data-uiap-role=spinner],[class*=spinner i],[class*=loading i],[class*=skeleton i]';
  const said = new Map();
  const note = (node, kind) => {
    const text = (node.textContent || '').replace(/\s+/g, ' ').trim();
    if (node.closest(WAITING) || node.querySelector(WAITING) || /(\u2026|\.\.\.)$/.test(text)) return;
    if (text && text.length <= 200 && said.size < 20 && !said.has(text)) said.set(text, kind);
  };
  const added = (node) => {
    if (node.nodeType !== 1) return;
    if (node.parentElement?.closest(SPEAKING) || node.matches(SPEAKING)) return note(node, 'toast');
    for (const inner of node.querySelectorAll(SPEAKING)) note(inner, 'toast');
  };
  const heard = (records) => {
    for (const { type, target, addedNodes } of records) {
      const element = target.nodeType === 1 ? target : target.parentElement;
      if (type === 'childList') for (const node of addedNodes) added(node);
      const region = element?.closest(SPEAKING);
      if (!region) continue;
      const own = type === 'characterData' || [...addedNodes].some((node) => node.nodeType === 3);
      if (own) note(region, 'status');
      else if (type === 'attributes' && region === element && element.checkVisibility?.()) note(region, 'toast');
    }
  };
  globalThis[KEY]?.take();
  const observer = new MutationObserver(heard);
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ['hidden', 'open'] });
  globalThis[KEY] = {
    take() {
      heard(observer.takeRecords());
      observer.disconnect();
      delete globalThis[KEY];
      return [...said];
    },
  };
  return !event || !document.dispatchEvent(new CustomEvent(event, { cancelable: true })) ? 'heard' : 'deaf';
}
