// Why a request was refused, in the admin's language if the reason is known.

// problem: of the answer, or null if none came.
/** @param {Translate} t */
export function refusal(problem, t) {
  if (!problem) return t("error.network");
  const { code, detail, assignee, by, errors } = problem;
  const field = errors?.[0]?.pointer?.match(/^\/(\w+)$/)?.[1];
  const unnamed = by === null ? t("did.bot") : t("author.team");
  const name = (assignee ?? by)?.name ?? unnamed;
  // The same code means more at some fields.
  const key = [`${code}.${field}`, code].find((one) => t.named("error", one) !== one);
  const said = key && t.named("error", key, { name });
  if (!said) return t.locale === "en" && detail ? detail : t("error.other");
  const named = field ? t.named("refused", field) : field;
  return named === field ? said : t("refused.at", { field: named, text: said });
}

/** @param {Translate} t */
export const refusalOf = (error, t) => refusal(
  error.status === 0 ? null : error.body ?? { detail: error.detail }, t,
);
