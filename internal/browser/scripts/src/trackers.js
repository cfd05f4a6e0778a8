// Tells which requests the lists of trackers name. It runs in a tab of its own
// that holds no page and reaches no network.
import { FiltersEngine, Request, parseFilters } from "@ghostery/adblocker";

// Filters are kept as they are, so that the one that matched tells its list.
const options = { loadCosmeticFilters: false, loadCSPFilters: false, loadPreprocessors: false, enableHtmlFiltering: false, enableOptimizations: false };

let engine = null;
let tracking = new Set(); // ids of EasyPrivacy's filters

// What is to be said is that a host tracks: filters that name none, such as a word
// in a path, do not count. Exceptions do, and what takes filters back.
const counts = (f) => f.isException() || f.isBadFilter() || (f.isHostnameAnchor() && !f.isCSP() && !f.isRemoveParam() && !f.isReplace());

const encode = (bytes) => {
  const parts = [];
  for (let i = 0; i < bytes.length; i += 0x8000) parts.push(String.fromCharCode(...bytes.subarray(i, i + 0x8000)));
  return btoa(parts.join(""));
};
const decode = (text) => {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
};

globalThis.visiteTrackers = {
  // compile reads the lists' texts and returns how many filters there are.
  compile(easyprivacy, easylist) {
    const [first, second] = [easyprivacy, easylist].map((text) => parseFilters(text, options).networkFilters.filter(counts));
    engine = new FiltersEngine({ config: options });
    engine.update({ newNetworkFilters: [...first, ...second] });
    tracking = new Set(first.filter((f) => !f.isException() && !f.isBadFilter()).map((f) => f.getId()));
    return first.length + second.length;
  },

  // save is what load takes, as text.
  save: () => encode(engine.serialize()) + "." + encode(new Uint8Array(Uint32Array.from(tracking).buffer)),

  // load takes what save returned; it throws where that is broken.
  load(text) {
    const [filters, ids] = text.split(".").map(decode);
    engine = FiltersEngine.deserialize(filters);
    tracking = new Set(new Uint32Array(ids.buffer));
    return tracking.size;
  },

  // judge tells of each request of a page on a host: "p" named by EasyPrivacy, "e" by
  // EasyList, "-" by neither.
  judge(host, requests) {
    const sourceUrl = "https://" + host + "/";
    return requests.map(({ url, type }) => {
      const { match, filter } = engine.match(Request.fromRawDetails({ url, type, sourceUrl }));
      if (!match || !filter) return "-";
      return tracking.has(filter.getId()) ? "p" : "e";
    }).join("");
  },
};
