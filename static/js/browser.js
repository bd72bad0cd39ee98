// Asks the browser for what it may lack, refuse or answer wrongly. Each question has an answer without it.

// The names of the browser's time zone, the best first; none where it does not know.
export function zones() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const hours = -new Date().getTimezoneOffset() / 60;
  const fixed = hours && Number.isInteger(hours) ? `Etc/GMT${hours < 0 ? "+" : "-"}${Math.abs(hours)}` : null;
  // "Etc/Unknown", and an offset such as "+07:00", are no names that a server knows.
  return [/^(?!Etc\/Unknown)[A-Z]/.test(timeZone) ? timeZone : null, fixed];
}

// A version 4 UUID. `crypto.randomUUID` exists on https alone.
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

// The storage of this browser; else one that keeps nothing, and refuses to. Full storage throws, too.
/** @returns {Pick<Storage, "getItem" | "setItem" | "removeItem">} */
export function storage() {
  try {
    localStorage.getItem("");
    return localStorage;
  } catch {
    return NO_STORAGE;
  }
}

// Whether texts can be kept in this browser: encrypting them needs https.
export function keepsTexts() {
  try {
    storage().setItem("lineup:kept", "");
    return Boolean(globalThis.crypto.subtle);
  } catch {
    return false;
  }
}

// Runs `look` whenever the element has another size.
/** @param {Element} element @param {() => void} look */
export function onResize(element, look) {
  if (globalThis.ResizeObserver) new ResizeObserver(look).observe(element);
  else addEventListener("resize", look);
}

// Copies the text. Without the clipboard the element that shows it is selected, and copied by command;
// where that is refused, too, it stays selected, and the result is false.
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

// "granted", "denied" or "default"; "denied" where there are no notifications.
export const notificationPermission = () => (
  attempt(() => globalThis.Notification.permission) ?? "denied");

export async function askToNotify() {
  try {
    return await Notification.requestPermission() === "granted";
  } catch {
    return false;
  }
}

// The notification on screen, or null: some browsers show them for service workers alone.
/** @param {string} title @param {NotificationOptions} options @returns {Notification | null} */
export const notification = (title, options) => attempt(() => new Notification(title, options));

// Has `led` called once this is the one page that leads under the name; without locks every page does.
// Resolves when it is known whether this page leads at once.
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

// The channel to other pages of this browser, or null.
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
