// Keeps the part of the address after "#" through the sign-in: it names a list and a thread.

/** @type {HTMLInputElement | null} */
const next = document.querySelector("input[name=next]");
if (next && location.hash && !next.value.includes("#")) next.value += location.hash;

/** @type {HTMLAnchorElement | null} */
const provider = document.querySelector("#provider");
if (provider && location.hash) {
  const address = new URL(provider.href);
  const goal = address.searchParams.get("next") ?? "/";
  if (!goal.includes("#")) address.searchParams.set("next", goal + location.hash);
  provider.href = address.href;
}
