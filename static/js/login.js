// Keeps the part of the address behind "#" through the sign-in: it names a list and a thread.

/** @type {HTMLInputElement} */
const next = document.querySelector("input[name=next]");
if (location.hash && !next.value.includes("#")) next.value += location.hash;
