import { assertEquals } from "@std/assert";
import { createGrant, createMemoryApps } from "../_apps.ts";
import { start } from "../_overview.ts";
import { assertChanges, assertOutline } from "./_outline.ts";

const NOW = Date.UTC(2026, 10, 28, 12);

Deno.test("the page of the connected apps has the name of each client, or its host", async () => {
  const { accounts, ada, id } = await start({ now: () => NOW });
  const apps = createMemoryApps();
  accounts.connect(apps);
  const page = () => ada.get("/account/apps");
  await (await page()).body?.cancel();
  await assertOutline(
    await page(),
    `
      200 Connected apps – Invoices
      # Connected apps
      No app is connected to your account. After you allow an app…
    `,
  );
  const empty = await page();
  apps.add(id, createGrant({ id: "g1" }));
  await assertChanges(
    empty,
    await page(),
    `
      - No app is connected to your account. After you allow an app…
      + These apps can use your account, within the rights that you…
      + Claude claude.ai | Notes: Read your notes, notes:write | connected 2026-10-20 last used 2026-10-27 | POST /account/apps | id: hidden "g1" | [Disconnect] (Disconnect Claude)
    `,
  );
  const single = await page();
  apps.add(id, createGrant({ id: "g0" }));
  await assertChanges(
    single,
    await page(),
    `
    + Claude claude.ai | Notes: Read your notes, notes:write | connected 2026-10-20 last used 2026-10-27 | POST /account/apps | id: hidden "g0" | [Disconnect] (Disconnect Claude)
    + POST /account/apps
    + all: hidden "on"
    + [Disconnect all apps]
  `,
  );
  await apps.revoke(id, { id: "g0" });
  const one = await page();
  const { resourceName: _, ...unnamed } = createGrant();
  apps.add(id, {
    ...unnamed,
    id: "g2",
    client: { id: "c2", name: "Reader & Co" },
  });
  apps.add(
    id,
    createGrant({ id: "g3", client: { id: "c3", host: "c3.example" } }),
  );
  apps.add(
    id,
    createGrant({
      id: "g4",
      client: { id: "c4", name: "App" },
      redirectHost: "",
      scopes: ["toString"],
    }),
  );
  await assertChanges(
    one,
    await page(),
    `
      + App | Notes: toString | connected 2026-10-20 last used 2026-10-27 | POST /account/apps | id: hidden "g4" | [Disconnect] (Disconnect App)
      + c3.example c3.example | Notes: Read your notes, notes:write | connected 2026-10-20 last used 2026-10-27 | POST /account/apps | id: hidden "g3" | [Disconnect] (Disconnect c3.example)
      + Reader & Co claude.ai | https://test.example/mcp: Read your notes, notes:write | connected 2026-10-20 last used 2026-10-27 | POST /account/apps | id: hidden "g2" | [Disconnect] (Disconnect Reader & Co)
      + POST /account/apps
      + all: hidden "on"
      + [Disconnect all apps]
    `,
  );
  const failed = await ada.post("/account/apps", { id: "unknown" });
  await assertChanges(
    await page(),
    failed,
    `
      - 200 Connected apps – Invoices
      + 404 Connected apps – Invoices
      + alert:
      + This app is no longer connected.
    `,
  );
});

Deno.test("the page of the connected apps leads to its next page", async () => {
  const { accounts, ada, id } = await start({ now: () => NOW });
  const apps = createMemoryApps();
  accounts.connect(apps);
  for (let i = 0; i < 21; i++) apps.add(id);
  const read = async (path: string) => {
    const page = await (await ada.get(path)).text();
    const next = /href="([^"]+\?after=[^"]+)"/.exec(page)?.[1];
    return { next, count: page.match(/"Disconnect /g)?.length };
  };
  const first = await read("/account/apps");
  assertEquals(first.count, 20);
  assertEquals(await read(first.next!), { next: undefined, count: 1 });
});
