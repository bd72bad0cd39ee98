// Why something was not done, in the admin's language where the reason is known.

// problem: what an HTTP answer held, or null where none came.
export function refusal(problem, t) {
  if (!problem) return t("error.network");
  if (problem.code === "already_claimed") {
    return t("error.already_claimed", { name: problem.assignee?.name ?? t("author.team") });
  }
  return problem.detail || t("error.other");
}

export const refusalOf = (error, t) => refusal(
  error.status === 0 ? null : error.body ?? { detail: error.detail }, t,
);
