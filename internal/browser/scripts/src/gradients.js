// Text on gradients, which axe-core leaves to a person. Between two colours of a
// gradient lie colours of a luminance between theirs, so text that has too little
// contrast to each of them has too little everywhere.
globalThis.visiteGradients = (() => {
  const OPAQUE = /^rgb\((\d+), (\d+), (\d+)\)$/;
  const channel = (value) => (value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const rgb = (text) => OPAQUE.exec(text)?.slice(1).map(Number);
  const hex = (c) => "#" + c.map((value) => value.toString(16).padStart(2, "0")).join("");
  const ratio = (a, b) => {
    const [one, two] = [luminance(a), luminance(b)];
    return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
  };

  // colours of one gradient over the whole of a box; null where it is anything else.
  function colours(style) {
    const image = style.backgroundImage;
    if (!/^(linear|radial|conic)-gradient\([^]*\)$/.test(image) || /url\(|-gradient\([^]*-gradient\(|rgba\(|color\(|oklch|oklab|lab\(|lch\(| in /.test(image)) return null;
    if (style.backgroundRepeat !== "repeat" || style.backgroundClip === "text" || style.backgroundBlendMode !== "normal") return null;
    const found = [...image.matchAll(/rgb\(\d+, \d+, \d+\)/g)].map(([one]) => rgb(one));
    return found.length > 1 ? found : null;
  }

  // plain: the element and its text are painted as their styles' colours say.
  const plain = (style) => style.opacity === "1" && style.filter === "none" && style.mixBlendMode === "normal" && style.backdropFilter === "none" && style.maskImage === "none";

  // highest is the highest contrast that an element's text has to the gradient
  // behind it; null where that is not certain.
  function highest(element) {
    const own = getComputedStyle(element);
    const text = rgb(own.color);
    if (!text || own.textShadow !== "none" || own.webkitTextFillColor !== own.color || own.webkitTextStrokeWidth !== "0px") return null;
    const box = element.getBoundingClientRect();
    for (let e = element; e; e = e.parentElement) {
      const style = getComputedStyle(e);
      if (!plain(style) || (e !== element && style.position === "absolute") || style.position === "fixed") return null;
      if (style.backgroundImage === "none" && style.backgroundColor === "rgba(0, 0, 0, 0)") continue;
      const found = colours(style), around = e.getBoundingClientRect();
      if (!found || box.left < around.left || box.top < around.top || box.right > around.right || box.bottom > around.bottom) return null;
      const all = found.map((one) => ({ ratio: ratio(text, one), foreground: hex(text), background: hex(one) }));
      return all.reduce((a, b) => (a.ratio >= b.ratio ? a : b));
    }
    return null;
  }
  return { highest };
})();
