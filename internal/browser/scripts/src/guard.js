// Runs in the page's own world, in every frame, before the page's scripts. It
// takes away what would hang a visit or outlive it. Nothing else of ours is
// where a page can see it.
(() => {
  const quietly = (object, name, value) => {
    try {
      Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
    } catch { /* the page cannot have been here first; an odd document may lack the object */ }
  };
  quietly(window, "print", function print() {});
  quietly(window, "close", function close() {});
  // Back from the first page is the empty tab we came from: there is no such way.
  if (self === top && self.navigation) {
    const go = History.prototype.go;
    const within = (steps) => steps >= 0 || navigation.currentEntry?.index + steps >= 0;
    quietly(History.prototype, "go", { go(steps = 0) { if (within(Number(steps))) go.call(this, steps); } }.go);
    quietly(History.prototype, "back", { back() { if (within(-1)) go.call(this, -1); } }.back);
  }
  // form.submit() ends the parsing of the document before anything can refuse it.
  // The isolated world hears of it by this event.
  if (self === top) {
    quietly(HTMLFormElement.prototype, "submit", function submit() {
      this.dispatchEvent(new CustomEvent("visite-submit"));
    });
  }
  // Files a service worker answers would be missed; registration fails as it
  // does in a private window.
  if (window.ServiceWorkerContainer) {
    quietly(ServiceWorkerContainer.prototype, "register", function register() {
      const refused = Promise.reject(new DOMException("service workers are off during this visit", "SecurityError"));
      refused.catch(() => {});
      return refused;
    });
  }
})();
