// The dashboard's HTTP API, with a method for each call.

import { fileUrl } from "../core/route.js";
import { listCall, zoneOf } from "../core/route.js";
import { upload } from "./http.js";

const THREADS = "/admin/api/threads";
const VIEWS = "/admin/api/views";

const snoozed = ({ until, wake }) => ({ until: new Date(until).toISOString(), wake });

export class Api {
  constructor(http) {
    this.http = http;
  }

  me() { return this.http.get("/admin/api/me"); }
  prefer(changes) { return this.http.patch("/admin/api/me/preferences", changes); }
  queue() { return this.http.get("/admin/api/queue"); }
  signOut() { return this.http.post("/logout"); }

  team() { return this.http.get("/admin/api/team"); }
  /** @param {number} adminId */
  signOthersOut(adminId) { return this.http.post(`/admin/api/team/${adminId}/sign-out`); }

  /** @param {number} limit */
  online(within, limit, cursor) {
    const asked = new URLSearchParams({
      within: String(within), limit: String(limit), ...(cursor && { cursor }),
    });
    return this.http.get(`/admin/api/presence/online?${asked}`);
  }

  /** @param {number[]} ids */
  rows(ids) { return this.http.get(`${THREADS}?ids=${ids.join(",")}`); }

  // Reads archived threads of a list: those after a position, or those with these ids.
  /** @param {ListName} list @param {{after?: number[], limit?: number, ids?: number[]}} asked */
  archive(list, { after, limit, ids }) {
    const query = new URLSearchParams({
      ...listCall(list), ...(after && { after: after.join(",") }),
      ...(limit && { limit: String(limit) }), ...(ids && { ids: ids.join(",") }),
    });
    return this.http.get(`/admin/api/archive?${query}`);
  }

  // where: "before", "after" or "around" the message; null for the newest messages
  /** @param {number} threadId @param {string | null} where @param {number | null} messageId */
  messages(threadId, where, messageId, limit = 50) {
    const at = where ? `${where}=${messageId}&` : "";
    return this.http.get(`${THREADS}/${threadId}/messages?${at}limit=${limit}`);
  }

  // Finds the messages of a thread that match a search.
  /** @param {number} threadId @param {string} text */
  matches(threadId, text) {
    return this.http.get(`${THREADS}/${threadId}/matches?${new URLSearchParams({ q: text })}`);
  }

  /** @param {string} text @param {number} limit */
  search(text, limit, cursor) {
    const timezone = zoneOf(text);
    const query = new URLSearchParams({
      q: text, limit: String(limit), ...(timezone && { timezone }), ...(cursor && { cursor }),
    });
    return this.http.get(`/admin/api/search?${query}`);
  }

  sorts() { return this.http.get("/admin/api/sorts"); }

  // at: characters (code points) before the cursor
  /** @param {string} text @param {number} at */
  complete(text, at) {
    return this.http.get(`/admin/api/query/complete?${new URLSearchParams({ text, at: String(at) })}`);
  }

  canned() { return this.http.get("/admin/api/canned"); }

  tags() { return this.http.get("/admin/api/tags"); }
  desks() { return this.http.get("/admin/api/desks"); }

  views() { return this.http.get(VIEWS); }
  // changed_at: of the edited version; if another one is saved, the answer is a refusal with that one
  saveView({ id, name, query, sort, owner, timezone, changed_at }) {
    const view = { name, query, sort, owner, timezone };
    return id ? this.http.put(`${VIEWS}/${id}`, { ...view, changed_at })
      : this.http.post(VIEWS, view);
  }

  /** @param {string} id */
  dropView(id) { return this.http.delete(`${VIEWS}/${id}`); }
  /** @param {string[]} ids */
  orderViews(ids) { return this.http.put(`${VIEWS}/order`, { ids }); }
  // timezone: of the days in the query, if it is a saved one
  previewView({ query, sort, timezone = zoneOf(query) }) {
    return this.http.post(`${VIEWS}/preview`, { query, sort, timezone });
  }

