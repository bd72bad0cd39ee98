// Tells the server which mentions of this admin in the open thread were read, and which stay unread.

import { refusalOf } from "../elements/language.js";
import { PageModule } from "../elements/page-module.js";

export class MentionReader extends PageModule {
  #threadId = null;
  #kept = new Set(); // notes that the admin marked as unread since the thread was opened
  #isSending = false;
  #hasJumped = false;

  // looked(): whether somebody may be reading this window.
  /** @param {Page & { looked(): boolean }} page */
  constructor({ looked, ...page }) {
    super(page);
    this.looked = looked;
  }

  // Whether a note mentions this admin.
  /** @param {Message} message */
  mentionsMe({ mentions }) { return Boolean(mentions?.some(({ id }) => id === this.data.adminId)); }
  /** @param {number} noteId */
  isKept(noteId) { return this.#kept.has(noteId); }

  // The conversation was painted, or may be read now: unread notes that are loaded count as read, oldest first;
  // if none is loaded, scrolls to the oldest.
  look() {
    const { thread } = this.data;
    if (thread.id !== this.#threadId) {
      this.#threadId = thread.id;
      this.#kept.clear();
      this.#hasJumped = false;
    }
    if (this.#isSending || thread.state !== "ready" || !thread.mentioned.size || !this.looked()) return;
    const unread = [...thread.mentioned].filter((id) => !this.#kept.has(id)).sort((a, b) => a - b);
    const missing = unread.findIndex((id) => !thread.messages.has(id));
    const read = missing < 0 ? unread : unread.slice(0, missing);
    if (read.length) void this.#read(read.at(-1));
    else if (unread.length && !this.#hasJumped) {
      this.#hasJumped = true;
      void thread.show(unread[0]);
    }
  }

  async #read(through) {
    const { thread } = this.data;
    const { id } = thread;
    this.#isSending = true;
    try {
      const { unread } = await this.net.api.readMentions(id, through);
      if (thread.id === id) thread.mentionsRead(through, unread);
    } catch (error) {
      // The next look tries again; `thread:gone` reports a thread that no longer exists.
      if (error.status >= 400 && error.status < 500 && thread.id === id) thread.mentioned.clear();
    }
    this.#isSending = false;
    for (const note of this.#kept) void this.#keep(id, note);
  }

  // The mention in a note counts as unread again, until the thread is opened the next time.
  /** @param {number} noteId */
  async unread(noteId) {
    const { thread: { id } } = this.data;
    this.#kept.add(noteId);
    this.ui.painter.ask("messages");
    await this.#keep(id, noteId);
  }

  async #keep(threadId, noteId) {
    try {
      await this.net.api.unreadMention(threadId, noteId);
    } catch (error) {
      this.#kept.delete(noteId);
      this.ui.toasts.show(refusalOf(error, this.ui.language.t));
      this.ui.painter.ask("messages");
    }
  }
}
