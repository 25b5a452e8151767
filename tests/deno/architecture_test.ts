import { assert, assertEquals } from "@std/assert";
import config from "../../deno.json" with { type: "json" };

/** The floors, ground first. Folders on one floor do not know each other. */
const FLOORS = [
  ["schema/"],
  ["router/"],
  ["session/"],
  ["logger/", "auth/"],
  ["accounts/", "oauth_server/"],
  ["mod.ts", "testing.ts", "create/"],
];

/** The entry points: the only files that another folder may import. */
const DOORS = [
  ...Object.values(config.exports).map((path) => path.slice(2)),
  // The parts of `testing.ts`.
  "accounts/testing.ts",
  "auth/passkey/testing.ts",
  "auth/testing/mod.ts",
  "oauth_server/testing.ts",
  "router/testing.ts",
  "schema/testing.ts",
  "session/testing.ts",
  // Others have no public name.
  "auth/issued_tokens/api_token.ts",
  "auth/internal.ts",
  "router/internal.ts",
  "session/internal.ts",
  "session/secrets.ts",
];

/**
 * The internal modules that tests import, by file. No public name exists for
 * them.
 */
const INSIDE: Record<string, readonly string[]> = {
  "tests/bench/_id_token_race.ts": [
    "auth/external/id_token.ts",
    "auth/external/provider.ts",
  ],
  "tests/deno/account_passkey_store_test.ts": [
    "accounts/actions/passkey_store.ts",
  ],
  "tests/deno/outbox_test.ts": ["accounts/mails/outbox.ts"],
  "tests/deno/passkey_cbor_test.ts": ["auth/passkey/_cbor.ts"],
  "tests/deno/qr_code_test.ts": ["accounts/pages/qr_code.ts"],
  "tests/deno/redaction_time_test.ts": ["logger/redaction.ts"],
  "tests/deno/retry_pause_test.ts": ["auth/issuer/retry_pause.ts"],
  "tests/deno/session_index_test.ts": ["session/internal.ts"],
  "tests/deno/secret_box_test.ts": ["session/internal.ts"],
  "tests/long/create_migrate_postgres_test.ts": [
    "create/migrate/databases.ts",
  ],
  "tests/deno/oauth_public_fetch_test.ts": [
    "oauth_server/clients/_public_fetch.ts",
  ],
  "tests/oauth_server/clients/_assertions.ts": [
    "oauth_server/clients/client.ts",
  ],
  "tests/oauth_server/clients/_client_world.ts": [
    "oauth_server/clients/create_clients.ts",
  ],
  "tests/oauth_server/clients/_registrations.ts": [
    "oauth_server/clients/options.ts",
  ],
  "tests/oauth_server/clients/client_documents_test.ts": [
    "oauth_server/clients/client.ts",
    "oauth_server/clients/redirect_uri.ts",
  ],
  "tests/oauth_server/clients/client_keys_test.ts": [
    "oauth_server/clients/_client_assertion.ts",
    "oauth_server/clients/client.ts",
  ],
  "tests/oauth_server/clients/create_clients_test.ts": [
    "oauth_server/clients/client.ts",
  ],
  "tests/oauth_server/clients/credentials_test.ts": [
    "oauth_server/clients/client.ts",
  ],
  "tests/oauth_server/clients/document_url_test.ts": [
    "oauth_server/clients/_document_url.ts",
  ],
  "tests/oauth_server/clients/public_address_test.ts": [
    "oauth_server/clients/_public_address.ts",
  ],
  "tests/oauth_server/clients/redirect_uri_test.ts": [
    "oauth_server/clients/redirect_uri.ts",
  ],
  "tests/oauth_server/clients/registration_test.ts": [
    "oauth_server/clients/client.ts",
  ],
  "tests/oauth_server/device/user_code_test.ts": [
    "oauth_server/device/user_code.ts",
  ],
  "tests/oauth_server/grants/tokens_test.ts": [
    "oauth_server/grants/tokens.ts",
  ],
  "tests/oauth_server/jwt/signing_keys_test.ts": [
    "oauth_server/jwt/signing_keys.ts",
  ],
  "tests/oauth_server/resource_url_test.ts": [
    "oauth_server/resource_url.ts",
  ],
  "tests/oauth_server/device/poll_pace_test.ts": [
    "oauth_server/device/poll_pace.ts",
  ],
};

