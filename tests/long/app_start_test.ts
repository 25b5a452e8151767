import { DatabaseSync } from "node:sqlite";
import config from "../../deno.json" with { type: "json" };
import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { createTestClient } from "@gatehouse/web/testing";
import { createSQLAccountStore } from "@gatehouse/web/accounts/store";
import { overSQLite } from "../../examples/app/data/sqlite.ts";
import { DemoAccounts } from "../../examples/app/data/demo_accounts.ts";
import { Notices } from "../../examples/app/data/notices.ts";
import { postMailsTo } from "../../examples/app/features/outbox.ts";
import { openNoticeboard } from "../../examples/app/noticeboard.ts";
import { providersOf } from "../../examples/app/providers.ts";
import { readSettings } from "../../examples/app/settings.ts";
import { captureConsole } from "../_console.ts";
import { serveLocally } from "../deno/_serve.ts";
import {
  type Runtime,
  runtimes,
  startApp,
  TASKS,
} from "../deno/_app_servers.ts";
import { freePort, overHTTP } from "../deno/_programs.ts";

/** Code that exists on one runtime only. */
const RUNTIMES = /\b(?:Deno|Bun|process|env)\.|"(?:node|bun|cloudflare)\b/;

const main = new URL("../../examples/app/main.ts", import.meta.url);

