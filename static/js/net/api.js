// The dashboard's HTTP calls by name.

const THREADS = "/admin/api/threads";

export class Api {
  constructor(http) {
    this.http = http;
  }

  me() { return this.http.get("/admin/api/me"); }
  prefer(changes) { return this.http.patch("/admin/api/me/preferences", changes); }
  signOut() { return this.http.post("/logout"); }

  rows(ids) { return this.http.get(`${THREADS}?ids=${ids.join(",")}`); }

  messagesBefore(threadId, messageId, limit = 50) {
    return this.http.get(`${THREADS}/${threadId}/messages?before=${messageId}&limit=${limit}`);
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

  // claim, release, close, reopen
  act(threadId, action) { return this.http.post(`${THREADS}/${threadId}/${action}`); }

  prioritise(threadId, priority) {
    return this.http.put(`${THREADS}/${threadId}/priority`, { priority });
  }
}
