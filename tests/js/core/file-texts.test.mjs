import assert from "node:assert/strict";
import { test } from "node:test";

import { isOfFiles } from "../../../static/js/core/file-texts.js";

// A clipboard as a browser gives it: files by their names, and texts by type.
const clipboard = (names, texts) => ({
  types: [...names.length ? ["Files"] : [], ...Object.keys(texts)],
  files: names.map((name) => ({ name })),
  getData: (type) => texts[type] ?? "",
});

test("a clipboard is of files where its text only names them", () => {
  for (const [from, names, texts, isFiles] of [
    ["Explorer", ["report.pdf"], {}, true],
    ["a screenshot", ["image.png"], {}, true],
    ["an image of a web page", ["image.png"], { "text/html": "<img src=x>" }, true],
    ["Finder", ["report.pdf"], { "text/plain": "report.pdf" }, true],
    ["Finder, ending hidden", ["report.pdf"], { "text/plain": "report" }, true],
    ["Finder, decomposed", ["H\u00f3a \u0111\u01a1n.pdf"], { "text/plain": "Ho\u0301a \u0111o\u031bn.pdf" }, true],
    ["Finder, several", ["a.png", "b c.png"], { "text/plain": "a.png\rb c.png\r" }, true],
    ["Nautilus", ["b c.png"], { "text/plain": "/home/mai/b c.png", "text/uri-list": "file:///home/mai/b%20c.png" }, true],
    ["Dolphin", ["b c.png"], { "text/plain": "file:///home/mai/b%20c.png" }, true],
    ["a path of Windows", ["a.png"], { "text/plain": "C:\\photos\\a.png" }, true],
    ["an empty text", ["a.png"], { "text/plain": "\n" }, true],
    ["Word", ["image.png"], { "text/plain": "Dear Mai", "text/html": "<p>Dear Mai", "text/rtf": "{" }, false],
    ["Word, one word", ["image.png"], { "text/plain": "image", "text/html": "<b>image" }, false],
    ["Excel", ["image.png"], { "text/plain": "1\t2\r\n", "text/html": "<table>" }, false],
    ["Excel, an empty cell", ["image.png"], { "text/plain": "\r\n", "text/html": "<table>" }, false],
    ["Pages", ["image.png"], { "text/plain": "Some words", "text/rtf": "{" }, false],
    ["a text that names a file", ["a.png"], { "text/plain": "See a.png" }, false],
    ["a text that cannot be read as an address", ["a.png"], { "text/plain": "file:///%E0%A4%A" }, false],
  ]) assert.equal(isOfFiles(clipboard(names, texts)), isFiles, from);
});
