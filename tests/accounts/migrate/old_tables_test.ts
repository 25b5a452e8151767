/** The spellings and values of tables that other systems write. */
import { assertEquals, assertRejects } from "@std/assert";
import { readBetterAuth, readClerk } from "@gatehouse/web/accounts/migrate";
import { queryOf, type Row, type Tables } from "./_old_database.ts";

const ACCOUNTS = [{ userId: "none" }];

/** Reads the only user of a table. */
async function read(user: Row, name = "user") {
  const query = queryOf({ [name]: [user], account: ACCOUNTS });
  return (await readBetterAuth(query).next()).value!;
}

const texts: [value: Row[string], text: string | null][] = [
  ["ada@example.com", "ada@example.com"],
  [7, "7"],
  [7n, "7"],
  [null, null],
  [true, null],
  [new Date(0), null],
];

Deno.test("a string of another system may be a number, and nothing else", async () => {
  for (const [value, text] of texts) {
    const user = await read({ id: "1", email: value });
    assertEquals(user.email, text, String(value));
  }
});

const flags: [flag: boolean, values: Row[string][]][] = [
  [true, [true, 1, 1n, "1", "true", "t"]],
  [false, [false, 0, 0n, 2, null, "", "0", "f", "false", "yes"]],
];

Deno.test("a flag of another system is true in each spelling of databases", async () => {
  for (const [flag, values] of flags) {
    for (const emailVerified of values) {
      const user = await read({ id: "1", email: "a", emailVerified });
      assertEquals(user.emailVerified, flag, String(emailVerified));
    }
  }
});

const times: [value: Row[string], time: number][] = [
  [new Date(1_700_000_000_123), 1_700_000_000_123],
  [new Date(NaN), 0],
  ["2024-01-31T12:00:00.000Z", Date.UTC(2024, 0, 31, 12)],
  ["x", 0],
  ["", 0],
  [null, 0],
  [1_700_000_000, 1_700_000_000_000],
  ["1700000000.5", 1_700_000_000_500],
  [1_700_000_000_123n, 1_700_000_000_123],
  [1_700_000_000_123.9, 1_700_000_000_123],
  [99_999_999_999, 99_999_999_999_000],
  [100_000_000_000, 100_000_000_000],
];

Deno.test("a time of another system is a date, a string, seconds or milliseconds", async () => {
  for (const [createdAt, time] of times) {
    const user = await read({ id: "1", email: "a", createdAt });
    assertEquals(user.createdAt, time, String(createdAt));
  }
});

Deno.test("a table and its columns have any spelling, and the first name is preferred", async () => {
  for (const name of ["user", "users", "User", "us_er"]) {
    const user = await read({ ID: "1", EMAIL: "a", email_verified: 1 }, name);
    assertEquals([user.id, user.email, user.emailVerified], ["1", "a", true]);
  }
  const tables = {
    users: [{ id: "2", email: "b" }],
    user: [{ id: "1", email: "a" }],
    account: ACCOUNTS,
  };
  const users = await Array.fromAsync(readBetterAuth(queryOf(tables)));
  assertEquals(users.map(({ id }) => id), ["1"]);
});

Deno.test("a missing table or column is an error that names it", async () => {
  const user = [{ id: "1", email: "a" }];
  const errors: [tables: Tables, message: string][] = [
    [{ account: ACCOUNTS }, 'no table "user"'],
    [{ user }, 'no table "account"'],
    [
      { user: [{ email: "a" }], account: ACCOUNTS },
      '"user": it has no column "id"',
    ],
    [{ user, account: [{ id: "1" }] }, '"account": it has no column "userId"'],
  ];
  for (const [tables, message] of errors) {
    const accounts = readBetterAuth(queryOf(tables));
    await assertRejects(() => accounts.next(), TypeError, message);
  }
});

Deno.test("a table is read in pages of 500 rows, in the order of its ids", async () => {
  const ids = Array.from({ length: 1_000 }, (_, i) => String(10_000 + i));
  let statements = 0;
  const query = queryOf({
    user: ids.map((id) => ({ id, email: `${id}@example.com` })),
    account: ACCOUNTS,
  });
  const counting = (sql: string, params: readonly unknown[]) => {
    if (/FROM "user"/.test(sql)) statements++;
    return query(sql, params);
  };
  const users = await Array.fromAsync(readBetterAuth(counting));
  assertEquals(users.map(({ id }) => id), ids);
  assertEquals(statements, 3);
});

const files: [csv: string, addresses: string[]][] = [
  ["a@x.org", ["a@x.org"]],
  ["a@x.org\n", ["a@x.org"]],
  ["a@x.org\r\nb@x.org\r\n", ["a@x.org", "b@x.org"]],
  ["\n\na@x.org\n\n", ["a@x.org"]],
  ['"a@x.org"\n"b""c"\n', ["a@x.org", 'b"c']],
  ['"a\nb"', ["a\nb"]],
  ['"a,b"', ["a,b"]],
  ['""', []],
];

Deno.test("readClerk() reads lines, quotes and the mark of an encoding", () => {
  for (const [csv, addresses] of files) {
    for (const mark of ["", "\uFEFF"]) {
      for (const end of ["\n", "\r\n"]) {
        const file = `${mark}primary_email_address${end}${csv}`;
        const read = [...readClerk(file)].map(({ email }) => email);
        assertEquals(read, addresses, file);
      }
    }
  }
  const [last] = readClerk("primary_email_address,id\na@x.org,");
  assertEquals([last?.email, last?.id], ["a@x.org", ""]);
});
