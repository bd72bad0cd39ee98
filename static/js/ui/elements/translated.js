// Keeps the page right while the browser translates it. The translation puts <font> elements in place of
// the texts, and the page still writes into the text that is gone. Here that one is put back, empty,
// before the element that stands for it; what is written into it then is shown instead of the element.

/** @type {WeakMap<Node, {text: Text, said: string}>} element of the translation to what it stands for */
const standing = new WeakMap();
/** @type {WeakMap<Node, Element>} the other way round */
const elements = new WeakMap();

const isText = (node) => node?.nodeType === Node.TEXT_NODE;
const isFont = (node) => node?.nodeName === "FONT";

export function followTranslation(root = document.body) {
  const observer = new MutationObserver((records) => {
    const added = new Set(records.flatMap((record) => [...record.addedNodes].filter(isFont)));
    // First what was written into texts that are gone, and only then what is gone now.
    for (const { type, target } of records) if (type === "characterData") written(target);
    for (const record of records) {
      for (const node of record.removedNodes) removed(node, record, added);
    }
    observer.takeRecords(); // of what was done here
  });
  observer.observe(root, { childList: true, characterData: true, subtree: true });
}

function removed(node, { addedNodes, previousSibling, nextSibling, target }, added) {
  if (isFont(node)) return restored(node, [...addedNodes].find(isText));
  if (!isText(node)) return undefined;
  const element = [...addedNodes, previousSibling, nextSibling].find((other) => (
    added.has(other) && other.parentNode === target && !standing.has(other)));
  if (!element || (node.isConnected && !element.contains(node))) return undefined;
  if (element.contains(node)) node.replaceWith(node.cloneNode());
  standing.set(element, { text: node, said: node.data });
  elements.set(node, element);
  node.data = "";
  element.before(node);
  return undefined;
}

// A text that a translation stands for got another one.
function written(text) {
  const element = elements.get(text);
  if (!element) return;
  forget(element);
  element.remove();
}

// The translation of a text was taken back.
function restored(element, text) {
  const stood = standing.get(element);
  if (!stood?.text.isConnected) return;
  forget(element);
  if (text && text !== stood.text) text.remove();
  stood.text.data ||= stood.said;
}

function forget(element) {
  elements.delete(standing.get(element).text);
  standing.delete(element);
}
