// The sound and the notification of new work, with the tab that gives them; loaded after the first
// rows.

import { isLookedAt } from "../ui/elements/attention.js";
import { tellLacking } from "../ui/elements/lacking.js";
import { Notifier } from "../ui/shell/notifier.js";

/** @param {OpenNotifierParts} parts @returns {Promise<Notifier>} */
export async function openNotifier(parts) {
  const { Tabs } = await import("../net/tabs.js");
  tellLacking(parts);
  const { adminId, alerts, connection } = parts;
  let made = null;
  const tabs = new Tabs({ name: `lineup:${adminId}`, isLookedAt, thread: () => parts.thread.id });
  made = new Notifier({
    ...parts, tabs: () => tabs, quiet: () => alerts.quiet, chime: () => alerts.chime(),
  });
  await tabs.ready;
  alerts.begin(made);
  if (connection.connected) made.connected();
  return made;
}
