import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { LOCALES, translator } from "../../static/js/core/i18n.js";
import { timeWords } from "../../static/js/core/time.js";

const read = (name) => JSON.parse(readFileSync(new URL(`../../static/i18n/${name}.json`, import.meta.url), "utf8"));
const texts = Object.fromEntries(LOCALES.map((locale) => [
  locale, { ...read(`login/${locale}`), ...read(`settings/${locale}`), ...read(`settings/webhooks/${locale}`),
  ...read(`settings/keys/${locale}`), ...read(`settings/team/${locale}`), ...read(`settings/queues/${locale}`),
  ...read(`queues/${locale}`), ...read(locale) },
]));
const t = (locale) => translator(locale, texts[locale]);

// Wordings that speakers of the languages found better; these keys must have these texts.
const WORDINGS = {
  en: {
    "status.auto": "Automatic",
    "own.no_end": "Until I change it",
    "notify.views": "Notify me about",
    "empty.failed.text": "Retrying automatically.",
    "error.forbidden_character": "This text contains a character that isn't allowed.",
    "error.invalid_id": "This name isn't allowed.",
    "rule.never answered": "Never answered: whoever asked first",
    online: "Customers online",
    "banner.offline": "You're offline.",
    "sort.longest_wait": "Longest wait",
    "sort.unanswered_first": "Unanswered first",
    "sort.soonest": "Snooze ends first",
    "view.arrival": "All open",
    "login.email": "Email",
    "login.unauthorized": "The email address or the password is wrong.",
    "thread.assignee.you": "with you",
  },
  ja: {
    "customer.member": "会員ランク",
    "sending.take_back": "編集に戻す",
    "row.never_answered": "初回返信前",
    "sort.unanswered_first": "初回返信前を先に",
    "live.waiting": "未接続",
    "rule.waiting": "お待ちの方：待ち時間の長い順",
    "rule.not waiting": "お待ちでない方：新着順",
    "error.already_claimed": "{name}さんがすでに担当しています。",
    "author.note": "{name}さんのメモ",
    "explain.rule": "ルール",
    "rule.never answered": "初回返信前：初回お問い合わせが古い順",
    "fact.first_call_at": "初回お問い合わせ",
    "follow.after_reply": "返信後はその位置へ移動",
    "follow.always": "常に移動",
    keys: "1文字ショートカット",
    "help.short": "ショートカット",
    "key.list:top": "先頭へ（ライブに戻る）",
    "key.pane": "次のパネルへ",
    "delivery.queued.bot": "チャットボットへの送信待ち",
    "delivery.delivered.customer": "お客様に配信済み",
    "member.tier": "会員ランク {tier}",
    online: "オンラインのお客様",
    "banner.reload": "新しいバージョンを読み込む",
    "banner.offline": "現在オフラインです。",
    "notify.views": "件数が増えたら通知するページ",
    "webhooks.about": "担当者の操作は、Standard Webhooks 1.0の署名付きで送信されます。失敗時は3日間、自動で再送します。",
  },
  vi: {
    "sort.unanswered_first": "Chưa từng trả lời trước",
    "filter.unassigned": "Chưa phân công",
    "act.claim": "Nhận xử lý",
    "act.release": "Trả lại",
    "thread.assignee": "{name} phụ trách",
    "thread.assignee.you": "Bạn phụ trách",
    "empty.history": "Chưa có hội thoại nào được đóng",
    "chip.moved": "Hội thoại đang mở hiện ở vị trí {rank} · Xem",
    "live.held": "Đang giữ nguyên",
    "live.waiting": "Mất kết nối",
    "viewer.away": "{name} đang mở nhưng không xem",
    "presence.delayed": "Trạng thái cập nhật chậm; chấm màu là trạng thái gần nhất đã biết.",
    "error.presence_unavailable": "Hiện không xem được trạng thái hiện diện.",
    "notify.views": "Báo khi các mục này có thêm hội thoại",
    "seen.unknown": "Không rõ lần hoạt động gần nhất",
    "customer.since": "Khách từ",
    density: "Mật độ dòng",
    "follow.always": "Luôn cuộn theo",
    "follow.after_reply": "Cuộn theo sau khi tôi trả lời",
    "settings.back": "Về trang hỗ trợ",
    "sending.take_back": "Đưa về ô soạn",
    online: "Khách đang trực tuyến",
  },
};

for (const [locale, wanted] of Object.entries(WORDINGS)) {
  test(`the better wordings of ${locale}`, () => {
    for (const [key, text] of Object.entries(wanted)) assert.equal(texts[locale][key], text, key);
  });
}

test("a customer panel names the rank, not the order by it", () => {
  for (const locale of LOCALES) assert.ok(texts[locale]["customer.member"], locale);
  assert.notEqual(texts.ja["customer.member"], texts.ja["sort.member_status"]);
});

const said = (locale) => Object.entries(texts[locale])
  .flatMap(([key, entry]) => (typeof entry === "string" ? [[key, entry]]
    : Object.values(entry).map((text) => [key, text])));

test("Japanese calls customers and lists by one word each, and writes no space before a counter", () => {
  const wrong = said("ja").filter(([, text]) => /顧客|リスト/.test(text)
    || /[}\d] [\u3040-\u30ff\u4e00-\u9fff]/.test(text) || /[\u3040-\u30ff\u4e00-\u9fff] [{\d]/.test(text));
  assert.deepEqual(wrong.filter(([key]) => key !== "member.tier"), []);
  const words = timeWords("ja");
  for (const unit of ["m", "h", "d", "y"]) {
    assert.match(words.short({ unit, value: 22 }, "今"), /^22\S+$/);
    assert.match(words.long({ unit, value: 22 }), /^22\S+$/);
  }
});

test("the number of waiting threads above each list says that it counts all, not those of the list", () => {
  const waiting = LOCALES.map((locale) => [locale, t(locale)("queue.waiting", { count: 75 })]);
  assert.deepEqual(Object.fromEntries(waiting), {
    en: "75 waiting in all", vi: "Tổng 75 đang chờ", ja: "全体で75件待ち",
  });
});

test("a Vietnamese conversation is no “cuộc” alone", () => {
  const alone = said("vi").filter(([, text]) => /cuộc(?! (trò chuyện|gọi|họp))/i.test(text));
  assert.deepEqual(alone, []);
});

test("English writes e-mail in one way", () => {
  assert.deepEqual(said("en").filter(([, text]) => /e-mail/i.test(text)), []);
});

test("no refusal holds a sentence of the server, which is English", () => {
  for (const locale of LOCALES) {
    const holds = said(locale).filter(([key, text]) => key.startsWith("error.") && /\{detail\}/.test(text));
    assert.deepEqual(holds, [], locale);
    assert.ok(t(locale)("error.other") !== "error.other");
  }
});
