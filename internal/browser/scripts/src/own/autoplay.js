// Sound that begins by itself and goes on (WCAG 1.4.2).
(() => {
  const { hits, query, elements, control, visible, spoken, name, attr, withTree } = visiteOwn;
  const SHORT = 3; // seconds that do not count
  const AUDIBLE = 0.002; // of full scale

  // playing is how long a medium sounds, in seconds: its fragment counts (#t=8,10).
  function playing(media) {
    const [, from, to] = /[#&]t=(?:npt:)?([\d.]*)(?:,([\d.]+))?/.exec(media.currentSrc) || [];
    const end = to ? Math.min(Number(to), media.duration) : media.duration;
    return media.loop ? Infinity : end - (Number(from) || 0);
  }

  const begins = (media) => !media.controls && !media.muted && !media.defaultMuted && media.volume > 0 && media.readyState > 0 && playing(media) > SHORT;
  let found = [];
  function find() {
    found = query("audio[autoplay],video[autoplay]").filter(begins).slice(0, 3);
    return found.length;
  }

  // loudest plays a stretch of a medium into nowhere and tells its loudest
  // sample, 0 for silence. The browser side allows it by a gesture.
  async function loudest(media, ms) {
    const context = new AudioContext({ sinkId: { type: "none" } });
    const was = { rate: media.playbackRate, time: media.currentTime };
    let most = 0;
    try {
      const meter = context.createAnalyser();
      context.createMediaStreamSource(media.captureStream()).connect(meter);
      await context.resume();
      media.playbackRate = 4;
      await media.play();
      const samples = new Float32Array(meter.fftSize);
      for (const until = performance.now() + ms; performance.now() < until && most < AUDIBLE; ) {
        await new Promise((done) => setTimeout(done, 50));
        meter.getFloatTimeDomainData(samples);
        for (const one of samples) most = Math.max(most, Math.abs(one));
      }
    } catch { /* of another origin, or it cannot be played */ }
    media.pause();
    media.playbackRate = was.rate;
    media.currentTime = was.time;
    await context.close();
    return most;
  }

  async function listen(ms) {
    const { list, report } = hits("audio-autoplay");
    const controlled = withTree(() => elements().some((e) => control(e) && visible(e) && spoken(e) && name(e) !== "" && !(e.localName === "a" && /^(https?:|mailto:|tel:|\/)/.test(attr(e, "href") || ""))));
    for (const media of found) {
      const heard = (await loudest(media, ms / found.length)) >= AUDIBLE;
      report(media, Number.isFinite(playing(media)) ? `${Math.round(playing(media))} s` : "without end", heard && !controlled ? "failed" : "needs_review");
    }
    return list;
  }
  visiteOwn.audio = { find, listen };
})();
