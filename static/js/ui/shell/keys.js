// Listens to the keyboard and calls the verb that a key stands for.

const FIELDS = "input, textarea, select, [contenteditable]";
// What a held key repeats; everything else is done once a press.
const REPEATED = /^(list:(next|previous|page-down|page-up)|pick:(down|up)|unread:.*|match:.*)$/;
const CONTROLS = "button, a, summary, [popover], .messages";

// A verb is "name" or "kind:name"; verbs: {verb or kind: (name) → false if the key was not used}.
export function listen({ keymap, now, verbs }) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const verb = keymap.press(strokeOf(event), whereOf(event.target), now());
    if (!verb) return;
    if (event.repeat && !REPEATED.test(verb)) return event.preventDefault();
    const [kind, name] = verb.split(":");
    if ((verbs[verb] ?? verbs[kind])(name) !== false) event.preventDefault();
    return undefined;
  });
  // A browser presses a button again and again while Enter is held on it.
  document.addEventListener("keydown", (event) => {
    const onButton = event.target instanceof Element && event.target.closest("button") !== null;
    if (event.repeat && event.key === "Enter" && onButton) event.preventDefault();
  }, { capture: true });
}

const strokeOf = (event) => ({
  key: event.key,
  code: event.code,
  altGraph: event.getModifierState("AltGraph"),
  ctrl: event.ctrlKey,
  alt: event.altKey,
  shift: event.shiftKey,
  meta: event.metaKey,
  composing: event.isComposing || event.keyCode === 229,
});

function whereOf(target) {
  const matches = (selector) => target instanceof Element && target.closest(selector) !== null;
  return { field: matches(FIELDS), control: matches(CONTROLS) };
}
