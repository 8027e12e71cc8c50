// Runs in the page's isolated world, with a frame element of another origin as `this`: a point of that frame in the window,
// if a pointer reaches the frame there.
function through(inner) {
  const chain = [this];
  for (let view = this.ownerDocument.defaultView; view && view.frameElement; view = view.frameElement.ownerDocument.defaultView) chain.unshift(view.frameElement);
  let place = { x: 0, y: 0, sx: 1, sy: 1 };
  let [x, y] = [inner.x, inner.y];
  const places = [];
  for (const frame of chain) {
    const box = frame.getBoundingClientRect();
    const style = frame.ownerDocument.defaultView.getComputedStyle(frame);
    const sx = frame.offsetWidth ? box.width / frame.offsetWidth : 1;
    const sy = frame.offsetHeight ? box.height / frame.offsetHeight : 1;
    const left = box.left + (frame.clientLeft + (parseFloat(style.paddingLeft) || 0)) * sx;
    const top = box.top + (frame.clientTop + (parseFloat(style.paddingTop) || 0)) * sy;
    places.push({ left, top, sx, sy });
    place = { x: place.x + left * place.sx, y: place.y + top * place.sy, sx: place.sx * sx, sy: place.sy * sy };
  }
  const box = [place.x + inner.box[0] * place.sx, place.y + inner.box[1] * place.sy, inner.box[2] * place.sx, inner.box[3] * place.sy];
  // From the inside out: at each level the frame itself must be what lies there.
  for (let at = chain.length - 1; at >= 0; at--) {
    [x, y] = [places[at].left + x * places[at].sx, places[at].top + y * places[at].sy];
    let seen = chain[at].ownerDocument.elementFromPoint(x, y);
    while (seen && seen !== chain[at] && seen.shadowRoot && seen.shadowRoot.elementFromPoint(x, y) !== seen) seen = seen.shadowRoot.elementFromPoint(x, y);
    if (seen !== chain[at]) {
      const text = seen && (seen.getAttribute('aria-label') || seen.textContent || '').replace(/\s+/g, ' ').trim().slice(0, 80);
      const by = seen && { tag: seen.localName, id: seen.id || undefined, role: seen.getAttribute('role') || undefined, text: text || undefined };
      return JSON.stringify({ kind: seen ? 'covered' : 'outside', by, box });
    }
  }
  return JSON.stringify({ kind: 'clear', x, y, box, label: inner.label });
}
