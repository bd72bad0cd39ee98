// The words of the chat window, in the language of the page.

const TEXTS = {
  en: {
    deleted: "Message deleted", full: "The browser can keep no more unsent messages.",
    chat: "Chat", close: "Close", send: "Send", write: "Write a message", earlier: "Earlier messages",
    hello: "Write to us: a person answers you here.",
    sending: "Sending…", unsent: "Not sent yet. It is sent as soon as that is possible.",
    typing: "Somebody is writing…", offline: "No connection. You can write on: it is sent later.",
    away: "We answer as soon as we are back.", here: "We are here.", team: "Team",
    with: (name) => `${name} looks after you.`,
    place: (place, of) => `You are number ${place} of ${of} in line.`,
    about: (minutes) => ` About ${minutes} min.`,
    unread: (count) => `Chat, ${count} unread`,
  },
  vi: {
    deleted: "Tin nhắn đã bị xóa", full: "Trình duyệt không thể giữ thêm tin chưa gửi.",
    chat: "Trò chuyện", close: "Đóng", send: "Gửi", write: "Viết tin nhắn", earlier: "Tin nhắn trước",
    hello: "Hãy viết cho chúng tôi: nhân viên sẽ trả lời bạn tại đây.",
    sending: "Đang gửi…", unsent: "Chưa gửi được. Tin sẽ được gửi ngay khi có thể.",
    typing: "Có người đang viết…", offline: "Mất kết nối. Bạn cứ viết tiếp: tin sẽ được gửi sau.",
    away: "Chúng tôi sẽ trả lời ngay khi trở lại.", here: "Chúng tôi đang trực tuyến.",
    team: "Nhân viên",
    with: (name) => `${name} đang hỗ trợ bạn.`,
    place: (place, of) => `Bạn đang ở vị trí ${place} trên ${of} người đang chờ.`,
    about: (minutes) => ` Khoảng ${minutes} phút.`,
    unread: (count) => `Trò chuyện, ${count} tin chưa đọc`,
  },
  ja: {
    deleted: "メッセージは削除されました", full: "未送信のメッセージをこれ以上保存できません。",
    chat: "チャット", close: "閉じる", send: "送信", write: "メッセージを入力", earlier: "以前のメッセージ",
    hello: "メッセージをお送りください。担当者がここでお答えします。",
    sending: "送信中…", unsent: "まだ送信されていません。送信できるようになり次第送信します。",
    typing: "入力中…", offline: "接続がありません。入力した内容は後で送信されます。",
    away: "戻り次第お答えします。", here: "オンラインです。", team: "担当者",
    with: (name) => `${name}が担当しています。`,
    place: (place, of) => `${of}人中${place}番目にお待ちです。`,
    about: (minutes) => `約${minutes}分`,
    unread: (count) => `チャット、未読${count}件`,
  },
};

// English where the page has another language, or none that browsers know.
const given = (document.documentElement.lang || navigator.language).split("-")[0].toLowerCase();
export const LANGUAGE = Object.hasOwn(TEXTS, given) ? given : "en";
export const texts = TEXTS[LANGUAGE];
