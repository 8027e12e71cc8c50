// Runs in every document before its own scripts. Tells the host which permissions the page asks for and has not got: a browser without a
// window refuses them without a word, and one with a window shows a question that is no part of the page. What the page asks goes through
// as it is, and so does what it gets. Leaves no name behind.
((BINDING, MOST) => {
  const tell = globalThis[BINDING];
  if (!tell) return;
  delete globalThis[BINDING];
  const { apply } = Reflect;
  const { then } = Promise.prototype;
  const property = Object.getOwnPropertyDescriptor;
  const { defineProperty } = Object;
  const permissions = globalThis.navigator?.permissions;
  const query = globalThis.Permissions?.prototype.query;
  const state = property(globalThis.PermissionStatus?.prototype ?? {}, 'state')?.get;
  let left = MOST;
  /** `known` is the name by which the browser says how a permission stands, where it is another one. */
  const ask = (name, known) => {
    if (left <= 0) return;
    left -= 1;
    const say = (found) => { if (found !== 'granted') tell(`${name} ${found}`); };
    // Some permissions are asked for anew each time, and nobody can say how they stand.
    const unknown = () => say('');
    try {
      apply(then, apply(query, permissions, [{ name: known ?? name }]), [(status) => say(apply(state, status, [])), unknown]);
    } catch {
      unknown();
    }
  };
  const watch = (holder, method, asked) => {
    const found = property(holder ?? {}, method);
    if (typeof found?.value !== 'function' || !found.configurable) return;
    const value = new Proxy(found.value, {
      __proto__: null,
      apply(native, self, values) {
        // What throws here did not ask.
        const outcome = apply(native, self, values);
        try {
          asked(values[0]);
        } catch { /* whatever the page handed in is the browser's to read */ }
        return outcome;
      },
    });
    defineProperty(holder, method, { ...found, value });
  };
  const type = (name) => globalThis[name]?.prototype;

  for (const method of ['getCurrentPosition', 'watchPosition']) watch(type('Geolocation'), method, () => ask('geolocation'));
  watch(globalThis.Notification, 'requestPermission', () => ask('notifications'));
  watch(type('MediaDevices'), 'getUserMedia', (wanted) => {
    if (wanted?.video) ask('camera');
    if (wanted?.audio) ask('microphone');
  });
  watch(type('MediaDevices'), 'getDisplayMedia', () => ask('display-capture'));
  for (const method of ['read', 'readText']) watch(type('Clipboard'), method, () => ask('clipboard-read'));
  watch(type('Navigator'), 'requestMIDIAccess', () => ask('midi'));
  watch(type('PushManager'), 'subscribe', () => ask('push', 'notifications'));
  watch(globalThis.IdleDetector, 'requestPermission', () => ask('idle-detection'));
  for (const name of ['Bluetooth', 'USB', 'HID']) watch(type(name), 'requestDevice', () => ask(name.toLowerCase()));
  watch(type('Serial'), 'requestPort', () => ask('serial'));
})
