// The threads behind a number, as the list shows them; in place of the report until it is left.

import { html, nothing } from "lit-html";

import { measureOf } from "../core/reports/state.js";
import { ownZone, zoneText } from "../core/time.js";
import { durationText, timeText } from "../core/reports/words.js";
import { refusalOf } from "../ui/elements/language.js";
import { PageModule } from "../ui/elements/page-module.js";
import { RowPool } from "../ui/list/row.js";

const STEPS = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, Home: -Infinity, End: Infinity, PageDown: 8, PageUp: -8 };

/** @type {{address: string, result: ReportBehind, active: number, top: number} | null} where a thread was opened last */
let opened = null;

export class ReportThreads extends PageModule {
  /** @type {ReportBehind | null} */
  #result = null;
  /** @type {any} */
  #problem = null;
  #reads = false;
  #active = 0;

  // address: of these threads; ask(after): reads rows after a position; look(): what the report draws from; partText(): the name of the part.
  /** @param {Page & {address: string, state: ReportState, rows: ReportRows, ask(after: number[] | null): Promise<any>, changed(): void,
   *   look(): ReportLook, partText(): string}} page */
  constructor({ address, state, rows, ask, changed, look, partText, ...page }) {
    super(page);
    this.address = address;
    this.state = state;
    this.rows = rows;
    this.ask = ask;
    this.changed = changed;
    this.look = look;
    this.partText = partText;
    this.list = document.createElement("div");
    Object.assign(this.list, { className: "list report-rows", tabIndex: 0 });
    this.list.setAttribute("role", "listbox");
    this.list.addEventListener("click", ({ target }) => this.#press(/** @type {HTMLElement} */ (target).closest(".row")));
    this.list.addEventListener("keydown", (event) => this.#key(event));
    this.pool = new RowPool(this.list);
  }

  get title() {
    return this.ui.language.t("reports.rows.title", { metric: this.ui.language.t(`reports.metric.${this.state.metric}`) });
  }

  // Reads the first rows; as many as there were if the admin comes back from a thread.
  async begin() {
    const was = opened?.address === this.address ? opened : null;
    if (!was) return this.read();
    this.#result = was.result;
    this.#active = was.active;
    this.changed();
    const main = /** @type {HTMLElement | null} */ (document.querySelector(".area-main"));
    if (main) main.scrollTop = was.top;
    this.list.focus({ preventScroll: true });
    return this.read(was.result.rows.length);
  }

  // Reads the rows that follow, or this number of rows anew.
  async read(anew = 0) {
    if (this.#reads) return;
    this.#reads = true;
    this.#problem = null;
    this.changed();
    try {
      let result = anew ? null : this.#result;
      do {
        const part = await this.ask(result?.next ?? null);
        for (const row of part.rows) this.data.rows.put(row);
        result = { ...part, rows: [...(result?.rows ?? []), ...part.rows], values: [...(result?.values ?? []), ...part.values] };
      } while (result.next && result.rows.length < anew);
      this.#result = result;
      this.#active = Math.max(0, Math.min(this.#active, result.rows.length - 1));
    } catch (error) {
      this.#problem = error;
    }
    this.#reads = false;
    this.changed();
  }

  content() {
    const { t } = this.ui.language;
    if (this.#result) this.#paint();
    const { total = 0, count = 0, rows = [], next = null } = this.#result ?? {};
    return html`<p class="set-help report-behind">${this.#about()}</p>
      <p class="report-state" role="status">${this.#problem ? html`<span class="report-problem">${refusalOf(this.#problem, t)}</span>
        <button type="button" class="button" @click=${() => this.read()}>${t("retry")}</button>`
        : !this.#result ? t("loading") : total === 0 ? t("reports.rows.none") : [count === total ? "" : t("reports.rows.times", { count }),
          t("reports.rows.count", { count: total })].filter(Boolean).join(" ")}</p>
      ${rows.length ? this.list : ""}
      ${next ? html`<button type="button" class="button report-more" ?disabled=${this.#reads} @click=${() => this.read()}
        >${t("reports.rows.more", { count: total - rows.length })}</button>` : ""}`;
  }

  // Says what the number counts, and links to the list of that moment.
  #about() {
    const { t } = this.ui.language;
    const { words, asItWas, follow, ownTime } = this.look();
    const isLevel = measureOf(this.state.metric) === "level";
    const at = this.#result?.at ?? null;
    const when = isLevel ? at !== null && t("reports.rows.at", { time: words.written("moment", at) }) : timeText(this.rows, words, t);
    const link = isLevel && at !== null ? asItWas(at, this.rows.part) : null;
    const { timezone } = this.state;
    const zone = timezone === ownZone() ? "" : zoneText(timezone);
    return html`${[when && zone ? t("reports.zone", { time: when, zone }) : when, this.partText()].filter(Boolean).join(" · ")}${link ? html` · <a href=${link} title=${ownTime(at) || nothing}
      @click=${follow}>${t("reports.rows.list")}</a>` : ""}`;
  }

  #paint() {
    const { t, words } = this.ui.language;
    const px = this.ui.density.rowPx;
    const { rows, values, total } = this.#result;
    const { words: own } = this.look();
    const isDurations = measureOf(this.state.metric) === "durations";
    this.list.style.height = `${rows.length * px}px`;
    this.list.setAttribute("aria-label", this.title);
    const look = {
      view: "query", sort: "arrival", byWait: measureOf(this.state.metric) === "level", now: this.net.now(), t, words,
      adminId: this.data.adminId, own: "", fresh: false, mark: "", picked: false, outside: false, current: false,
    };
    const byId = new Map(rows.map((row, at) => [row.id, at]));
    this.pool.show([...byId.keys()], (id, row) => {
      const at = byId.get(id);
      row.bind(`report-${id}`, rows[at], { ...look, active: at === this.#active });
      row.element.dataset.thread = id;
      const value = isDurations ? durationText(values[at], t) : own.written("stamp", values[at]);
      row.element.querySelector(".row-own").textContent = value;
      row.place(at * px, { at, of: total }, value);
    });
    if (rows.length) this.list.setAttribute("aria-activedescendant", `row-report-${rows[this.#active].id}`);
  }

  /** @param {HTMLElement | null} row */
  #press(row) { if (row?.dataset.thread) this.#open(this.#result.rows.findIndex(({ id }) => id === Number(row.dataset.thread))); }

  #open(at) {
    const top = this.list.closest(".area-main")?.scrollTop ?? 0;
    opened = { address: this.address, result: this.#result, active: at, top };
    this.acts.open(this.#result.rows[at].id);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#result) return;
    const { rows } = this.#result;
    const step = STEPS[event.key];
    if (event.key === "Enter" || event.key === "o") this.#open(this.#active);
    else if (step !== undefined) {
      this.#active = Math.min(rows.length - 1, Math.max(0, this.#active + step));
      this.#paint();
      this.list.querySelector(".row.active")?.scrollIntoView({ block: "nearest" });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
