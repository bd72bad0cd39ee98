// Why something was not done, in the admin's language where the reason is known.

// problem: what an answer held, or null where none came.
export function refusal(problem, t) {
  if (!problem) return t("error.network");
  const { code, detail, assignee } = problem;
  const said = t.named("error", code, { detail, name: assignee?.name ?? t("author.team") });
  return said === code ? detail || t("error.other") : said;
}

export const refusalOf = (error, t) => refusal(
  error.status === 0 ? null : error.body ?? { detail: error.detail }, t,
);
