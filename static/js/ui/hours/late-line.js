// "This would make n threads late", beside what is being changed.

import { html } from "lit-html";

import { refusalOf } from "../elements/refusal.js";

// A change that makes more threads late is warned of, not refused.
/** @param {import("../../core/hours/late-check.js").LateCheck} check @param {Translate} t */
export function lateLine({ state, answer, error }, t) {
  const waiting = state === "asking";
  return html`<p class="late-line" role="status" aria-busy=${String(waiting)} data-more=${(answer?.newly_late ?? 0) > 0}
    >${error ? refusalOf(error, t) : answer ? said(answer, t) : waiting ? t("loading") : ""}</p>`;
}

function said({ waiting, late_now: now, late_after: then, newly_late: newly }, t) {
  if (!waiting) return t("late.nobody");
  const first = newly ? t("late.newly", { count: newly }) : t("late.none");
  return html`<strong>${first}</strong> <span>${t("late.compared", { now, count: then, waiting })}</span>`;
}
