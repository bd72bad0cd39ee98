import assert from "node:assert/strict";
import { test } from "node:test";

import { hue, initial, shown, visitorNumber } from "../../../static/js/core/names.js";
import { split } from "../../../static/js/ui/thread/message.js";

const links = (text) => split(text).filter(({ href }) => href).map(({ href }) => href);
const joined = (text) => split(text).map((part) => part.text).join("");

test("addresses of http and https become links, nothing else does", () => {
  assert.deepEqual(links("see https://example.com/a?b=1. And http://x.org!"), [
    "https://example.com/a?b=1", "http://x.org",
  ]);
  for (const text of [
    "javascript:alert(1)", "data:text/html,x", "xhttps://", "https://", "ftp://example.com", "",
  ]) assert.deepEqual(links(text), [], text);
});

// Texts as people write them; the address stands between ⟦ and ⟧.
const ENDS = [
  "See ⟦https://en.wikipedia.org/wiki/Ruby_(programming_language)⟧.",
  "(see ⟦https://en.wikipedia.org/wiki/Ruby_(programming_language)⟧)",
  "(⟦https://example.com/a⟧), then", "[⟦https://example.com/a⟧]", "{⟦https://example.com/a⟧}",
  "<⟦https://example.com/a⟧>", "[the page](⟦https://example.com/a_(b)⟧)",
  "[⟦https://example.com/a⟧](⟦https://example.com/a⟧)", "⟦https://example.com/a⟧(", "⟦https://example.com⟧(here)",
  "**⟦https://example.com/track⟧**", "*⟦https://example.com/track⟧* now", "_⟦https://example.com/track⟧_",
  "⟦https://example.com/track_⟧", "~~⟦https://example.com⟧~~", "`⟦https://example.com/a⟧`", "|⟦https://example.com/a⟧|",
  "⟦https://example.com/2*3*4⟧", "\"⟦https://example.com/a⟧\"", "'⟦https://example.com/a⟧'", "“⟦https://example.com/a⟧”",
  "‘⟦https://example.com/a⟧’", "«⟦https://example.com/a⟧»", "⟦https://en.wikipedia.org/wiki/Hallowe'en⟧!",
  "⟦https://fr.wikipedia.org/wiki/L’Équipe⟧,", "⟦https://example.com/a⟧…", "⟦https://example.com/a⟧...", "⟦https://example.com/a⟧?!",
  "⟦https://example.com/a?b=(c)&d=e;f⟧;", "⟦https://example.com/a⟧: b", "⟦https://example.com/a⟧ — see", "⟦https://example.com/a⟧—see",
  "⟦https://en.wikipedia.org/wiki/2019–20_season⟧ – good", "⟦https://example.com⟧👍", "⟦https://example.com/a/⟧", "⟦http://[::1]:8000/a⟧]",
  "⟦https://example.com/a?next=https://b.example/c⟧", "⟦https://example.com:8443⟧.", "⟦https://example.com/a⟧\u200b",
  "⟦https://example.com/~mai/#top⟧", "⟦https://example.com/a,b;c⟧, d",
  // Vietnamese
  "Chị xem ⟦https://vi.wikipedia.org/wiki/Hà_Nội⟧, nhé", "ở ⟦https://example.com/đơn-hàng/số-7⟧.", "tại ⟦https://example.com/theo-dõi⟧ ạ!",
  "⟦https://vi.wikipedia.org/wiki/Vie\u0323\u0302t_Nam⟧…", "(⟦https://example.com/trả-hàng⟧)", "link:⟦https://example.com/a⟧",
  // Japanese
  "⟦https://example.com/track⟧で確認できます。", "こちら：⟦https://example.com/a⟧。", "「⟦https://example.com/a⟧」をご覧ください",
  "（⟦https://example.com/a⟧）", "⟦https://example.com/a⟧、⟦https://example.com/b⟧", "⟦https://ja.wikipedia.org/wiki/日本語⟧ をどうぞ",
  "⟦https://ja.wikipedia.org/wiki/日本語⟧。", "⟦https://ja.wikipedia.org/wiki/となりのトトロ⟧！", "⟦https://ja.wikipedia.org/wiki/Ruby_(言語)⟧は",
  "⟦https://ja.wikipedia.org/wiki/佐々木ジョン・スミス⟧（人名）", "⟦https://example.com/⟧をご覧ください", "⟦https://example.com⟧です。", "⟦https://日本語.jp⟧です",
  "⟦https://日本語.jp/案内⟧、", "⟦https://example.com/search?q=すし&p=2⟧で", "お知らせ⟦https://example.com/a⟧より", "**⟦https://example.com/a⟧**です", "⟦https://example.com/a⟧〜",
  "⟦https://ja.wikipedia.org/wiki/日本語版Wikipedia入門⟧",
  // Korean, Thai
  "⟦https://example.com/track⟧에서 확인하세요", "⟦https://example.com/⟧에서 확인하세요", "⟦https://example.com⟧입니다.", "⟦https://ko.wikipedia.org/wiki/대한민국⟧, 참고",
  "⟦https://blog.example/글/하나⟧ 참고", "⟦https://example.com/track⟧ครับ", "⟦https://th.wikipedia.org/wiki/ไทย⟧ ครับ",
];

