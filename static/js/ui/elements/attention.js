// Whether somebody can be reading this window: it is visible, has the focus, and neither a dialog nor the
// settings cover it, and the conversation is not below its changes.

let blurred = false;

addEventListener("blur", () => { blurred = true; });
for (const name of ["focus", "pointerdown", "keydown"]) {
  addEventListener(name, () => { blurred = false; }, { capture: true, passive: true });
}

export const isLookedAt = () => !blurred && document.hasFocus()
  && document.visibilityState === "visible" && !document.querySelector("dialog[open], [data-area], [data-changes]");