/** The only files that import each dependency. */
const KEEPERS = {
  "@noble/hashes": [
    "auth/password/_noble_hashes.ts",
    "auth/password/_phpass.ts",
  ],
  "@std/crypto": ["session/secrets.ts"],
  "@std/http": ["session/cookies/prefixed_cookie.ts"],
  "bcryptjs": ["auth/password/_bcrypt.ts"],
  "jose": ["auth/issuer/_jwt.ts"],
};

const ROOT = new URL("../../", import.meta.url);

interface Module {
  readonly kind: string;
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly specifier: string;
    readonly code?: { readonly specifier: string };
    readonly type?: { readonly specifier: string };
  }[];
}

Deno.test("every module imports its own folder and the doors of lower floors", async () => {
  const violations = (await imports())
    .filter(({ from, to }) => floorOf(to) >= 0 && !mayImport(from, to))
    .map(({ from, to }) => `${from} -> ${to}`);
  assertEquals(violations, []);
});

Deno.test("a file with an underscore is only imported from its folder", async () => {
  const leaks = (await imports())
    .filter(({ from, to }) => floorOf(to) >= 0 && isPrivate(from, to))
    .map(({ from, to }) => `${from} -> ${to}`);
  assertEquals(leaks, []);
});

Deno.test("no module but ./create imports a Node module, or a file outside the library", async () => {
  const violations = (await imports())
    .filter(({ from, to }) =>
      floorOf(to) < 0 && !(packageOf(to) in KEEPERS) && !isProgram(from, to)
    )
    .map(({ from, to }) => `${from} -> ${to}`);
  assertEquals(violations, []);
});

Deno.test("each dependency is imported by its files only", async () => {
  const known: Record<string, string[]> = {};
  for (const { from, to } of await imports()) {
    if (floorOf(to) >= 0 || isProgram(from, to)) continue;
    const files = known[packageOf(to)] ??= [];
    if (!files.includes(from)) files.push(from);
  }
  for (const files of Object.values(known)) files.sort();
  assertEquals(known, KEEPERS);

  const declared = Object.keys(config.imports);
  assertEquals(
    declared.filter((name) => name !== "@std/assert").sort(),
    Object.keys(KEEPERS),
  );
});

