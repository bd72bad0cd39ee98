// The dashboard's HTTP calls by name.

const THREADS = "/admin/api/threads";
const CANNED = "/admin/api/canned";

export class Api {
  constructor(http) {
    this.http = http;
  }

  me() { return this.http.get("/admin/api/me"); }
  prefer(changes) { return this.http.patch("/admin/api/me/preferences", changes); }
  signOut() { return this.http.post("/logout"); }

  team() { return this.http.get("/admin/api/team"); }
  signOthersOut(adminId) { return this.http.post(`/admin/api/team/${adminId}/sign-out`); }

  online(within, limit, cursor) {
    const asked = new URLSearchParams({ within, limit, ...(cursor && { cursor }) });
    return this.http.get(`/admin/api/presence/online?${asked}`);
  }

  rows(ids) { return this.http.get(`${THREADS}?ids=${ids.join(",")}`); }

  messagesBefore(threadId, messageId, limit = 50) {
    return this.http.get(`${THREADS}/${threadId}/messages?before=${messageId}&limit=${limit}`);
  }

  search(text, limit, cursor) {
    const query = new URLSearchParams({ q: text, limit, ...cursor ? { cursor } : {} });
    return this.http.get(`/admin/api/search?${query}`);
  }

  canned() { return this.http.get(CANNED); }
  saveCanned({ id, shortcut, body }) {
    return id ? this.http.put(`${CANNED}/${id}`, { shortcut, body })
      : this.http.post(CANNED, { shortcut, body });
  }

  dropCanned(id) { return this.http.delete(`${CANNED}/${id}`); }

  customer(threadId) { return this.http.get(`${THREADS}/${threadId}/customer`); }
  newest(threadId, limit) {
    return this.http.get(`${THREADS}/${threadId}/messages?limit=${limit}`);
  }

  // action: claim, release, close, reopen or priority; more: {priority}
  bulk(ids, action, more = {}) {
    return this.http.post(`${THREADS}/bulk`, { ids, action, ...more });
  }

  explain(threadId, { page, sort, filter }) {
    const list = new URLSearchParams({ page, sort, filter });
    return this.http.get(`${THREADS}/${threadId}/explain?${list}`);
  }

  reply({ threadId, body, private: isPrivate, token, seen, confirm }) {
    return this.http.post(`${THREADS}/${threadId}/replies`, {
      body, private: isPrivate, token, seen_message_id: seen, confirm,
    });
  }

  sendAgain(threadId, messageId) {
    return this.http.post(`${THREADS}/${threadId}/messages/${messageId}/send-again`);
  }

  // claim, release, close, reopen
  act(threadId, action) { return this.http.post(`${THREADS}/${threadId}/${action}`); }

  prioritise(threadId, priority) {
    return this.http.put(`${THREADS}/${threadId}/priority`, { priority });
  }
}
