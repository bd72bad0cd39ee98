// Detects that the machine slept, the network came back or the window became visible.

const TICK_MS = 2000;
const SLEPT_MS = 10_000;
// In background tabs timers may run once a minute only.
const SLEPT_HIDDEN_MS = 75_000;

// on.slept(): the clock jumped; on.back(): a connection is worth trying at once.
export function watch({ on, window: page = window, now = Date.now }) {
  const visible = () => page.document.visibilityState === "visible";
  let last = now();
  let wasVisible = visible();
  const look = () => {
    const gap = now() - last;
    const limit = wasVisible && visible() ? SLEPT_MS : SLEPT_HIDDEN_MS;
    last = now();
    wasVisible = visible();
    if (gap > limit) on.slept();
  };
  const back = () => {
    look();
    if (visible()) on.back();
  };
  const timer = page.setInterval(look, TICK_MS);
  page.addEventListener("online", back);
  page.addEventListener("focus", back);
  page.addEventListener("pageshow", back);
  page.document.addEventListener("visibilitychange", back);
  page.document.addEventListener("resume", on.slept);
  return () => page.clearInterval(timer);
}
