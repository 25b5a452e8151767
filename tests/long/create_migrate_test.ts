/** The program `create migrate`, on databases of better-auth. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createSQLAccountStore } from "@gatehouse/web/accounts/store";
import { createSecondFactors } from "@gatehouse/web/auth/second-factor";
import { startBetterAuth } from "../deno/_better_auth.ts";
import { migrate, SECRETS } from "../deno/_migrate_program.ts";
import { makeDataFolder } from "../runtimes/data_folder.ts";

/** Runs a test with a database of better-auth, whose user Bob has an app. */
function test(
  name: string,
  fn: (paths: { old: string; to: string }) => Promise<void>,
): void {
  Deno.test(`create migrate: ${name}`, async () => {
    const folder = await makeDataFolder();
    try {
      const old = `${folder}/old.sqlite`;
      const { browser, database } = await startBetterAuth(old);
      await browser().signUp("Ada");
      const bob = browser();
      await bob.signUp("Bob");
      await bob.enableApp();
      database.close();
      await fn({ old, to: `${folder}/new.sqlite` });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

function openStore(path: string) {
  const database = new DatabaseSync(path);
  const store = createSQLAccountStore((sql, params) =>
    database.prepare(sql).all(...params) as Record<string, unknown>[]
  );
  return { database, store };
}

test("first reports and writes nothing, then writes, and can run again", async ({ old, to }) => {
  const args = ["--from", "better-auth", "--database", old, "--to", to];
  const before = await Deno.readFile(old);
  const trial = await migrate(args);
  assertEquals([trial.code, trial.stderr], [0, ""]);
  for (
    const line of ["2 accounts read", "2 created", "1 authenticator app\n"]
  ) {
    assertStringIncludes(trial.stdout, line);
  }
  assertStringIncludes(trial.stdout, "Nothing was written");
  await Deno.stat(to).then(
    () => Promise.reject(new Error("written")),
    () => {},
  );

  const written = await migrate([...args, "--write"]);
  assertEquals(written.code, 0, written.stderr);
  assertStringIncludes(written.stdout, "2 created: 2 with a password");
  const again = await migrate([...args, "--write"]);
  assertStringIncludes(again.stdout, "0 created");
  assertStringIncludes(again.stdout, "2 existed from an earlier import");
  assertEquals(await Deno.readFile(old), before);

  const { database, store } = openStore(to);
  const bob = await store.findByEmail("bob@example.com");
  const factors = createSecondFactors({
    issuer: "Test",
    store: store.values,
    secrets: [SECRETS],
  });
  const { totp, recoveryCodes } = await factors.status(bob!.id);
  assertEquals([totp, recoveryCodes], [true, 10]);
  database.close();
});

test("writes into the database of better-auth without a second file", async ({ old }) => {
  const args = ["--from=better-auth", `--database=${old}`];
  const before = await Deno.readFile(old);
  assertStringIncludes((await migrate(args)).stdout, "2 created");
  assertEquals(await Deno.readFile(old), before);
  assertEquals((await migrate([...args, "--write"])).code, 0);
  const { database, store } = openStore(old);
  assertEquals((await store.findByEmail("ada@example.com"))?.name, "Ada");
  database.close();
});

test("refuses accounts whose second factor it cannot decrypt, and exits with 1", async ({ old, to }) => {
  const args = ["--from", "better-auth", "--database", old, "--to", to];
  for (const BETTER_AUTH_SECRET of ["", "another secret of 32 characters!"]) {
    const { code, stdout } = await migrate(args, { BETTER_AUTH_SECRET });
    assertEquals(code, 1);
    assertStringIncludes(stdout, "1 created");
    assertStringIncludes(stdout, "1 account not imported");
    assertStringIncludes(stdout, "secret of better-auth");
  }
});

test("reads the tables of Auth.js and Lucia", async ({ to }) => {
  const old = `${to}.old`;
  const database = new DatabaseSync(old);
  database.exec(`CREATE TABLE user (id TEXT PRIMARY KEY, email TEXT);
    CREATE TABLE account (userId TEXT, provider TEXT, providerAccountId TEXT);
    INSERT INTO user VALUES ('u1', 'ada@example.com');
    INSERT INTO account VALUES ('u1', 'github', '7')`);
  database.close();
  for (const from of ["auth-js", "lucia"]) {
    const args = ["--from", from, "--database", old, "--to", to];
    const { code, stdout, stderr } = await migrate(args);
    assertEquals(code, 0, stderr);
    assertStringIncludes(stdout, "1 created: 0 with a password");
    assertStringIncludes(stdout, "1 provider login\n");
  }
});

test("imports organizations as teams, and refuses roles that are not mapped", async ({ old, to }) => {
  const { browser, database } = await startBetterAuth(old);
  const carol = browser();
  await carol.signUp("Carol");
  const { id } = await carol.call("/organization/create", {
    name: "Engines",
    slug: "engines",
  });
  database.close();
  const args = ["--from", "better-auth", "--database", old, "--to", to];
  assertStringIncludes(
    (await migrate(args)).stdout,
    "Organizations are not imported without --team-roles.",
  );
  const roles = ["--team-roles", "head member"];
  const refused = await migrate([...args, ...roles]);
  assertEquals(refused.code, 1);
  assertStringIncludes(refused.stdout, "1 organization not imported");
  assertStringIncludes(refused.stdout, 'the role "owner" is unknown');
  const mapped = [...args, ...roles, "--map-roles", "owner=head"];
  const trial = await migrate(mapped);
  assertEquals(trial.code, 0, trial.stderr);
  for (const line of ["1 team created, and 0 existed", "1 member\n"]) {
    assertStringIncludes(trial.stdout, line);
  }
  assertStringIncludes(trial.stdout, "Nothing was written");
  assertEquals((await migrate([...mapped, "--write"])).code, 0);
  const opened = openStore(to);
  const [member] = await opened.store.teams!.members(id);
  assertEquals([member?.name, member?.role], ["Carol", "head"]);
  opened.database.close();
});

test("names a wrong option, and the reason", async ({ old, to }) => {
  const text = `${to}.txt`;
  await Deno.writeTextFile(text, "This is not a database.".repeat(50));
  const cases: [args: string[], message: string][] = [
    [[], "--from is not one of better-auth"],
    [["--from", "toString"], "--from is not one of better-auth"],
    [["--from", "better-auth"], "--database and --to need a file or a URL"],
    [["--from", "better-auth", "--database", "missing"], "does not exist"],
    ...[
      ["--team-roles", " "],
      ["--map-roles", "owner=head"],
      ["--from=lucia", "--team-roles", "head member"],
    ].map((roles): [string[], string] => [
      ["--from", "better-auth", "--database", old, ...roles],
      "--team-roles names the teamRoles, with --from better-auth",
    ]),
    ...["owner", "owner=boss", "=", "owner=head,member=member"].map(
      (map): [string[], string] => [
        [
          "--from=better-auth",
          `--database=${old}`,
          "--team-roles=head member",
          `--map-roles=${map}`,
        ],
        "--map-roles is not a list",
      ],
    ),
    [["--force"], 'the option "--force" is unknown'],
    [["old"], '"old" is not an option'],
    [
      ["--from", "better-auth", "--database", "mysql://a:secret@host/db"],
      '--database "mysql://host/db": only SQLite and PostgreSQL are read',
    ],
    [
      ["--from", "better-auth", `--database=${old}`, "--to=mysql://a:secret@h"],
      '--to "mysql://h": only SQLite and PostgreSQL are read',
    ],
    [["postgres://a:secret@host/db"], '"postgres://host/db" is not an option'],
    ...[
      "postgres://a:secret@127.0.0.1:1/db?sslmode=disable",
      "postgres://a:sec@secret@127.0.0.1:1/db",
    ].map((url): [string[], string] => [
      ["--from", "better-auth", "--database", url],
      '"postgres://127.0.0.1:1/db": ',
    ]),
    ...[
      "postgres://a:/secret@host/db",
      "postgres://a:1/secret@host/db",
      "postgres://a:1?secret@host/db",
      "postgres://a:1#secret@host/db",
      "postgres://a:secret@ho st/db",
      "postgres://a:secret@host:port/db",
    ].map((url): [string[], string] => [
      ["--from", "better-auth", "--database", url],
      "--database: the URL is malformed",
    ]),
    [
      ["--from", "better-auth", "--database", "host=h password=secret"],
      "the file does not exist",
    ],
    [["--from", "better-auth", "--database", old, "--write=no"], "no value"],
    [
      ["--from", "better-auth", "--database", text, "--to", to],
      "Cannot migrate accounts: --database: file is not a database",
    ],
    [
      ["--from", "better-auth", "--database", old, "--to", text],
      "Cannot migrate accounts: --to: file is not a database",
    ],
    [
      ["--from", "better-auth", "--database", old, "--to", `${to}/new.sqlite`],
      "Cannot migrate accounts: --to: the folder of the file does not exist",
    ],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await migrate(args);
    assertEquals(code, 1, args.join(" "));
    assertStringIncludes(stderr, message);
    assertEquals(`${stdout}${stderr}`.includes("secret"), false, stderr);
  }
  const { code, stdout } = await migrate(["--help"]);
  assertEquals(code, 0);
  assertStringIncludes(stdout, "--database");
});
