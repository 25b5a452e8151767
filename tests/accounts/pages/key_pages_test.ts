import { defineAccounts } from "@gatehouse/web/accounts/definition";
import type { JSONValue } from "@gatehouse/web/session";
import { start as startPlain } from "../_overview.ts";
import { assertChanges, assertOutline, assertPages } from "./_outline.ts";

const NOW = Date.UTC(2026, 10, 28, 12);
const DAY = 86_400_000;
const PATH = "/account/keys";

/** Starts accounts with API keys and teams, whose clock stands still. */
async function start() {
  const definition = defineAccounts({
    scopes: ["notes:read", "notes:write"],
    teamRoles: ["owner", "reader"],
  });
  const app = await startPlain({
    definition: definition as never,
    now: () => NOW,
  });
  const { accounts, ada, database, id: accountId } = app;
  // The first page has the message of the login.
  await (await ada.get(PATH)).body?.cancel();
  const team = (await accounts.teams.create("Engines", accountId))!.teamId;
  /** Adds a key, which was created nine days ago. */
  const add = async (
    id: string,
    data: Record<string, JSONValue>,
    usedAt: number | null = null,
  ) => {
    const { version } = (await database.find(accountId))!;
    const way = { kind: "key", id, accountId, name: `Key ${id}`, usedAt };
    await database.addWayIn({
      ...way,
      createdAt: NOW - 9 * DAY,
      counter: 0,
      data: {
        start: "acme_",
        scopes: ["notes:read"],
        expiresAt: null,
        ...data,
      },
    }, version);
  };
  return { ...app, add, team };
}

Deno.test("the page of the keys has the rights and times of each", async () => {
  const { ada, add, team } = await start();
  const before = await ada.get(PATH);
  await add("k1", { start: "acme_1", scopes: ["notes:read", "notes:write"] });
  await add("k2", { expiresAt: NOW + 1 }, NOW - 2 * DAY);
  await add("k3", { expiresAt: NOW });
  await add("k4", { teamId: team });
  await add("k5", { teamId: "a former team" });
  await assertChanges(
    before,
    await ada.get(PATH),
    `
      - You have no API keys.
      + Key k1 acme_1… | notes:read, notes:write | Added 2026-11-19 never used does not expire | Revoke (Revoke Key k1) → /account/keys/remove?id=k1
      + Key k2 acme_… | notes:read | Added 2026-11-19 last used 2 days ago expires 2026-11-28 | Revoke (Revoke Key k2) → /account/keys/remove?id=k2
      + Key k3 acme_… | notes:read | Added 2026-11-19 never used expired 2026-11-28 | Revoke (Revoke Key k3) → /account/keys/remove?id=k3
      + Key k4 acme_… | Engines · notes:read | Added 2026-11-19 never used does not expire | Revoke (Revoke Key k4) → /account/keys/remove?id=k4
      + Key k5 acme_… | notes:read | Added 2026-11-19 never used does not expire | Revoke (Revoke Key k5) → /account/keys/remove?id=k5
    `,
  );
});

Deno.test("the form of a new key offers the user's teams, if there are any", async () => {
  const { ada, registered, team: TEAM } = await start();
  await assertOutline(
    await ada.get(PATH),
    `
      200 API keys – Invoices
      # API keys
      An API key lets a program act on your behalf, within its…
      You have no API keys.
      ## Create an API key
      POST /account/keys
      Name | For example, the name of the program. | name: text "" required aria-describedby=name-hint
      For | team: select My account= Engines=TEAM
      Scopes
      scope-notes:read: checkbox | notes:read
      scope-notes:write: checkbox | notes:write
      Expires | days: select After 30 days=30 [After 90 days=90] After 365 days=365 Never=never
      [Create an API key]
    `,
    { TEAM },
  );
  const values = { name: "Reports", team: TEAM, days: "30" };
  const failed = await ada.post(PATH, values);
  await assertChanges(
    await ada.get(PATH),
    failed,
    `
      - 200 API keys – Invoices
      - Name | For example, the name of the program. | name: text "" required aria-describedby=name-hint
      - For | team: select My account= Engines=TEAM
      - Expires | days: select After 30 days=30 [After 90 days=90] After 365 days=365 Never=never
      + 422 Error: API keys – Invoices
      + alert:
      + Please correct this:
      + Choose at least one scope → #scopes
      + Name | For example, the name of the program. | name: text "Reports" required aria-describedby=name-hint
      + For | team: select My account= [Engines=TEAM]
      + Choose at least one scope
      + Expires | days: select [After 30 days=30] After 90 days=90 After 365 days=365 Never=never
    `,
    { TEAM },
  );
  const eve = await registered({ email: "eve@example.com" });
  await assertChanges(
    await ada.get(PATH),
    await eve.get(PATH),
    `
      - For | team: select My account= Engines=TEAM
      + status: You are logged in, Ada.
    `,
    { TEAM },
  );
});

Deno.test("a new key is shown once, and the page before its end names it", async () => {
  const { ada, add } = await start();
  const values = { name: "Reports", days: "never", "scope-notes:read": "on" };
  const shown = await ada.post(PATH, values);
  const [, KEY = ""] = /<textarea[^>]*>([^<]+)/.exec(
    await shown.clone().text(),
  )!;
  await assertOutline(
    shown,
    `
      200 Your new API key – Invoices
      # Your new API key
      Copy it now. You will not see it again.
      API key | no name: textarea KEY
      Programs send it in the header “Authorization: Bearer …”.
      Done → /account/keys
    `,
    { KEY },
  );
  await add("k1", {});
  await assertPages(ada, {
    "/account/keys/remove?id=k1": `
      200 Revoke Key k1? – Invoices
      API keys → /account/keys
      # Revoke Key k1?
      Programs that use this key stop working at once.
      POST /account/keys/remove
      id: hidden "k1"
      [Revoke]
      Cancel → /account/keys
    `,
    "/account/keys/remove?id=k2": `
      404 This API key does not exist. – Invoices
      API keys → /account/keys
      # This API key does not exist.
      Back → /account/keys
    `,
  });
  const failed = await ada.post("/account/keys/remove", { id: "k2" });
  await assertOutline(
    failed,
    `
      404 This API key does not exist. – Invoices
      API keys → /account/keys
      # This API key does not exist.
      Back → /account/keys
    `,
  );
});
