/** The times on the pages of accounts, in words. */
import { assertEquals } from "@std/assert";
import { createGrant, createMemoryApps } from "../_apps.ts";
import { PASSWORD, startAccounts } from "../_accounts.ts";

const NOW = Date.UTC(2026, 10, 28, 12);
const MINUTE = 60_000;
const DAY = 86_400_000;

const rows: [age: number, english: string, german: string][] = [
  [-5 * MINUTE, "now", "jetzt"],
  [0, "now", "jetzt"],
  [MINUTE - 1, "now", "jetzt"],
  [MINUTE, "1 minute ago", "vor 1 Minute"],
  [59 * MINUTE, "59 minutes ago", "vor 59 Minuten"],
  [2 * 60 * MINUTE, "2 hours ago", "vor 2 Stunden"],
  [DAY, "yesterday", "gestern"],
  [7 * DAY - 1, "6 days ago", "vor 6 Tagen"],
  [7 * DAY, "2026-11-21", "am 2026-11-21"],
];

for (const [age, english, german] of rows) {
  Deno.test(`a use of ${age} milliseconds ago is shown as "${english}"`, async () => {
    const { accounts, browser, registered } = startAccounts({ now: () => NOW });
    const apps = createMemoryApps();
    accounts.connect(apps);
    const ada = await registered();
    const email = "ada@example.com";
    const { id } = (await accounts.users.findByEmail(email))!;
    const lastUsedAt = NOW - age;
    apps.add(id, createGrant({ lastUsedAt }));
    const other = browser({ "Accept-Language": "de" });
    await other.post("/login", { email, password: PASSWORD });
    for (
      const [user, text] of [
        [ada, `last used ${english}`],
        [other, `zuletzt benutzt ${german}`],
      ] as const
    ) {
      const page = await (await user.get("/account/apps")).text();
      const [, exact, words] = /<time datetime="([^"]+)">([^<]+)</.exec(page)!;
      assertEquals(words, text);
      assertEquals(exact, new Date(lastUsedAt).toISOString());
    }
  });
}

Deno.test("the sessions have the times of their last use, and this one is active now", async () => {
  let time = NOW;
  const { browser, registered } = startAccounts({ now: () => time });
  const ada = await registered();
  time += 20 * MINUTE;
  const other = browser();
  await other.post("/login", { email: "ada@example.com", password: PASSWORD });
  const page = await (await other.get("/account/sessions")).text();
  const words = [...page.matchAll(/<time[^>]*>([^<]+)</g)].map(([, one]) =>
    one
  );
  assertEquals(words, ["active now", "active 20 minutes ago"]);
  assertEquals(await ada.isLoggedIn(), true);
});
