// Posts the token of an invitation, which stands behind "#" in the address: no server logs it.

/** @type {HTMLFormElement} */
const form = document.querySelector("#code");
const token = location.hash.slice(1);
if (token) {
  // Neither in the history nor in what is copied from the address bar.
  history.replaceState(null, "", location.pathname);
  form.querySelector("input").value = token;
  form.requestSubmit();
}
