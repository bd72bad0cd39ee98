// Runs in the page before its own scripts, and records when rows were first painted, which frames were
// late, and how long answers to input took.
(() => {
  const notes = window.notes = {
    firstRows: 0, painted: {}, gaps: [], longFrames: [], longTasks: [], interactions: {},
  };
  const rows = () => new Map([...document.querySelectorAll(".list .row[id]")]
    .map((row) => [row.id.slice(4), row.querySelector(".row-preview")?.textContent]));
  // A frame's callback runs before its paint; a message posted there arrives after it. The page's own
  // callbacks run after ours in the same frame, so their changes are looked at again.
  const channel = new MessageChannel();
  let before = new Map(), found = before, last = 0, inFrame = false;
  channel.port1.onmessage = () => {
    inFrame = false;
    const now = performance.now();
    if (found.size && !notes.firstRows) notes.firstRows = now;
    for (const [id, text] of found) {
      if (before.get(id) !== text) (notes.painted[id] ??= []).push(performance.timeOrigin + now);
    }
    before = found;
  };
  const frame = (now) => {
    if (last) notes.gaps.push(now - last);
    last = now;
    found = rows();
    inFrame = true;
    channel.port2.postMessage(null);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new MutationObserver(() => { if (inFrame) found = rows(); })
    .observe(document, { subtree: true, childList: true, attributeFilter: ["id"] });

  const observe = (type, take, options = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, ...options });
  observe("longtask", ({ duration }) => notes.longTasks.push(duration));
  observe("long-animation-frame", ({ duration }) => notes.longFrames.push(duration));
  // The browser reports several events for one press: the person waited for the slowest.
  observe("event", ({ interactionId, duration }) => {
    if (!interactionId) return;
    notes.interactions[interactionId] = Math.max(notes.interactions[interactionId] ?? 0, duration);
  }, { durationThreshold: 16 });

  notes.clear = () => {
    for (const name of ["gaps", "longFrames", "longTasks"]) notes[name].length = 0;
    notes.painted = {};
    notes.interactions = {};
    notes.presses = performance.interactionCount;
  };
})();
