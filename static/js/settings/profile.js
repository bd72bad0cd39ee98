// The profile page: one's own name, language, time zone, password, second factor and sessions.

import { openPage } from "./page.js";
import { accountCard } from "./profile/account.js";
import { API } from "./profile/card.js";
import { passwordCard } from "./profile/password.js";
import { secondFactorCard } from "./profile/second-factor.js";
import { sessionsCard } from "./profile/sessions.js";

const page = await openPage();

await page.doing(async () => {
  const profile = await page.http.get(API);
  const sessions = sessionsCard(page);
  // Other sessions end with each of these changes.
  const changed = () => sessions.load();
  accountCard(page, profile);
  passwordCard(page, profile, changed);
  secondFactorCard(page, profile, changed);
  await sessions.load();
});
