// The threads behind a number, as the list shows them; in place of the report until it is left.

import { html } from "lit-html";

import { measureOf } from "../core/reports/state.js";
import { timeText } from "../core/reports/words.js";
import { refusalOf } from "../ui/elements/language.js";
import { PageModule } from "../ui/elements/page-module.js";
import { RowPool } from "../ui/list/row.js";

const STEPS = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1, Home: -Infinity, End: Infinity, PageDown: 8, PageUp: -8 };

export class ReportThreads extends PageModule {
  /** @type {{rows: Row[], total: number, next: number[] | null, at: number | null} | null} */
  #found = null;
  /** @type {any} */
  #problem = null;
  #reads = false;
  #active = 0;

  // ask(after): reads rows after a position; look(): what the report draws from; partText(): the name of the part.
  /** @param {Page & {state: ReportState, rows: ReportRows, ask(after: number[] | null): Promise<any>, changed(): void,
   *   look(): ReportLook, partText(): string}} page */
  constructor({ state, rows, ask, changed, look, partText, ...page }) {
    super(page);
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

  // Reads the first rows, or those that follow.
  async read() {
    if (this.#reads) return;
    this.#reads = true;
    this.#problem = null;
    this.changed();
    try {
      const part = await this.ask(this.#found?.next ?? null);
      this.#found = { ...part, rows: [...(this.#found?.rows ?? []), ...part.rows] };
      for (const row of part.rows) this.data.rows.put(row);
    } catch (error) {
      this.#problem = error;
    }
    this.#reads = false;
    this.changed();
  }

  content() {
    const { t } = this.ui.language;
    if (this.#found) this.#paint();
    const { total = 0, rows = [], next = null } = this.#found ?? {};
    return html`<p class="set-help report-behind">${this.#about()}</p>
      <p class="report-state" role="status">${this.#problem ? html`<span class="report-problem">${refusalOf(this.#problem, t)}</span>
        <button type="button" class="button" @click=${() => this.read()}>${t("retry")}</button>`
        : !this.#found ? t("loading") : total === 0 ? t("reports.rows.none") : t("reports.rows.count", { count: total })}</p>
      ${rows.length ? this.list : ""}
      ${next ? html`<button type="button" class="button report-more" ?disabled=${this.#reads} @click=${() => this.read()}
        >${t("reports.rows.more", { count: total - rows.length })}</button>` : ""}`;
  }

  // What the number was, and where the list of that moment is.
  #about() {
    const { t } = this.ui.language;
    const { words, asItWas, follow } = this.look();
    const isLevel = measureOf(this.state.metric) === "level";
    const at = this.#found?.at ?? null;
    const when = isLevel ? at !== null && t("reports.rows.at", { time: words.written("moment", at) }) : timeText(this.rows, words, t);
    const link = isLevel && at !== null ? asItWas(at, this.rows.part) : null;
    return html`${[when, this.partText()].filter(Boolean).join(" · ")}${link ? html` · <a href=${link}
      @click=${follow}>${t("reports.rows.list")}</a>` : ""}`;
  }

  #paint() {
    const { t, words } = this.ui.language;
    const px = this.ui.density.rowPx;
    const { rows, total } = this.#found;
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
      row.place(at * px, { at, of: total });
    });
    if (rows.length) this.list.setAttribute("aria-activedescendant", `row-report-${rows[this.#active].id}`);
  }

  #press(row) { if (row?.dataset.thread) this.acts.open(Number(row.dataset.thread)); }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#found) return;
    const { rows } = this.#found;
    const step = STEPS[event.key];
    if (event.key === "Enter" || event.key === "o") this.acts.open(rows[this.#active].id);
    else if (step !== undefined) {
      this.#active = Math.min(rows.length - 1, Math.max(0, this.#active + step));
      this.#paint();
      this.list.querySelector(".row.active")?.scrollIntoView({ block: "nearest" });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
