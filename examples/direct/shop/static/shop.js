// The shop's own script: it counts what is in the basket.

const basket = document.getElementById("basket");
for (const button of document.querySelectorAll("article button")) {
  button.addEventListener("click", () => { basket.value = String(Number(basket.value) + 1); });
}
