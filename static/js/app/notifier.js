// The sound and the notification of new work, and the tab that plays and shows them; loaded after the
// first rows.

import { isLookedAt } from "../ui/elements/attention.js";
import { tellLacking } from "../ui/elements/lacking.js";
import { Notifier } from "../ui/shell/notifier.js";

/** @param {Page & { icon: HTMLLinkElement }} page @returns {Promise<Notifier>} */
export async function openNotifier(page) {
  const { data: { adminId, thread }, net: { connection }, ui: { alerts }, acts: { unsent } } = page;
  const [{ Tabs }, kept] = await Promise.all([import("../net/tabs.js"), unsent.preload()]);
  tellLacking(page);
  const tabs = new Tabs({
    name: `lineup:${adminId}`, isLookedAt, thread: () => thread.id,
    lookedElsewhere: () => notifier?.toldElsewhere(),
  });
  const notifier = new Notifier({ ...page, tabs, memory: kept?.tab });
  await tabs.ready;
  alerts.begin(notifier);
  notifier.counted();
  if (connection.connected) notifier.connected();
  return notifier;
}
