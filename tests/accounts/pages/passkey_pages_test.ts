import type { WayIn } from "@gatehouse/web/accounts/store";
import { createTestAuthenticator } from "@gatehouse/web/testing";
import { start } from "../_overview.ts";
import { assertChanges, assertOutline, assertPages } from "./_outline.ts";

const NOW = Date.UTC(2026, 10, 28, 12);
const DAY = 86_400_000;

type App = Awaited<ReturnType<typeof start>>;

/** Adds a passkey to the store. */
async function add(
  { database, id: accountId }: App,
  values: Pick<WayIn, "id" | "name"> & Partial<WayIn>,
): Promise<void> {
  const { version } = (await database.find(accountId))!;
  const way = { kind: "passkey", accountId, createdAt: NOW - 9 * DAY };
  const use = { usedAt: null, counter: 0, data: {} };
  await database.addWayIn({ ...way, ...use, ...values }, version);
}

Deno.test("the page of the passkeys has a row for each, with its last use", async () => {
  const app = await start({ now: () => NOW });
  const page = () => app.ada.get("/account/passkeys");
  const source = await (await page()).text();
  const [, HANDLE = ""] = /userId&quot;:&quot;([\w-]+)/.exec(source)!;
  await assertOutline(
    await page(),
    `
      200 Passkeys – Invoices (with the script)
      Security → /account/security
      # Passkeys
      A passkey logs you in with your fingerprint, your face or…
      Passkeys need JavaScript. Please turn it on.
      POST /account/passkeys hidden data-passkey-create=/account/passkeys/options
      passkey: hidden
      Name | For example, the name of the device. | name: text "Passkey" required aria-describedby=name-hint
      alert: data-passkey-error The passkey did not work. Please try again.
      [Add a passkey]
      data-passkey-signal={"rpId":"test.example","userId":"HANDLE","allAcceptedCredentialIds":[],"name":"ada@example.com","displayName":"Ada"}
    `,
    { HANDLE },
  );
  const empty = await page();
  await add(app, { id: "p1", name: "Phone & key" });
  await assertChanges(
    empty,
    await page(),
    `
    - data-passkey-signal={"rpId":"test.example","userId":"HANDLE","allAcceptedCredentialIds":[],"name":"ada@example.com","displayName":"Ada"}
    + Phone & key | Added 2026-11-19 | Rename (Rename Phone & key) → /account/passkeys/name?id=p1 | POST /account/passkeys/remove | id: hidden "p1" | [Remove] (Remove Phone & key)
    + data-passkey-signal={"rpId":"test.example","userId":"HANDLE","allAcceptedCredentialIds":["p1"],"name":"ada@example.com","displayName":"Ada"}
  `,
    { HANDLE },
  );
  const one = await page();
  await add(app, { id: "p2", name: "Laptop", usedAt: NOW - 2 * DAY });
  await assertChanges(
    one,
    await page(),
    `
      - data-passkey-signal={"rpId":"test.example","userId":"HANDLE","allAcceptedCredentialIds":["p1"],"name":"ada@example.com","displayName":"Ada"}
      + Laptop | Added 2026-11-19, last used 2 days ago | Rename (Rename Laptop) → /account/passkeys/name?id=p2 | POST /account/passkeys/remove | id: hidden "p2" | [Remove] (Remove Laptop)
      + data-passkey-signal={"rpId":"test.example","userId":"HANDLE","allAcceptedCredentialIds":["p1","p2"],"name":"ada@example.com","displayName":"Ada"}
    `,
    { HANDLE },
  );
  const failed = await app.ada.post("/account/passkeys", {
    name: "",
    passkey: "{",
  });
  await assertChanges(
    await page(),
    failed,
    `
      - 200 Passkeys – Invoices (with the script)
      - Name | For example, the name of the device. | name: text "Passkey" required aria-describedby=name-hint
      + 422 Error: Passkeys – Invoices (with the script)
      + alert:
      + Please correct this:
      + Name is required → #name
      + Name | For example, the name of the device. | Name is required | name: text "" required aria-describedby=name-hint name-error aria-invalid=true
    `,
    { HANDLE },
  );
});

Deno.test("the page that renames a passkey keeps what was typed", async () => {
  const app = await start({ now: () => NOW });
  await add(app, { id: "p1", name: "Phone" });
  await assertPages(app.ada, {
    "/account/passkeys/name?id=p1": `
      200 Rename the passkey – Invoices
      status: You are logged in, Ada.
      Security → /account/security
      # Rename the passkey
      POST /account/passkeys/name
      id: hidden "p1"
      Name | For example, the name of the device. | name: text "Phone" required aria-describedby=name-hint
      [Save]
      Cancel → /account/passkeys
    `,
    "/account/passkeys/name?id=p2": `
      404 This passkey does not exist any more. – Invoices
      Security → /account/security
      # This passkey does not exist any more.
      Back → /account/passkeys
    `,
  });
  const failed = await app.ada.post("/account/passkeys/name", {
    id: "p1",
    name: " ",
  });
  await assertOutline(
    failed,
    `
      422 Error: Rename the passkey – Invoices
      Security → /account/security
      # Rename the passkey
      alert:
      Please correct this:
      Name is required → #name
      POST /account/passkeys/name
      id: hidden "p1"
      Name | For example, the name of the device. | Name is required | name: text " " required aria-describedby=name-hint name-error aria-invalid=true
      [Save]
      Cancel → /account/passkeys
    `,
  );
});

Deno.test("the login page tells the device to forget an unknown passkey", async () => {
  const app = await start();
  const other = createTestAuthenticator({ origin: "https://test.example" });
  const created = await (await app.ada.post("/account/passkeys/options"))
    .json();
  const { id: UNKNOWN } = await other.register(created);
  const visitor = app.browser();
  const before = await visitor.get("/login");
  const options = await (await visitor.post("/login/passkey/options")).json();
  const passkey = JSON.stringify(await other.authenticate(options));
  const failed = await visitor.post("/login/passkey", { passkey });
  await assertChanges(
    before,
    failed,
    `
      - 200 Log in to Invoices – Invoices (with the script)
      + 422 Error: Log in to Invoices – Invoices (with the script)
      + alert:
      + The passkey did not work. Please try again.
      + data-passkey-signal={"rpId":"test.example","credentialId":"UNKNOWN"}
    `,
    { UNKNOWN },
  );
});