test("an address ends where a reader takes it to end", () => {
  assert.ok(ENDS.length >= 60);
  for (const marked of ENDS) {
    const text = marked.replace(/[⟦⟧]/gu, "");
    const expected = [...marked.matchAll(/⟦([^⟧]*)⟧/gu)].map(([, address]) => address);
    assert.deepEqual(links(text), expected, text);
    assert.equal(joined(text), text);
  }
});

test("the text is the same in the end, whatever it holds", () => {
  for (const text of [
    "こんにちは。https://example.com/追跡、どうぞ", "<b>https://a.example/<script></b>", "a\n\nb", "👍 https://a.example 👍",
  ]) assert.equal(joined(text), text);
  assert.deepEqual(links("こちら：https://example.com/a。"), ["https://example.com/a"]);
});

test("a face has the first letter without its marks", () => {
  assert.equal(initial("linh"), "L");
  assert.equal(initial("山田 太郎"), "山");
  assert.equal(initial("Z̸̢̛͔a̷l"), "Z");
  assert.equal(initial("  “Mai”"), "M");
  assert.equal(initial("\u202Egnp"), "G");
  assert.equal(initial("👩‍👩‍👧‍👦"), "👩");
  assert.equal(initial("…"), "?");
  assert.equal(initial(""), "?");
});

test("a person without a name has the number of their id, or one that stays the same", () => {
  const cases = { "demo-1-3-c004091": "4091", "sim-1a20001cb56-71211f87-of-109": "109", "c-7": "7", 42: "42" };
  for (const [id, number] of Object.entries(cases)) assert.equal(visitorNumber(id), number, id);
  const uuids = [
    "0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "550e8400-e29b-41d4-a716-446655440000", "abc", "日本", "c-0", "",
  ];
  for (const id of uuids) {
    assert.match(visitorNumber(id), /^[1-9]\d{3}$/, id);
    assert.equal(visitorNumber(id), visitorNumber(id));
  }
});

test("a hue is the same for the same id and spread over ids", () => {
  assert.equal(hue("shop/c-1"), hue("shop/c-1"));
  const hues = new Set(Array.from({ length: 100 }, (_, index) => hue(`shop/c-${index}`)));
  assert.ok(hues.size > 60);
});

const host = (text) => split(text).find(({ href }) => href)?.host;

test("what hides in a name is made visible (H27)", () => {
  for (const hidden of [
    "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e", "\u2066", "\u200e", "\u061c",
    "\u3164", "\uffa0", "\u2800", "\u{e0061}", "\ufe0f", "\u034f", "\u180e", "\u0007",
  ]) {
    assert.equal(shown(`admin${hidden}`), "admin\ufffd", hidden.codePointAt(0).toString(16));
    assert.equal(shown(`${hidden}ad${hidden}${hidden}min`), "\ufffdad\ufffdmin");
  }
  assert.equal(shown("1\ufe0f"), "1\ufffd");
});

test("blanks that do not show do not tell names apart (H27)", () => {
  assert.equal(shown(" admin \u2003\t x\u00a0"), "admin x");
  assert.equal(shown("山田\u3000太郎"), "山田 太郎");
});

test("names in any script stay as they are (H27)", () => {
  for (const name of [
    "Mai Nguyễn", "O'Neil, 3rd", "山田 太郎", "محمد", "می\u200cخواهم", "क्\u200dष", "Z̸̢̛͔a̷l", "",
    "👩‍👩‍👧‍👦", "❤️ Mai", "👍🏽", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", "葛\u{e0100}城", "👁‍🗨",
    "1\u202f000",
  ]) assert.equal(shown(name), name);
});

test("a link says where it leads if its text hides it (H27)", () => {
  for (const text of [
    "https://good.example/a?b#c", "http://good.example", "HTTPS://Good.example:443/", "https://good.example:8443/x",
    "https://good.example/日本?q=@x",
  ]) assert.equal(host(text), null, text);
  assert.equal(host("https://good.example/@user"), null);
  for (const [text, where] of [
    ["https://good.example/@evil.example/", null],
    ["https://good.example@evil.example/", "evil.example"],
    ["https://good.example:443@good.example/", "good.example"],
    ["https://good.example:x@evil.example:8080/", "evil.example:8080"],
    ["https://good.example%2f@evil.example/", "evil.example"],
    ["https://good.example\\@evil.example/", "good.example"],
    ["https://evil.example/\u202emoc.elpmaxe.doog", "evil.example"],
    ["https://evil\u00ad.example/", "evil.example"],
    ["https://раураl.example/", "xn--l-7sba6dbr.example"],
    ["https://0x7f.1/", "127.0.0.1"],
  ]) assert.equal(host(text), where, text);
});
