// Stands around autoconsent in a world of its own. Its messages wait here until
// they are asked for, without anything they quote of the page; its clicks pass
// only where they accept nothing, and none once it was stopped.
globalThis.visiteTool = (() => {
  const waiting = [];
  let wake = () => {};
  let stopped = false;
  globalThis.autoconsentSendMessage = (m) => {
    if (["init", "eval", "cmpDetected", "popupFound", "optOutResult", "selfTestResult", "autoconsentDone", "autoconsentError"].includes(m.type)) {
      waiting.push({ type: m.type, id: m.id, code: m.code, result: m.result === true, selfTest: m.scheduleSelfTest === true, cosmetic: m.isCosmetic === true });
      wake();
    }
    return Promise.resolve();
  };
  const click = HTMLElement.prototype.click;
  HTMLElement.prototype.click = function () {
    if (stopped || visiteConsent.names(this).some((n) => visiteConsent.accepts(n))) return;
    click.call(this);
  };
  // next gives the messages that wait, at the latest after limit ms.
  async function next(limit) {
    if (waiting.length === 0) await new Promise((done) => { wake = done; setTimeout(done, limit); });
    return waiting.splice(0);
  }
  const begin = (known, rules) => autoconsentReceiveMessage({
    type: "initResp",
    config: {
      enabled: true, autoAction: "optOut", disabledCmps: [], enablePrehide: false, enableCosmeticRules: true, enableGeneratedRules: true,
      enableHeuristicDetection: false, heuristicMode: known ? "off" : "reject", detectRetries: 5, isMainWorld: false, logs: { errors: false },
    },
    rules: { autoconsent: [], compact: rules },
  });
  const stop = () => { stopped = true; };
  return { next, begin, stop };
})();
