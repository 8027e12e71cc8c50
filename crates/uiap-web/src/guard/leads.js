// Runs on the script's own object, in its isolated world: `this.findAll` knows elements by their ids.
function leads(ids) {
  const OWN = new Set(['', '_self', '_top', '_parent']);
  const words = (element) => {
    const icon = element.querySelector && element.querySelector('svg, i, img, use, [class*="icon"]');
    const found = [];
    for (const each of [icon, icon && icon.querySelector('use'), element]) {
      if (!each) continue;
      if (each !== element) found.push(each.getAttribute('class') || '', each.getAttribute('data-icon') || '');
      found.push(each.getAttribute('href') && each.localName === 'use' ? each.getAttribute('href') : '', each.getAttribute('title') || '');
      if (each.localName === 'img') found.push((each.getAttribute('src') || '').split('/').pop().split('.')[0]);
    }
    return found.join(' ').replace(/\s+/g, ' ').trim().slice(0, 120);
  };
  const lead = (element) => {
    if (!element) return {};
    const told = {};
    const tag = element.localName;
    const link = tag === 'a' || tag === 'area' ? element : element.querySelector && tag !== 'button' && element.querySelectorAll('a[href]').length === 1 ? element.querySelector('a[href]') : null;
    if (link && link.href) {
      told.href = String(link.href.baseVal ?? link.href);
      if (link.hasAttribute('download')) told.download = true;
      const target = link.getAttribute('target') || '';
      if (!OWN.has(target)) told.window = target;
    }
    const form = element.form || (element.closest && element.closest('form'));
    // A form that says neither where nor how is sent by a script: its method says nothing.
    const declared = form && (form.hasAttribute('method') || form.hasAttribute('action') || element.hasAttribute('formmethod') || element.hasAttribute('formaction'));
    if (declared && (tag === 'button' || tag === 'input' || tag === 'select' || tag === 'textarea')) {
      told.formMethod = (element.getAttribute('formmethod') || form.getAttribute('method') || 'get').toLowerCase();
      told.formAction = new URL(element.getAttribute('formaction') || form.getAttribute('action') || '', form.ownerDocument.baseURI).href;
      const target = element.getAttribute('formtarget') || form.getAttribute('target') || '';
      if (!OWN.has(target)) told.window = target;
    }
    if (tag === 'button' || tag === 'input') {
      told.type = (element.getAttribute('type') || (tag === 'button' ? (form ? 'submit' : 'button') : 'text')).toLowerCase();
      told.submits = Boolean(form) && (told.type === 'submit' || told.type === 'image');
    }
    const popup = element.getAttribute('aria-haspopup');
    if (popup && popup !== 'false') told.opens = popup;
    else if (element.hasAttribute('aria-expanded') || element.hasAttribute('popovertarget') || tag === 'summary') told.opens = 'true';
    const icon = words(element);
    if (icon) told.icon = icon;
    return told;
  };
  return JSON.stringify(this.findAll(ids).map(lead));
}
