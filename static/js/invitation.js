// Posts the token of an invitation. It comes after "#" in the address, so that no server logs it.

/** @type {HTMLFormElement} */
const form = document.querySelector("#code");
const token = location.hash.slice(1);
if (token) {
  // Removes it from the history, and from the address that people copy.
  history.replaceState(null, "", location.pathname);
  form.querySelector("input").value = token;
  form.requestSubmit();
}
