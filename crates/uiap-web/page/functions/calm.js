// Runs in an isolated world of its own. Answers when two frames in a row passed without a mutation, no animation with an end
// runs, and no timer is due within the time that the browser grants to idle work; or after `limit` milliseconds with what was
// still going on.
function calm(limit) {
  const SOON = 12, FRAME = 17, MOST_NODES = 20000;
  return new Promise((resolve) => {
    const state = { mutations: 0, repeats: 0, animations: 0, moved: false, timers: false };
    const places = new Map();
    let calm = 0, over = false, left = MOST_NODES;
    const observer = new MutationObserver((records) => {
      calm = 0;
      state.mutations += records.length;
      for (const { target, type } of records) {
        if (type === 'childList') continue;
        const times = (places.get(target) || 0) + 1;
        places.set(target, times);
        state.repeats = Math.max(state.repeats, times);
      }
    });
    const observe = (root) => {
      observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
      for (const element of root.querySelectorAll('*')) {
        if (left-- <= 0) return;
        if (element.shadowRoot) observe(element.shadowRoot);
        const inner = element.localName === 'iframe' ? documentIn(element) : null;
        if (inner) enter(inner);
      }
    };
    const documentIn = (host) => { try { return host.contentDocument; } catch { return null; /* another origin */ } };
    const documents = new Set();
    const enter = (root) => { documents.add(root); observe(root); };
    // A frame that shows another document by now, or one that is not read to its end, is about to change.
    const arriving = () => {
      for (const each of documents) {
        if (each !== document && each.readyState === 'loading') return true;
        for (const host of each.getElementsByTagName('iframe')) {
          const inner = documentIn(host);
          if (!inner || documents.has(inner)) continue;
          enter(inner);
          return true;
        }
      }
      return false;
    };
    const done = (quiet) => {
      if (over) return;
      over = true;
      observer.disconnect();
      clearTimeout(bound);
      resolve(JSON.stringify({ quiet, ...state }));
    };
    // When those end that run and have an end.
    const ends = () => document.getAnimations().flatMap((each) => {
      const timing = each.effect && each.effect.getComputedTiming();
      const counts = each.playState === 'running' && timing && Number.isFinite(timing.endTime) && each.timeline === document.timeline;
      return counts ? [timing.endTime] : [];
    });
    const frame = () => {
      if (over) return;
      const running = ends();
      state.animations = running.length;
      state.moved ||= running.length > 0;
      // What lasts no longer than a frame is waited for and is no unrest.
      calm = running.some((end) => end > FRAME) || arriving() ? 0 : calm + 1;
      if (calm > 2 && !state.animations) requestIdleCallback(idle, { timeout: 100 });
      else next(frame);
    };
    // A page that nobody looks at draws no frames; there the clock stands in for them.
    const next = (step) => {
      let called = false;
      const once = () => { if (!called) { called = true; clearTimeout(late); step(); } };
      const late = setTimeout(once, 50);
      requestAnimationFrame(once);
    };
    const idle = (deadline) => {
      if (over) return;
      state.timers = !deadline.didTimeout && deadline.timeRemaining() < SOON;
      if (calm > 2 && !state.timers) done(true);
      // Another frame would only cut the next idle time short.
      else if (calm > 2) requestIdleCallback(idle, { timeout: 100 });
      else next(frame);
    };
    const bound = setTimeout(() => done(false), limit);
    enter(document);
    next(frame);
  });
}
