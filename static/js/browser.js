// Asks the browser for features that it may lack, refuse or implement wrongly, each with a fallback.

// The names of the browser's time zone, the best one first; none if the browser does not know it.
export function zones() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const hours = -new Date().getTimezoneOffset() / 60;
  const fixed = hours && Number.isInteger(hours) ? `Etc/GMT${hours < 0 ? "+" : "-"}${Math.abs(hours)}` : null;
  // Servers do not know "Etc/Unknown", or an offset such as "+07:00".
  return [/^(?!Etc\/Unknown)[A-Z]/.test(timeZone) ? timeZone : null, fixed];
}

// Returns a version 4 UUID. `crypto.randomUUID` exists only on https.
export function randomId() {
  const bytes = new Uint8Array(16);
  try {
    crypto.getRandomValues(bytes);
  } catch {
    bytes.forEach((_, at) => { bytes[at] = Math.random() * 256; });
  }
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const NO_STORAGE = {
  getItem: () => null, removeItem: () => {}, setItem() { throw new Error("no storage"); },
};

// The browser's storage, or that of this tab alone; if there is none, one that stores nothing and throws, as full
// storage does.
/** @returns {Pick<Storage, "getItem" | "setItem" | "removeItem">} */
export function storage(ofTab = false) {
  try {
    const kept = ofTab ? sessionStorage : localStorage;
    kept.getItem("");
    return kept;
  } catch {
    return NO_STORAGE;
  }
}

// Whether this browser can keep texts, which are encrypted: that needs https.
export function keepsTexts() {
  try {
    storage().setItem("lineup:kept", "");
    return Boolean(globalThis.crypto.subtle);
  } catch {
    return false;
  }
}

// Calls `look` whenever the size of the element changes.
/** @param {Element} element @param {() => void} look */
export function onResize(element, look) {
  if (globalThis.ResizeObserver) new ResizeObserver(look).observe(element);
  else addEventListener("resize", look);
}

// Copies the text. Without the clipboard API, selects the element that shows the text, and copies it by
// command. Returns false if that is refused, too; the element then stays selected.
/** @param {string} text @param {Element} element */
export async function copied(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(element);
    return attempt(() => document.execCommand("copy")) ?? false;
  }
}

// Returns "granted", "denied" or "default"; "denied" if the browser has no notifications.
export const notificationPermission = () => (
  attempt(() => globalThis.Notification.permission) ?? "denied");

export async function askToNotify() {
  try {
    return await Notification.requestPermission() === "granted";
  } catch {
    return false;
  }
}

// Shows a notification and returns it; null if that fails: some browsers allow it only to service workers.
/** @param {string} title @param {NotificationOptions} options @returns {Notification | null} */
export const notification = (title, options) => attempt(() => new Notification(title, options));

// Calls `led` once this page is the leader under the name; without locks every page is. Resolves when it
// is known whether this page leads at once.
/** @param {string} name @param {() => void} led @returns {Promise<void>} */
export function lead(name, led) {
  return new Promise((known) => {
    const begin = () => {
      led();
      known();
    };
    const lock = (held) => {
      if (!held) {
        known();
        return navigator.locks.request(name, lock);
      }
      begin();
      return new Promise(() => {}); // held until the page is closed
    };
    Promise.resolve().then(() => navigator.locks.request(name, { ifAvailable: true }, lock)).catch(begin);
  });
}

// Holds a lock until this page has ended, however it ends. Resolves once it is held; without locks at once.
/** @param {string} name @returns {Promise<void>} */
export const hold = (name) => new Promise((held) => {
  Promise.resolve().then(() => navigator.locks.request(name, () => {
    held();
    return new Promise(() => {});
  })).catch(held);
});

// Calls `ended` once the page that holds this lock has ended; without locks never.
/** @param {string} name @param {() => void} ended */
export function whenEnded(name, ended) {
  Promise.resolve().then(() => navigator.locks.request(name, ended)).catch(() => {});
}

// Returns the channel to other pages of this browser, or null.
/** @param {string} name */
export const channel = (name) => attempt(() => new BroadcastChannel(name));

/** @template T @param {() => T} ask @returns {T | null} */
function attempt(ask) {
  try {
    return ask();
  } catch {
    return null;
  }
}
