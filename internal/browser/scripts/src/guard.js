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
