// Undoes the admin's acts: each is offered for a minute, the newest in a toast, all of them by a key.

import { html } from "lit-html";

import { shown } from "../../core/names.js";
import { refusal, refusalOf } from "./language.js";
import { PageModule } from "./page-module.js";

const CHUNK = 50; // acts in one request, so that other requests are served in between
const AGAIN_MS = 1000;

export class Undoing extends PageModule {
  progress = null; // {done, total} while many acts are undone
  #offers = new Offers();
  #running = new Set(); // acts and undos on the way
  #toast = 0; // the toast of the newest offer

  // Runs an act. An undo waits for its answer, so that it undoes this act and not the one before.
  /** @template T @param {() => Promise<T>} run @returns {Promise<T>} */
  during(run) {
    const running = run();
    const ended = () => this.#running.delete(running);
    this.#running.add(running);
    running.then(ended, ended);
    return running;
  }

  // acts: their ids; done() is called after the undo; actions stand beside Undo; name: the act in short.
  /** @param {{text: string, name?: string, acts: number[], done?: () => void, actions?: ToastAction[]}} given */
  offer({ text, name = text, acts, done = () => {}, actions = [] }) {
    if (!acts.length) return void this.ui.toasts.show(text, actions);
    this.#offers.add({ acts, done, name, text }, this.net.now());
    return this.#show(text, actions);
  }

  // Shows the newest offer that was open before a reload, and keeps all of them for the next one.
  /** @param {TabMemory} memory */
  keepIn(memory) {
    this.#offers.keepIn(memory);
    const newest = this.#offers.newest(this.net.now());
    if (newest) this.#show(newest.offer.text);
  }

  // Undoes the last act; of one on many threads that still runs, what is done.
  async undo() {
    this.ui.bulk.part?.stop();
    while (this.#running.size) await Promise.allSettled([...this.#running]);
    const offer = this.#offers.take(this.net.now());
    this.ui.toasts.drop(this.#toast);
    if (!offer) return void this.ui.toasts.show(this.ui.language.t("undo.nothing"));
    return this.during(() => this.#run(offer));
  }

  // Shows a text in the toast with the newest offer; there is only one, however many offers there are.
  #show(text, actions = []) {
    const { ui: { toasts, language: { t } }, net: { now } } = this;
    const newest = this.#offers.newest(now());
    const undo = { text: html`${t("undo")}<kbd>z</kbd>`, keys: "z", run: () => void this.undo() };
    toasts.drop(this.#toast);
    if (!newest) return void toasts.show(text, actions);
    this.#toast = toasts.show(text, [...actions, undo], { shownMs: newest.leftMs, stays: true });
  }

  async #run({ acts, done, name }) {
    const results = [];
    let problem = "";
    try {
      for (let from = 0; from < acts.length; from += CHUNK) {
        this.#setProgress({ done: from, total: acts.length });
        const some = acts.slice(from, from + CHUNK);
        results.push(...(await twice(() => this.net.api.undo(some))).results);
      }
    } catch (error) {
      problem = refusalOf(error, this.ui.language.t);
    }
    this.#setProgress(null);
    for (const { row } of results) if (row) this.data.rows.put(row);
    const refused = results.filter(({ status }) => status !== "done");
    const later = refused.filter((each) => each.problem.status >= 500);
    const left = [...later.map(({ act }) => act), ...acts.slice(results.length)];
    if (results.length > refused.length) done?.();
    if (left.length) this.#offers.add({ acts: left, done, name, text: name }, this.net.now());
    this.#tell(results.length - refused.length, {
      name, total: acts.length, refused: refused.filter((each) => !later.includes(each)), left: left.length,
      problem: problem || (later.length ? refusal(later[0].problem, this.ui.language.t) : ""),
    });
    this.ui.painter.askAll();
  }

  // "Undone: Closed Mai", or "47 undone. 3 of 50 were changed by Ken and stay." What could not be reached can be
  // tried again; else the act before can be undone.
  #tell(count, { name, total, refused, left, problem }) {
    const { t } = this.ui.language;
    const told = count === total ? [t("undo.whole", { text: name })] : count ? [t("undo.done", { count })] : [];
    if (total === 1 && refused.length) told.push(refusal(refused[0].problem, t));
    else if (refused.length) told.push(...this.#refusedText(refused, total));
    if (left) told.push(problem, t("undo.left", { count: left }));
    const before = left ? null : this.#offers.newest(this.net.now());
    const said = [told.join(" "), before ? t("undo.before", { text: before.offer.name }) : ""];
    if (told.length) this.#show(said.filter(Boolean).join(" · "));
  }

  #refusedText(refused, total) {
    const { ui: { language: { t } }, data: { adminId } } = this;
    const changed = refused.filter(({ problem }) => problem.code === "done_meanwhile");
    const by = changed.map(({ problem }) => problem.by);
    const [one] = by;
    const isOf = by.every((each) => each && each.id !== adminId) ? "colleagues" : "since";
    const isOfOne = isOf === "colleagues" && by.every(({ id }) => id === one.id);
    const { length: others } = refused.filter((each) => !changed.includes(each));
    return [
      !changed.length ? "" : t(isOfOne ? "undo.changed.by" : `undo.changed.${isOf}`, {
        count: changed.length, total, name: isOfOne ? shown(one.name) : "",
      }),
      others ? t("undo.refused", { count: others }) : "",
    ].filter(Boolean);
  }

  #setProgress(progress) {
    this.progress = progress;
    this.ui.painter.ask("banner");
  }
}

// Asks again once after a failure. A repeated request does not repeat the effects of the first one.
/** @template T @param {() => Promise<T>} ask @returns {Promise<T>} */
export async function twice(ask) {
  try {
    return await ask();
  } catch (error) {
    if (error.status >= 400 && error.status < 500 && error.status !== 429) throw error;
    await new Promise((resolve) => { setTimeout(resolve, error.retryAfterMs ?? AGAIN_MS); });
    return ask();
  }
}

// The acts that can be undone: the newest first, each for a minute.
export const OFFER_MS = 60_000;

export class Offers {
  #list = [];
  #memory = null;

  // Adds the offers that an earlier page of this tab kept; what was to follow their undo is lost with it.
  /** @param {TabMemory} memory */
  keepIn(memory) {
    this.#memory = memory;
    this.#set([...memory.read("undo") ?? [], ...this.#list]);
  }

  // offer: any value, which `take` returns.
  /** @template T @param {T} offer @param {number} now @returns {T} */
  add(offer, now) {
    this.#set([...this.#valid(now), { offer, until: now + OFFER_MS }]);
    return offer;
  }

  // Returns {offer, leftMs} of the newest one, or null.
  /** @param {number} now */
  newest(now) {
    const last = this.#valid(now).at(-1);
    return last ? { offer: last.offer, leftMs: last.until - now } : null;
  }

  // Removes and returns the newest offer; null if there is none.
  /** @param {number} now */
  take(now) {
    const list = this.#valid(now);
    const last = list.pop();
    this.#set(list);
    return last?.offer ?? null;
  }

  #set(list) {
    this.#list = list;
    this.#memory?.write("undo", list);
  }

  #valid(now) { return this.#list.filter(({ until }) => until > now); }
}
