/** Changes by administrators, at their limits and with their events. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { defineAccounts } from "@gatehouse/web/accounts/definition";
import { captureConsole } from "../../_console.ts";
import { PASSWORD, tokenOf } from "../_accounts.ts";
import { DAY, start } from "./_admins.ts";

const JSON_TYPE = { Accept: "application/json" };

Deno.test("a block ends after the time of its form, which is not past", async () => {
  const midnight = Date.UTC(2026, 10, 27);
  for (const passed of [0, 1]) {
    const { adaId, accounts, root } = await start({
      now: () => midnight + passed,
    });
    const path = `/admin/users/${adaId}`;
    const block = { do: "disable", reason: "spam" };
    for (const until of ["2026-11-26", "2026-11-27", "2026-11-28"]) {
      const { status } = await root.send(path, { ...block, until });
      assertEquals(status, until === "2026-11-28" ? 200 : 422, until);
    }
    assertEquals((await accounts.users.find(adaId))?.disabled, {
      reason: "spam",
      until: midnight + DAY,
    });
    // An empty input of the form does not count.
    assertEquals((await root.send(path, { ...block, until: "" })).status, 200);
    const user = await accounts.users.find(adaId);
    assertEquals(user?.disabled, { reason: "spam", until: null });
  }
});

Deno.test("a reason has at most 200 characters, without control characters", async () => {
  const { adaId, log, root } = await start();
  const path = `/admin/users/${adaId}`;
  const reason = ` \u2028${"a".repeat(199)}bc\n`;
  await root.send(path, { do: "disable", reason });
  assertEquals(await log(adaId), [`disable: ${"a".repeat(199)}b`]);
});

Deno.test("a change by an administrator leads back to the account, and its page says so", async () => {
  const { accounts, adaId, root } = await start();
  const path = `/admin/users/${adaId}`;
  const changes = [
    { do: "role", role: "user" },
    { do: "disable", reason: "spam" },
    { do: "enable" },
    { do: "end-access" },
    { do: "remove-factors" },
  ];
  for (const change of changes) {
    const response = await root.send(path, change);
    const { location, next } = await response.json();
    assertEquals([location, next], [path, "done"], change.do);
  }
  await root.post(path, { do: "enable" });
  assertStringIncludes(
    await (await root.get(path)).text(),
    "changes are saved",
  );
  const read = await root.get(path, JSON_TYPE);
  const { user } = await read.json();
  assertEquals(user, { ...await accounts.users.find(adaId) });
});

Deno.test("an unchanged role needs no entry in the audit log", async () => {
  const { adaId, log, root, rootId } = await start();
  for (const [id, role] of [[adaId, "user"], [rootId, "admin"]]) {
    const values = { do: "role", role };
    assertEquals((await root.send(`/admin/users/${id}`, values)).status, 200);
  }
  const last = { do: "role", role: "user" };
  assertEquals((await root.send(`/admin/users/${rootId}`, last)).status, 409);
  assertEquals((await log()).sort(), [
    "refused: admin → user",
    "role: admin → user",
  ]);
});

Deno.test("an administrator does not remove the only owner of a team with other members", async () => {
  const definition = defineAccounts({ teamRoles: ["owner", "reader"] });
  const { accounts, adaId, create, log, root } = await start({
    definition: definition as never,
  });
  const { teamId } = (await accounts.teams.create("Engines", adaId))!;
  const eve = await create("Eve", "user");
  await accounts.teams.add(teamId, eve, "reader" as never);
  const path = `/admin/users/${adaId}`;
  const values = { do: "remove", email: "ada@example.com" };
  const refused = await root.send(path, values);
  assertEquals(refused.status, 409);
  assertStringIncludes(await refused.text(), "Engines");
  assertEquals(await log(adaId), []);
  await accounts.teams.removeMember(teamId, eve);
  assertEquals((await root.send(path, values)).status, 200);
  assertEquals(await accounts.teams.find(teamId), null);
  assertEquals(await log(adaId), ["remove"]);
});

Deno.test("a user who acts as no one ends nothing", async () => {
  const { adaId, log, logIn } = await start();
  const ada = await logIn(adaId);
  const stopped = await ada.send("/admin/stop-acting", {});
  assertEquals((await stopped.json()).location, "/");
  assertEquals(await log(), []);
});

Deno.test("the audit log as CSV has more entries than a page, and at most 10,000", async () => {
  const { adaId, root, rootId, store } = await start();
  const lines = async () => {
    const response = await root.get("/admin/audit.csv?action=enable");
    const [name, type] = ["Content-Disposition", "Content-Type"].map((one) =>
      response.headers.get(one)
    );
    assertEquals(name, 'attachment; filename="audit.csv"');
    assertEquals(type, "text/csv; charset=utf-8");
    return (await response.text()).trimEnd().split("\r\n").slice(1);
  };
  const entry = { actorId: rootId, userId: adaId, reason: "" };
  for (let at = 0; at < 1_001; at++) {
    const action = at === 5 ? "disable" : "enable";
    await store.audit.add({ ...entry, id: `id${at}`, at, action });
  }
  const all = await lines();
  assertEquals(all.length, 1_000);
  assertEquals(new Set(all).size, 1_000);
  assertStringIncludes(all.at(-1)!, "1970-01-01T00:00:00.000Z");
  await store.audit.add({ ...entry, id: "last", at: 0, action: "enable" });
  assertEquals((await lines()).length, 1_001);
  const list = store.audit.list.bind(store.audit);
  store.audit.list = async (options) => ({
    ...await list({ ...options, after: undefined }),
    next: "5.id5",
  });
  assertEquals((await lines()).length, 10_000);
});

Deno.test("the page of the audit log names the accounts that still exist", async () => {
  const { adaId, create, root, store } = await start();
  const gone = await create("Eve", "user");
  for (const id of [adaId, gone]) {
    await root.send(`/admin/users/${id}`, { do: "disable", reason: "spam" });
  }
  const { version } = (await store.find(gone))!;
  await store.remove(gone, version);
  const page = await (await root.get("/admin/audit")).text();
  for (const name of ["root@example.com", "ada@example.com", gone]) {
    assertStringIncludes(page, name);
  }
  const entries = async (query: string) => {
    const read = await root.get(`/admin/audit?${query}`, JSON_TYPE);
    return (await read.json()).entries.length;
  };
  assertEquals(await entries(`of=${adaId}`), 1);
  assertEquals(await entries("action=disable"), 2);
  assertEquals(await entries("action=enable"), 0);
  // An empty input of the form does not count.
  assertEquals(await entries("of=&action=%20"), 2);
});

Deno.test("the page of an account shows its last ten entries", async () => {
  // Entries of one moment have no order.
  let time = Date.now();
  const { adaId, root } = await start({ now: () => time });
  const path = `/admin/users/${adaId}`;
  for (let n = 0; n < 11; n++) {
    time++;
    await root.send(path, { do: "disable", reason: `reason-${n}.` });
  }
  const page = await (await root.get(path)).text();
  const shown = new Set(page.match(/reason-\d+\./g));
  assertEquals(shown.size, 10);
});

Deno.test("an invitation of an administrator has a role of the list, and its address in one spelling", async () => {
  // The router knows no address of a client.
  using _warnings = captureConsole("warn");
  const { accounts, root } = await start({ registration: "invited" });
  const path = "/admin/invitations";
  const email = " Bob@Example.com";
  for (const role of ["boss", 5, ["admin"]]) {
    const wrong = await root.send(path, { do: "invite", email, role });
    assertEquals(Object.keys((await wrong.json()).errors), ["role"]);
  }
  for (const given of [undefined, 5, "bob"]) {
    const wrong = await root.send(path, { do: "invite", email: given });
    assertEquals(Object.keys((await wrong.json()).errors), ["email"]);
  }
  const invited = await root.send(path, { do: "invite", email });
  assertEquals((await invited.json()).location, path);
  const [invitation] = await accounts.users.invitations();
  assertEquals([invitation?.email, invitation?.role], [
    "bob@example.com",
    "user",
  ]);
  assertEquals(invitation!.expiresAt - invitation!.createdAt, 7 * DAY);
  const token = tokenOf(accounts.mails.at(-1)!);
  const withdrawn = await root.send(path, { do: "withdraw", email });
  assertEquals((await withdrawn.json()).location, path);
  const values = { token, name: "Bob", password: PASSWORD };
  assertEquals((await root.send("/register", values)).status, 400);
});
