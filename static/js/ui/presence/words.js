// Presence in words, in the language of the page.

const ACTIVITIES = ["in_call", "in_meeting", "presenting", "focus"];

export function seenText({ unit, count }, t) {
  return t(`seen.${unit}`, { count });
}

/** @param {string} activity @param {Translate} t */
const activityText = (activity, t) => (
  ACTIVITIES.includes(activity) ? t(`activity.${activity}`) : activity
);

// "Do not disturb", "Away", or when they were last seen.
/** @param {PersonKind} kind @param {string | number} id @param {Translate} t */
export function statusText(presence, kind, id, t) {
  const state = presence.of(kind, id);
  const named = state && ["away", "busy", "dnd"].includes(state.status);
  return named ? t(`status.${state.status}`) : seenText(presence.age(kind, id), t);
}

// All of it on one line: status, activity, text, devices.
/** @param {PersonKind} kind @param {string | number} id @param {Translate} t */
export function presenceLine(presence, kind, id, t) {
  const state = presence.of(kind, id);
  const devices = [...new Set(state?.devices ?? [])].map((type) => t(`device.${type}`));
  return [
    statusText(presence, kind, id, t),
    state?.activity ? activityText(state.activity, t) : "",
    state?.text ?? "", devices.join(", "),
  ].filter(Boolean).join(" · ");
}

// "Mai is writing", "Mai and Ken are here".
/** @param {Viewer[]} viewers @param {Translate} t */
export function viewersText(viewers, t) {
  return viewers.map(({ name, mode }) => t(`viewer.${mode}`, { name })).join(" · ");
}

export const ACTIVITY_NAMES = ACTIVITIES;