Deno.test("./create uses no global of Deno or Bun, and reaches few modules", async () => {
  const reached = await reach("./create");
  for (const file of reached.filter((file) => file.startsWith("create/"))) {
    const source = await Deno.readTextFile(new URL(file, ROOT));
    const code = source.replaceAll(/`(?:\\.|[^`\\])*`/g, "");
    assertEquals(code.match(/\b(?:Deno|Bun)\./g), null, file);
  }
  // The import of accounts is only loaded by `create migrate`.
  const alone = await reach("./create", "create/migrate/");
  const others = alone.filter((file) => !/^(?:create\/|node:)/.test(file));
  assertEquals(others.sort(), [
    "@std/crypto/timing-safe-equal",
    "auth/issued_tokens/api_token.ts",
    "session/secrets.ts",
  ]);
});

Deno.test("./fetch-router and ./data-schema depend on nothing outside their folders", async () => {
  for (const entry of ["./fetch-router", "./fetch-router/routes"] as const) {
    assertEquals(foreign("router/", await reach(entry)), []);
  }
  for (const entry of ["./data-schema", "./data-schema/checks"] as const) {
    assertEquals(foreign("schema/", await reach(entry)), []);
  }
});

Deno.test("an entry does not import the dependencies of others", async () => {
  const cases = [
    ["./auth-middleware", ["jose", "@noble/hashes", "bcryptjs"]],
    ["./auth", ["@noble/hashes", "bcryptjs"]],
    ["./auth/access-tokens", ["@noble/hashes", "bcryptjs"]],
    ["./auth/passkey", ["jose", "@noble/hashes", "bcryptjs"]],
    ["./auth/password", ["jose", "bcryptjs"]],
    ["./content", Object.keys(KEEPERS)],
    ["./middleware", Object.keys(KEEPERS)],
    ["./openapi", Object.keys(KEEPERS)],
    ["./session", ["jose", "@noble/hashes", "bcryptjs"]],
    ["./session-middleware", ["jose", "@noble/hashes", "bcryptjs"]],
    ["./testing", ["jose", "@noble/hashes", "bcryptjs"]],
    ["./logger-middleware", Object.keys(KEEPERS)],
    [".", ["bcryptjs"]],
  ] as const;
  for (const [entry, unwanted] of cases) {
    const packages = (await reach(entry)).map(packageOf);
    const found = unwanted.filter((name) => packages.includes(name));
    assertEquals(found, [], entry);
  }
});

Deno.test("every file of the library is reached from an entry", async () => {
  const reached = new Set<string>();
  for (const entry of Object.keys(config.exports)) {
    for (const file of await reach(entry as keyof typeof config.exports)) {
      reached.add(file);
    }
  }
  const unreached: string[] = [];
  for await (const file of sources()) {
    if (!reached.has(file)) unreached.push(file);
  }
  assertEquals(unreached, []);
});

Deno.test("tests and examples import the package by its name", async () => {
  const found: Record<string, string[]> = {};
  for (const folder of ["examples/", "tests/"]) {
    for await (const file of filesBelow(folder)) {
      if (!file.endsWith(".ts")) continue;
      const source = await Deno.readTextFile(new URL(file, ROOT));
      const files = [...source.matchAll(/\b(?:from|import) *\(?"(\.[^"]+)"/g)]
        .map(([, path]) => relative(new URL(path, new URL(file, ROOT)).href))
        .filter((path) => floorOf(path) >= 0);
      if (files.length > 0) found[file] = files;
    }
  }
  assertEquals(found, INSIDE);
});

/** Matches a comment that silences a check, and its rest. */
const SILENCED =
  /\/\/ *(?:deno-(?:lint|fmt)-ignore(?:-\w+)?|@ts-(?:expect-error|ignore|nocheck))(.*)/g;

Deno.test("a comment that silences a check has a reason", async () => {
  const found: string[] = [];
  let count = 0;
  for await (const file of filesBelow("")) {
    if (!file.endsWith(".ts") || file.includes("node_modules/")) continue;
    const source = await Deno.readTextFile(new URL(file, ROOT));
    for (const [comment, rest] of source.matchAll(SILENCED)) {
      count++;
      const reason = comment.includes("deno-")
        ? / -- \S+ \S/.test(rest!)
        : comment.includes("@ts-expect-error") && /\S+ \S/.test(rest!);
      if (!reason) found.push(`${file}: ${comment}`);
    }
  }
  assertEquals(found, []);
  assert(count > 100);
});

Deno.test("CONTRIBUTING.md draws every wing of the library", async () => {
  const text = await Deno.readTextFile(new URL("CONTRIBUTING.md", ROOT));
  const drawn = new Set<string>();
  let folder = "";
  for (const [, top, wing] of text.matchAll(/^(\w+\/|) +(?:(\w+\/) .*)?/gm)) {
    folder = top || folder;
    if (wing !== undefined) drawn.add(folder + wing);
  }
  const wings = new Set<string>();
  for await (const file of sources()) {
    const [wing] = /^\w+\/\w+\//.exec(file) ?? [];
    if (wing !== undefined) wings.add(wing);
  }
  assertEquals([...drawn].sort(), [...wings].sort());
});

Deno.test("half of the sources have a test file of their name in their wing", async () => {
  const tests = new Set<string>();
  for await (const file of filesBelow("tests/")) tests.add(file);
  const without: string[] = [];
  let count = 0;
  for await (const file of sources()) {
    const [, wing, name] = /^(.+\/)_?(\w+)\.ts$/.exec(file) ?? [];
    if (name === undefined || name === "mod" || name === "internal") continue;
    count++;
    if (!tests.has(`tests/${wing}${name}_test.ts`)) without.push(file);
  }
  assert(without.length <= count / 2, without.join("\n"));
});

Deno.test("a folder of the library has at most 26 files", async () => {
  const counts = new Map<string, number>();
  for await (const file of sources()) {
    const folder = file.slice(0, file.lastIndexOf("/") + 1);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  assertEquals([...counts].filter(([, count]) => count > 26), []);
});

Deno.test("every file next to tests has the name of a test or of a helper", async () => {
  const others: string[] = [];
  for await (const file of filesBelow("tests/")) {
    const isProgram = /^tests\/(?:bench|load|mutation|offline|run|runtimes)\//
      .test(file);
    if (isProgram) continue;
    // Browsers run a helper in JavaScript.
    if (!/\/(?:_\w+\.(?:js|ts)|\w+_test\.ts)$/.test(file)) others.push(file);
  }
  assertEquals(others, []);
});

function mayImport(from: string, to: string): boolean {
  if (from.split("/")[0] === to.split("/")[0]) return true;
  return floorOf(to) < floorOf(from) && DOORS.includes(to);
}

function isPrivate(from: string, to: string): boolean {
  const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1);
  return to.slice(folderOf(to).length).startsWith("_") &&
    folderOf(from) !== folderOf(to);
}

/** Returns `true` for the Node modules of `./create`, which is a program. */
function isProgram(from: string, to: string): boolean {
  return from.startsWith("create/") && to.startsWith("node:");
}

function floorOf(path: string): number {
  return FLOORS.findIndex((floor) => floor.some((top) => path.startsWith(top)));
}

/** Returns the package of an import: `@std/http` for `@std/http/cookie`. */
function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

function foreign(folder: string, modules: readonly string[]): string[] {
  return modules.filter((module) => !module.startsWith(folder));
}

/** Collects all direct and indirect imports of an entry, including itself. */
async function reach(
  entry: keyof typeof config.exports,
  except = "none",
): Promise<string[]> {
  const all = await imports();
  const reached = [config.exports[entry].slice(2)];
  for (const module of reached) {
    for (const { from, to } of all) {
      if (from !== module || reached.includes(to)) continue;
      if (!to.startsWith(except)) reached.push(to);
    }
  }
  return reached;
}

interface Import {
  /** A file of the library, relative to the root. */
  readonly from: string;
  /** Such a file, or the specifier of anything else. */
  readonly to: string;
}

let found: Promise<Import[]> | undefined;

/** Reads every import of the library, including types. */
function imports(): Promise<Import[]> {
  return found ??= findImports();
}

async function findImports(): Promise<Import[]> {
  const list: Import[] = [];
  for (const { specifier, dependencies = [] } of await modules()) {
    const from = relative(specifier);
    if (floorOf(from) < 0) continue;
    for (const { specifier, code, type } of dependencies) {
      const target = relative((code ?? type)?.specifier ?? "");
      list.push({ from, to: floorOf(target) < 0 ? specifier : target });
    }
  }
  return list;
}

async function modules(): Promise<Module[]> {
  const entry = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    const source = Object.values(config.exports)
      .map((path) => `import ${JSON.stringify(new URL(path, ROOT).href)};`);
    await Deno.writeTextFile(entry, source.join("\n"));
    const { success, stdout, stderr } = await new Deno.Command(
      Deno.execPath(),
      { args: ["info", "--json", "-c", "deno.json", entry], cwd: ROOT },
    ).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return JSON.parse(new TextDecoder().decode(stdout)).modules;
  } finally {
    await Deno.remove(entry);
  }
}

function relative(url: string): string {
  return url.startsWith(ROOT.href) ? url.slice(ROOT.href.length) : url;
}

async function* sources(): AsyncGenerator<string> {
  for await (const file of filesBelow("")) {
    if (floorOf(file) >= 0 && file.endsWith(".ts")) yield file;
  }
}

async function* filesBelow(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(new URL(folder, ROOT))) {
    const path = folder + entry.name;
    if (!entry.isDirectory) yield path;
    else if (!entry.name.startsWith(".")) yield* filesBelow(`${path}/`);
  }
}
