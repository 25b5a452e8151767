import { assert, assertEquals } from "@std/assert";
import { captureConsole } from "../../_console.ts";
import { PASSWORD } from "../_accounts.ts";
import { DAY, start } from "./_admins.ts";

Deno.test("forms and JSON change roles, and the audit log has both", async () => {
  const { accounts, adaId, log, root } = await start();
  const path = `/admin/users/${adaId}`;
  const form = await root.post(path, { do: "role", role: "admin" });
  assertEquals([form.status, form.headers.get("Location")], [303, path]);
  assertEquals((await accounts.users.find(adaId))?.role, "admin");
  const json = await root.send(path, { do: "role", role: "user" });
  assertEquals(json.status, 200);
  assertEquals((await accounts.users.find(adaId))?.role, "user");
  assertEquals((await log(adaId)).sort(), [
    "role: admin → user",
    "role: user → admin",
  ]);
});

Deno.test("acting does not begin if the audit log is down", async () => {
  const { adaId, root, store } = await start();
  using _output = captureConsole();
  store.audit.add = () => Promise.reject(new Error("down"));
  const path = `/admin/users/${adaId}`;
  const act = await root.send(path, { do: "act", reason: "Ticket 12" });
  assertEquals(act.status, 503);
  assertEquals((await (await root.get("/")).json()).user === adaId, false);
  const role = await root.send(path, { do: "role", role: "admin" });
  assertEquals(role.status, 503);
  assertEquals((await store.find(adaId))?.role, "user");
});

Deno.test("no invitation is sent if the audit log is down", async () => {
  const { accounts, root, store } = await start({ registration: "invited" });
  using _output = captureConsole();
  store.audit.add = () => Promise.reject(new Error("down"));
  const values = { do: "invite", email: "bob@example.com" };
  assertEquals((await root.send("/admin/invitations", values)).status, 503);
  await accounts.flush();
  assertEquals(accounts.mails, []);
});

Deno.test("the audit log is filtered, and its CSV runs no formula in a spreadsheet", async () => {
  const { adaId, create, root, store } = await start();
  const other = await create("Eve", "user");
  const reasons = [
    "=HYPERLINK(1)",
    "+1",
    "-1",
    "@SUM(A1)",
    " =1",
    "＝1",
    'a "b", c',
  ];
  for (const reason of reasons) {
    await root.send(`/admin/users/${adaId}`, { do: "disable", reason });
  }
  await root.send(`/admin/users/${other}`, { do: "enable" });
  const read = async (query: string) =>
    await (await root.get(`/admin/audit.csv?${query}`)).text();
  const csv = await read(`of=${adaId}`);
  const [header, ...lines] = csv.trimEnd().split("\r\n");
  assertEquals(header, '"time","actor","account","action","reason"');
  assertEquals(lines.length, reasons.length);
  const cells = lines.flatMap((line) => line.slice(1, -1).split('","'));
  assertEquals(cells.filter((cell) => /^\s*[=+\-@＝]/.test(cell)), []);
  assert(csv.includes('"a ""b"", c"'));
  assertEquals((await read("action=enable")).split("\r\n").length, 3);
  const page = await (await root.get(`/admin/audit?of=${other}`)).text();
  assert(page.includes("<strong>enable</strong>"));
  assertEquals(page.includes("<strong>disable</strong>"), false);
  const response = await root.get("/admin/audit.csv");
  assertEquals(response.headers.get("X-Content-Type-Options"), "nosniff");
  await response.body?.cancel();
  for (const after of ["x", "1.%00", "9".repeat(300)]) {
    assertEquals((await root.get(`/admin/audit?after=${after}`)).status, 200);
  }
  const { entries } = await store.audit.list();
  assertEquals(JSON.stringify(entries).includes("example.com"), false);
});

Deno.test("the audit log has the changes of users, and sweep() removes old entries", async () => {
  const { accounts, adaId, log, logIn } = await start({
    auditRetention: 30 * DAY,
  });
  const ada = await logIn(adaId);
  await ada.post("/account/password", { password: PASSWORD });
  assertEquals(await log(adaId), ["password-change"]);
  accounts.wait(29 * DAY);
  await accounts.sweep();
  assertEquals(await log(adaId), ["password-change"]);
  accounts.wait(2 * DAY);
  await accounts.sweep();
  assertEquals(await log(adaId), []);
});
