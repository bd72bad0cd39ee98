// Brings the part of the address behind "#" along: it names the thread that a link was about.

const next = document.querySelector("input[name=next]");
if (location.hash && !next.value.includes("#")) next.value += location.hash;