  /** @param {number} threadId */
  customer(threadId) { return this.http.get(`${THREADS}/${threadId}/customer`); }
  // given: {customer, text, changed_at}
  /** @param {number} threadId */
  noteCustomer(threadId, given) { return this.http.put(`${THREADS}/${threadId}/customer/note`, given); }
  // person: SOURCE/ID
  /** @param {string} person */
  deleteCustomer(person) {
    const at = person.indexOf("/");
    const named = { source: person.slice(0, at), customer: person.slice(at + 1) };
    return this.http.post("/admin/api/customers/delete", named);
  }

  // action: claim, release, assign, close, reopen, priority, tag, snooze or wake; more: {priority},
  // {until, wake}, {admin_id, note?}, {add, remove}, or {seen} for close: thread id → the newest message that was on screen
  /** @param {number[]} ids @param {string} action @param {any} more */
  bulk(ids, action, more = {}) {
    const given = action === "snooze" ? snoozed(more) : more;
    return this.http.post(`${THREADS}/bulk`, { ids, action, ...given });
  }

  /** @param {OutboxItem} item */
  reply({ threadId, body, private: isPrivate, token, seen, confirm, files = [], mentions = [], suggestion }) {
    return this.http.post(`${THREADS}/${threadId}/replies`, {
      body, private: isPrivate, token, seen_message_id: seen ?? 0, confirm, suggestion,
      ...(files.length && { files: files.map(({ id }) => id) }), ...(mentions.length && { mentions }),
    });
  }

  // more: {progress(part), signal}
  /** @param {number} threadId @param {File} file */
  upload(threadId, file, more) {
    const named = new URLSearchParams({ name: file.name || "file" });
    return upload(`${THREADS}/${threadId}/files?${named}`, file, more).catch((error) => {
      if (error.status === 401) this.http.signedOut();
      throw error;
    });
  }

  /** @param {string} id */
  discardFile(id) { return this.http.delete(fileUrl(id)); }

  // through: the newest message that was on screen
  /** @param {number} threadId @param {number} through */
  readMentions(threadId, through) {
    return this.http.post(`${THREADS}/${threadId}/mentions/read`, { through });
  }

  /** @param {number} threadId @param {number} noteId */
  unreadMention(threadId, noteId) {
    return this.http.post(`${THREADS}/${threadId}/mentions/unread`, { message_id: noteId });
  }

  /** @param {number} threadId @param {number} messageId */
  sendAgain(threadId, messageId) {
    return this.http.post(`${THREADS}/${threadId}/messages/${messageId}/send-again`);
  }

  // until: in ms; wake: "reply" or "never"
  /** @param {number} threadId @param {{until: number, wake: string}} given */
  snooze(threadId, given) { return this.http.post(`${THREADS}/${threadId}/snooze`, snoozed(given)); }

  // claim, release, reopen, wake
  /** @param {number} threadId @param {string} action */
  act(threadId, action) { return this.http.post(`${THREADS}/${threadId}/${action}`); }

  // given: {admin_id, note?}; null is nobody
  /** @param {number} threadId */
  assign(threadId, given) { return this.http.post(`${THREADS}/${threadId}/assign`, given); }

  // changes: the tags to add and to remove
  /** @param {number} threadId @param {TagChanges} changes */
  tag(threadId, changes) { return this.http.put(`${THREADS}/${threadId}/tags`, changes); }

  /** @param {number[]} acts */
  undo(acts) { return this.http.post(`${THREADS}/undo`, { acts }); }

  // seen: the newest message that was on screen; 0 for none
  /** @param {number} threadId @param {number} seen */
  close(threadId, seen) {
    return this.http.post(`${THREADS}/${threadId}/close`, { seen_message_id: seen });
  }

  /** @param {number} threadId @param {string} priority */
  prioritise(threadId, priority) {
    return this.http.put(`${THREADS}/${threadId}/priority`, { priority });
  }
}
