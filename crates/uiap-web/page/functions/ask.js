// Runs in the isolated world, with a frame element as `this`: asks the frame over the port that it got when it greeted.
function ask(question) {
  const view = Object.getOwnPropertyDescriptor(Document.prototype, 'defaultView').get.call(this.ownerDocument);
  const greetings = view?.[Symbol.for('uiap.greetings')];
  return greetings && this.contentWindow ? greetings.ask(this.contentWindow, question) : 'uiap:none';
}
