/** The product of `examples/invoices`, as its users and their programs use it. */
import { DatabaseSync } from "node:sqlite";
import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  createTestAuthenticator,
  createTestClient,
} from "@gatehouse/web/testing";
import { createApp } from "../../examples/invoices/app.ts";
import { captureConsole } from "../_console.ts";
import { checkDocument } from "./_openapi_document.ts";

const NEW = { customer: "Analytical Engines", cents: 12_50, due: "2026-12-31" };
const PDF = new TextEncoder().encode("%PDF-1.7");

Deno.test("invoices registers, invites, and keeps teams, roles and scopes apart", async () => {
  await using app = await start();
  const ada = await app.register("ada");
  const bob = await app.register("bob");
  const eve = await app.register("eve");

  // ada creates a team and invites bob as a reader.
  const created = await ada.post("/teams", { name: "Looms" });
  const team = /[^/]+$/.exec(created.headers.get("Location")!)![0];
  const invitation = { email: "bob@example.com", role: "reader" };
  await ada.post(`/teams/${team}/invite`, invitation);
  const link = await app.mailed(/https:\S+\/teams\/invitations\/\S+/);
  const accepted = await bob.post(new URL(link).pathname, { answer: "accept" });
  assertEquals(accepted.status, 303);

  const path = `/api/teams/${team}/invoices`;
  const invoice = await ada.json("POST", path, NEW, 201);
  assertEquals(invoice.customer, NEW.customer);
  assertEquals(await bob.json("GET", path, undefined, 200), [invoice]);
  await bob.json("POST", path, NEW, 403);
  await bob.json("DELETE", `${path}/${invoice.id}`, undefined, 403);
  await eve.json("GET", path, undefined, 404);
  await eve.json("POST", path, NEW, 404);
  assertEquals((await eve.fetch(`/teams/${team}/invoices`)).status, 404);

  // An invoice of another team is missing, even for an owner.
  const other = await eve.post("/teams", { name: "Engines" });
  const engines = /[^/]+$/.exec(other.headers.get("Location")!)![0];
  const foreign = `/api/teams/${engines}/invoices/${invoice.id}`;
  await eve.json("GET", foreign, undefined, 404);
  await eve.json("DELETE", foreign, undefined, 404);
  assertEquals(await upload(eve, `${foreign}/receipt`, PDF), 404);

  for (
    const values of [
      {},
      { ...NEW, cents: 0 },
      { ...NEW, cents: 1.5 },
      { ...NEW, due: "tomorrow" },
      { ...NEW, customer: "x".repeat(201) },
    ]
  ) await ada.json("POST", path, values, 422);

  // A key that reads does not write.
  const { key } = await ada.json("POST", "/account/keys", {
    name: "Report",
    scopes: ["invoices:read"],
  }, 200);
  const program = (method: string, body?: unknown) =>
    app.router.fetch(new URL(path, ORIGIN), {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify(body),
    });
  assertEquals(await (await program("GET")).json(), [invoice]);
  assertEquals((await program("POST", NEW)).status, 403);
});

Deno.test("invoices stores receipts of known types up to 2 MB", async () => {
  await using app = await start();
  const ada = await app.register("ada");
  const created = await ada.post("/teams", { name: "Looms" });
  const team = /[^/]+$/.exec(created.headers.get("Location")!)![0];
  const path = `/api/teams/${team}/invoices`;
  const { id } = await ada.json("POST", path, NEW, 201);
  const receipt = `${path}/${id}/receipt`;

  assertEquals((await ada.fetch(receipt)).status, 404);
  const large = new Uint8Array(2_000_001);
  large.set(PDF);
  assertEquals(await upload(ada, receipt, large), 413);
  assertEquals(await upload(ada, receipt, PDF, "text/html"), 415);
  assertEquals(await upload(ada, receipt, PDF, "image/png"), 415);
  assertEquals(await upload(ada, receipt, new Uint8Array()), 415);
  assertEquals(await upload(ada, receipt, PDF), 204);

  const file = await ada.fetch(receipt);
  assertEquals(file.headers.get("Content-Type"), "application/pdf");
  assertEquals(file.headers.get("Content-Disposition"), "attachment");
  assertEquals(new Uint8Array(await file.arrayBuffer()), PDF);
  assertEquals(
    (await ada.json("GET", path, undefined, 200))[0].hasReceipt,
    true,
  );
});

Deno.test("invoices has passkeys, administrators and a login with Google", async () => {
  await using app = await start();
  const ada = await app.register("ada");
  const root = await app.register("root");
  assertEquals((await ada.fetch("/admin")).status, 403);
  assertEquals((await root.fetch("/admin")).status, 200);

  const device = createTestAuthenticator();
  const options = await ada.json("POST", "/account/passkeys/options", {}, 200);
  const passkey = JSON.stringify(await device.register(options));
  const added = await ada.post("/account/passkeys", { name: "Phone", passkey });
  assertEquals(added.status, 303);

  const page = await (await createTestClient(app.router).fetch("/login"))
    .text();
  assertMatch(page, /Google/);
});

