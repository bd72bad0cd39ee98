// The limits of a view, told before the server refuses it.

const NEAR_CHARACTERS = 20;
const NEAR_VIEWS = 10;

// The server counts characters (code points), without blanks around them.
/** @param {string} text */
const lengthOf = (text) => [...text.trim()].length;

/** @param {string} text @param {number} most */
export const isTooLong = (text, most) => lengthOf(text) > most;

// "" as long as there is enough room.
/** @param {string} text @param {number} most @param {Translate} t @returns {string} */
export function leftText(text, most, t) {
  const left = most - lengthOf(text);
  if (left < 0) return t("composer.too_long", { count: -left });
  return left <= NEAR_CHARACTERS ? t("composer.left", { count: left }) : "";
}

// How many views an owner ("me", a desk, "all") has of those there may be, and whether there is room
// for one more: one's own are counted, and those of others together. was: the view before the change,
// which takes no more room.
/** @param {Pick<SavedView, "owner">[]} views @param {string} owner @param {SavedView | undefined} was */
export function roomFor(views, owner, was, limits) {
  const isOwn = owner === "me";
  const most = isOwn ? limits.own_views : limits.shared_views;
  const count = views.filter((view) => (view.owner === "me") === isOwn).length;
  const isNew = !was || (was.owner === "me") !== isOwn;
  return { count, most, isFull: isNew && count >= most, isNear: isNew && count >= most - NEAR_VIEWS };
}

/** @param {{count: number, most: number, isFull: boolean, isNear: boolean}} room */
export function roomText({ count, most, isFull, isNear }, owner, t) {
  if (!isNear) return "";
  const said = t(`view.room.${owner === "me" ? "me" : "all"}`, { count, most });
  return isFull ? `${said} ${t("view.room.full")}` : said;
}