for (const runtime of runtimes()) {
  Deno.test(`deno task ${TASKS[runtime]} serves the application without configuration`, async () => {
    const folder = await Deno.makeTempDir();
    const env = {
      DATABASE: `${folder}/data.sqlite`,
      REDIS_URL: `redis://:s3cret@127.0.0.1:${freePort()}`,
    };
    try {
      const first = await run(runtime, env);
      const again = await run(runtime, env, first.cookie);

      assertStringIncludes(first.login, "Log in with Demo provider");
      assertStringIncludes(first.home, "Log out");
      assertEquals(first.home.match(/<article>/g)?.length, 4);
      // The application prints the accounts again, and their database.
      assertStringIncludes(again.home, "Welcome to the noticeboard");
      const name = runtime === "Workers" ? "D1" : env.DATABASE;
      assertStringIncludes(again.output, `Demo accounts in ${name}:`);
      assertEquals(again.admin, first.admin);
      assertStringIncludes(first.login, `<code>${first.admin.password}</code>`);
      // The session survives the restart.
      assertStringIncludes(again.home, "Log out");
      const isAway = first.output.includes("No Redis at 127.0.0.1:");
      assertEquals(isAway, runtime === "Bun");
      assert(!first.output.includes("s3cret"), first.output);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("the board of an older version keeps its notices", async () => {
  using file = new DatabaseSync(":memory:");
  const database = overSQLite(file);
  file.exec("CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT UNIQUE)");
  const notices = new Notices(database);
  await notices.migrate();
  await notices.create({ title: "Garden day", body: "At ten" }, "Ada");
  using _log = captureConsole("log");
  const settings = readSettings(() => undefined);
  for (let start = 1; start <= 2; start++) {
    await openNoticeboard({ settings, database, databaseName: "memory" });
  }
  assertEquals((await notices.list()).map(({ author }) => author), ["Ada"]);
});

Deno.test("only the entry files of the application use runtime APIs", async () => {
  const known: string[] = [];
  for await (const file of sources(new URL("./", main))) {
    const source = await Deno.readTextFile(new URL(file, main));
    const code = source.replaceAll(/\/\*[^]*?\*\/|\/\/[^\n]*/g, "");
    if (RUNTIMES.test(code)) known.push(file);
  }
  const entries = ["main.ts", "main_bun.ts", "main_node.ts", "runtimes.d.ts"]
    .concat("worker.ts");
  assertEquals(known.sort(), entries);
});

for (const runtime of runtimes()) {
  Deno.test(`deno task ${TASKS[runtime]} says in one line that the port is in use`, async () => {
    using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const folder = await Deno.makeTempDir();
    const PORT = String((taken.addr as Deno.NetAddr).port);
    const env = { PORT, DATABASE: `${folder}/data.sqlite` };
    try {
      const { code, output } = await runTask(runtime, env);
      const lines = output.trim().split("\n")
        // Node says that node:sqlite is experimental.
        .filter((line) => !/^No Redis|^\(node:|^\(Use `node/.test(line));
      assertEquals(lines, [`Port ${PORT} is in use: set PORT to another one`]);
      assertEquals(code, 1);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

/** The settings that an origin outside this computer needs. */
const BOARD = {
  BASE_URL: "https://board.example",
  SECRET: "q7Vd2LxN9bTz4KfH8mRc1YpW5sJg3Ae0",
  MAIL_URL: "https://mails.example/send",
};

function settingsOf(variables: Readonly<Record<string, string>>) {
  return readSettings((name) => variables[name]);
}

const servers: readonly {
  readonly variables: Readonly<Record<string, string>>;
  readonly isLocal: boolean;
}[] = [
  { variables: {}, isLocal: true },
  { variables: { BASE_URL: "http://127.0.0.1:8000" }, isLocal: true },
  { variables: BOARD, isLocal: false },
  { variables: { HOST: "0.0.0.0" }, isLocal: false },
];

for (const { variables, isLocal } of servers) {
  const effect = isLocal ? "keeps" : "forgets";
  Deno.test({
    name: `with ${
      JSON.stringify(variables)
    } the application ${effect} the passwords of demo accounts`,
    // An application prepares a hash in the background when it starts.
    sanitizeOps: false,
    fn: async () => {
      using file = new DatabaseSync(":memory:");
      const database = overSQLite(file);
      using output = captureConsole("log");
      const databaseName = "memory";
      const local = { settings: settingsOf({}), database, databaseName };
      await openNoticeboard(local);
      const [first] = output.printed.map(String);
      assertStringIncludes(first!, "Demo accounts in memory:");

      const settings = settingsOf(variables);
      const app = await openNoticeboard({ ...local, settings });

      const rows = await database("SELECT password FROM demo_passwords", []);
      assertEquals(rows.length, isLocal ? 2 : 0);
      const { baseURL } = settings;
      const open = async (path: string, hostname: string) => {
        const request = new Request(baseURL + path);
        return await (await app.fetch(request, { remoteAddr: { hostname } }))
          .text();
      };
      for (const hostname of ["127.0.0.1", "192.0.2.7"]) {
        const isShown = isLocal && hostname === "127.0.0.1";
        const login = await open("/login", hostname);
        assertEquals(login.includes("Demo accounts"), isShown);
        const outbox = await open("/outbox", hostname);
        assertEquals(outbox.includes("<h1>Outbox"), isShown);
      }
      await app.sweep();
    },
  });
}

Deno.test("a new board outside this computer prints its accounts once", async () => {
  using file = new DatabaseSync(":memory:");
  using output = captureConsole("log");
  const options = {
    settings: settingsOf(BOARD),
    database: overSQLite(file),
    databaseName: "memory",
  };
  for (let start = 1; start <= 2; start++) await openNoticeboard(options);
  assertEquals(output.printed.length, 1);
  const [text] = output.printed.map(String);
  assertStringIncludes(text!, "in memory, printed only this once:");
});

for (const name of ["SECRET", "MAIL_URL"] as const) {
  Deno.test(`an origin outside this computer needs ${name}`, async () => {
    using file = new DatabaseSync(":memory:");
    const { [name]: _, ...others } = BOARD;
    const options = {
      settings: settingsOf(others),
      database: overSQLite(file),
      databaseName: "memory",
    };
    await assertRejects(
      () => openNoticeboard(options),
      TypeError,
      `${name === "SECRET" ? "secrets" : "sendMail"} is missing`,
    );
  });
}

Deno.test("MAIL_URL gets each email as JSON, and its failure is an error", async () => {
  const received: unknown[] = [];
  let status = 204;
  await using server = serveLocally(async (request) => {
    const { method, headers } = request;
    const type = headers.get("Content-Type");
    received.push([method, type, await request.json()]);
    return new Response(null, { status });
  });
  const send = postMailsTo(`http://127.0.0.1:${server.addr.port}/`);
  const mail = {
    to: "ada@example.com",
    subject: "Hi",
    text: "Hi",
    html: "<p>Hi",
  };
  await send(mail);
  assertEquals(received, [["POST", "application/json", mail]]);
  status = 500;
  await assertRejects(() => send(mail), Error, "Cannot send email: 500");
});

Deno.test("a demo account whose password was changed is not shown", async () => {
  using file = new DatabaseSync(":memory:");
  const database = overSQLite(file);
  const store = createSQLAccountStore(database);
  await store.migrate();
  await new Notices(database).migrate();
  const demo = new DemoAccounts(database, store);
  const [admin] = await demo.seed(true);
  assertEquals((await demo.list())[0]?.password, admin!.password);
  const { id, version } = (await store.findByEmail(admin!.email))!;
  await store.change(id, version, { passwordHash: "another hash" });
  assertEquals((await demo.list()).map(({ role }) => role), ["editor"]);
  const editor = await store.findByEmail("editor@example.com");
  await store.remove(editor!.id, editor!.version);
  assertEquals(await demo.list(), []);
});

const named = [
  ["PORTAL", "portal", "Google", {}],
  ["CODE_HOST", "code-host", "GitHub", {}],
  ["OFFICE_SUITE", "office-suite", "Microsoft", {}],
  ["SOCIAL", "social", "Facebook", {}],
  ["MICROBLOG", "microblog", "X", {}],
  ["IDENTITY_CLOUD", "identity-cloud", "Auth0", {
    IDENTITY_CLOUD_DOMAIN: "board.eu.auth0.com",
  }],
  ["WORKFORCE_ID", "workforce-id", "Okta", {
    WORKFORCE_ID_ISSUER: "https://board.okta.com",
  }],
  ["OIDC", "oidc", "Our login", {
    OIDC_ISSUER: "https://login.example",
    OIDC_LABEL: "Our login",
  }],
] as const;

Deno.test("the settings of every provider create a separate login", () => {
  const variables: Record<string, string> = {};
  for (const [prefix, _name, _label, more] of named) {
    Object.assign(variables, more, {
      [`${prefix}_CLIENT_ID`]: "id",
      [`${prefix}_CLIENT_SECRET`]: "s3cret",
    });
  }
  const providers = providersOf(settingsOf({ ...BOARD, ...variables }));
  const found = Object.entries(providers).map(([name, { label, provider }]) =>
    [name, label, provider.redirectUri] as const
  );
  assertEquals(
    found,
    named.map(([_prefix, name, label]) =>
      [
        name,
        label,
        `https://board.example/login/with/${name}/callback`,
      ] as const
    ),
  );
});

Deno.test("a login with incomplete settings prevents the start", () => {
  const halves: Record<string, string>[] = [
    { PORTAL_CLIENT_ID: "id" },
    { OIDC_ISSUER: "https://login.example", OIDC_CLIENT_ID: "id" },
    { IDENTITY_CLOUD_CLIENT_ID: "id", IDENTITY_CLOUD_CLIENT_SECRET: "x" },
  ];
  for (const variables of halves) {
    const settings = settingsOf(variables);
    assertThrows(() => providersOf(settings), TypeError, "is not set");
  }
});

for (const value of ["yes", "-1", "1.5", "", "999"]) {
  Deno.test(`TRUSTED_PROXIES="${value}" is invalid`, () => {
    const get = (name: string) =>
      name === "TRUSTED_PROXIES" ? value : undefined;
    assertThrows(
      () => readSettings(get),
      RangeError,
      `Cannot start: TRUSTED_PROXIES "${value}"`,
    );
  });
}

Deno.test("an invalid setting prevents the start", async () => {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", main.href],
    env: { TRUSTED_PROXIES: "yes", DATABASE: ":memory:", NO_COLOR: "1" },
    stdout: "null",
  }).output();
  assertEquals(success, false);
  const output = new TextDecoder().decode(stderr);
  assertStringIncludes(output, 'Cannot start: TRUSTED_PROXIES "yes"');
});

/** Serves the application. Logs the admin in if there is no cookie. */
async function run(
  runtime: Runtime,
  env: Record<string, string>,
  cookie?: string,
) {
  await using app = await startApp(runtime, env);
  const { fetch, cookies } = createTestClient(overHTTP, {
    origin: app.baseURL,
  });
  const login = await (await fetch("/login")).text();
  if (cookie === undefined) {
    const body = new URLSearchParams({ ...app.admin });
    const response = await fetch("/login", { method: "POST", body });
    await response.body?.cancel();
  }
  const sent = cookie ?? [...cookies].map((pair) => pair.join("=")).join("; ");
  const home = await (await fetch("/", { headers: { Cookie: sent } })).text();
  return { output: app.output(), admin: app.admin, login, home, cookie: sent };
}

/** Runs the task of a runtime until it ends. */
async function runTask(runtime: Runtime, env: Record<string, string>) {
  const args = config.tasks[TASKS[runtime]].command
    .split(" && ").at(-1)!.split(" ").slice(1);
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [args[0], "--no-check", ...args.slice(1)],
    cwd: new URL("../../", import.meta.url),
    env: { NO_COLOR: "1", ...env },
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, output: decode(stdout) + decode(stderr) };
}

async function* sources(root: URL, folder = ""): AsyncGenerator<string> {
  const entries = Deno.readDir(new URL(folder, root));
  for await (const { name, isDirectory } of entries) {
    if (isDirectory) yield* sources(root, `${folder}${name}/`);
    else if (name.endsWith(".ts")) yield folder + name;
  }
}