Deno.test("invoices describes its API", async () => {
  await using app = await start();
  const { fetch } = createTestClient(app.router);
  const source = await (await fetch("/openapi.json")).text();
  await checkDocument(source);
  const { paths } = JSON.parse(source);
  const path = "/api/teams/{team}/invoices";
  assertEquals(Object.keys(paths), [
    path,
    `${path}/{id}`,
    `${path}/{id}/receipt`,
  ]);
  assertEquals(paths[path].post.security, [
    { session: ["invoices:write"] },
    { keys: ["invoices:write"] },
  ]);
  assertEquals(
    Object.keys(paths[`${path}/{id}/receipt`].put.responses),
    ["204", "401", "403", "404", "409", "413", "415", "429"],
  );
  const { content } = paths[`${path}/{id}/receipt`].put.requestBody;
  assertEquals(Object.keys(content), [
    "application/pdf",
    "image/png",
    "image/jpeg",
  ]);
  assertEquals((await fetch("/docs")).status, 200);
});

Deno.test("docs/compare.md has the number of lines of invoices", async () => {
  const root = new URL("../../", import.meta.url);
  const files: [string, number][] = [];
  for await (const { name } of Deno.readDir(new URL(FOLDER, root))) {
    const source = await Deno.readTextFile(new URL(FOLDER + name, root));
    files.push([name, linesOf(source)]);
  }
  const all = files.reduce((sum, [, lines]) => sum + lines, 0);
  const compare = await Deno.readTextFile(new URL("docs/compare.md", root));
  const [, figure] = /^\| all +\| (\d+)/m.exec(compare) ?? [];
  assertEquals(figure, String(all));
  assert(all <= 400, `${all} lines`);
});

const FOLDER = "examples/invoices/";

/** Counts the lines without blank lines and comments. */
function linesOf(source: string): number {
  const code = source.replaceAll(/^ *\/\*\*[^]*?\*\/$|^ *\/\/.*$/gm, "");
  return code.split("\n").filter((line) => line.trim() !== "").length;
}

const ORIGIN = "https://test.example";

/** Starts the product in memory. */
async function start() {
  const mails: string[] = [];
  const log = captureConsole("log", () => {});
  const { router, accounts } = await createApp(new DatabaseSync(":memory:"), {
    origin: ORIGIN,
    admins: ["root@example.com"],
    google: { clientId: "invoices", clientSecret: "s3cret" },
    secrets: ["q7Vd2LxN9bTz4KfH8mRc1YpW5sJg3Ae0"],
    sendMail({ text }) {
      mails.push(text);
      return Promise.resolve();
    },
  });
  async function mailed(pattern: RegExp): Promise<string> {
    await accounts.flush();
    const [found] = pattern.exec(mails.at(-1) ?? "") ?? [];
    assert(found !== undefined, mails.at(-1));
    return found;
  }
  return {
    router,
    mailed,
    /** Registers a user in a new browser. */
    async register(name: string) {
      const browser = browserOf(router);
      const email = `${name}@example.com`;
      const password = "correct horse battery";
      await browser.post("/register", { name, email, password });
      const code = await mailed(/^\d{6}$/m);
      const { status } = await browser.post("/register/code", { code });
      assertEquals(status, 303);
      return browser;
    },
    async [Symbol.asyncDispose]() {
      await accounts.flush();
      log[Symbol.dispose]();
    },
  };
}

type Browser = ReturnType<typeof browserOf>;

function browserOf(router: Awaited<ReturnType<typeof createApp>>["router"]) {
  const { fetch } = createTestClient(router, { remoteAddress: "192.0.2.1" });
  return {
    fetch,
    post: (path: string, values: Record<string, string>) =>
      fetch(path, { method: "POST", body: new URLSearchParams(values) }),
    /** Sends JSON, checks the status and returns the body. */
    async json(method: string, path: string, body: unknown, status: number) {
      const response = await fetch(path, {
        method,
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json",
        },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      assertEquals(response.status, status, `${method} ${path}: ${text}`);
      return text === "" ? null : JSON.parse(text);
    },
  };
}

async function upload(
  { fetch }: Browser,
  path: string,
  body: Uint8Array<ArrayBuffer>,
  type = "application/pdf",
): Promise<number> {
  const headers = { "Content-Type": type };
  const response = await fetch(path, { method: "PUT", headers, body });
  await response.body?.cancel();
  return response.status;
}
