// The element's own methods: what a page may do to itself. Returns text: 'done', or why not.
function manner({ op, value }) {
  const view = this.ownerDocument.defaultView;
  const tell = (type, Kind = view.Event) => this.dispatchEvent(new Kind(type, { bubbles: true, composed: true }));
  const texty = 'value' in this && typeof this.value === 'string';
  const held = () => (texty ? this.value : this.isContentEditable ? this.innerText.replace(/\n$/, '') : this.textContent);
  const isSecret = () => this.type === 'password' || /one-time-code|cc-number|cc-csc|current-password|new-password/.test(this.autocomplete || '');
  switch (op) {
    case 'click':
      this.click();
      return 'done';
    case 'focus':
      this.focus();
      return this.ownerDocument.activeElement === this || this.matches(':focus-within') ? 'done' : 'it does not take the focus';
    case 'scroll':
      this.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      return 'done';
    case 'set': {
      if (!texty) {
        if (!this.isContentEditable) return 'it has no value';
        this.focus();
        this.textContent = value;
        tell('input', view.InputEvent);
        return 'done';
      }
      const before = this.value;
      if (this.focus) this.focus();
      this.value = value;
      if (this.value !== value && this.value === before && ['date', 'time', 'month', 'week', 'datetime-local', 'color'].includes(this.type)) return 'it takes no such value';
      tell('input', view.InputEvent);
      tell('change');
      return 'done';
    }
    case 'select': {
      const wanted = new Set(value);
      if (this.localName !== 'select') return 'it is no list of options';
      if (!this.multiple && wanted.size > 1) return 'it takes one option only';
      const options = Array.from(this.options);
      if (![...wanted].every((each) => options.some((option) => option.value === each && !option.disabled))) return 'it has no such option';
      this.focus();
      for (const option of options) option.selected = wanted.has(option.value);
      tell('input', view.InputEvent);
      tell('change');
      return 'done';
    }
    case 'submit': {
      const form = this.form || this.closest('form');
      if (!form) return 'it is no form and lies in none';
      form.requestSubmit();
      return 'done';
    }
    case 'show':
      this.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
      this.animate({ outline: ['3px solid #e8590c', '3px solid #e8590c', '3px solid transparent'], outlineOffset: ['2px', '2px', '2px'] }, 1200);
      return 'done';
    case 'synthesize': {
      const box = this.getBoundingClientRect();
      const at = { bubbles: true, composed: true, cancelable: true, view, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, button: 0, detail: 1 };
      const pointer = { ...at, pointerId: 1, pointerType: 'mouse', isPrimary: true };
      if (value === 'hover') {
        this.dispatchEvent(new view.PointerEvent('pointerover', pointer));
        this.dispatchEvent(new view.MouseEvent('mouseover', at));
        this.dispatchEvent(new view.MouseEvent('mousemove', at));
        return 'done';
      }
      this.dispatchEvent(new view.PointerEvent('pointerdown', { ...pointer, buttons: 1 }));
      this.dispatchEvent(new view.MouseEvent('mousedown', { ...at, buttons: 1 }));
      if (this.focus) this.focus();
      this.dispatchEvent(new view.PointerEvent('pointerup', pointer));
      this.dispatchEvent(new view.MouseEvent('mouseup', at));
      this.dispatchEvent(new view.MouseEvent('click', at));
      return 'done';
    }
    case 'holds': {
      const plain = (text) => text.replace(/\r\n?/g, '\n').replace(/ /g, ' ');
      return plain(held()) === plain(value) ? 'yes' : 'no';
    }
    case 'read': {
      const aria = this.getAttribute('aria-valuenow');
      const number = aria !== null ? Number(aria) : 'valueAsNumber' in this && !Number.isNaN(this.valueAsNumber) ? this.valueAsNumber : texty && this.value.trim() !== '' ? Number(this.value) : NaN;
      const on = 'checked' in this && ['checkbox', 'radio'].includes(this.type) ? (this.indeterminate ? 'mixed' : this.checked) : this.getAttribute('aria-checked');
      return JSON.stringify({
        text: isSecret() ? null : held(),
        number: Number.isFinite(number) ? number : null,
        checked: on === null ? null : String(on),
      });
    }
    default:
      return `there is no ${op}`;
  }
}
