import { createSQLSessionStore } from "@gatehouse/web/session/sql";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { turns } from "../../_wait.ts";

for (const table of ["", "a b", 'a"b', "a;b", "1a", "é", "a".repeat(41)]) {
  Deno.test(`createSQLSessionStore() rejects the table "${table}"`, () => {
    assertThrows(
      () => createSQLSessionStore(() => [], { table }),
      TypeError,
      "plain name",
    );
  });
}

Deno.test("createSQLSessionStore() creates its table again after a failure", async () => {
  let isDown = true;
  const statements: string[] = [];
  const store = createSQLSessionStore((sql) => {
    if (isDown) throw new Error("The database is unavailable");
    statements.push(sql);
    return [];
  });
  await Promise.resolve(store.get("a")).then(
    () => assert(false),
    (error) => assertEquals(error.message, "The database is unavailable"),
  );
  isDown = false;
  await store.get("a");
  assert(statements[1].startsWith("CREATE TABLE IF NOT EXISTS"));
  const count = statements.length;
  await store.get("a");
  assertEquals(statements.length, count + 1);
});

Deno.test("createSQLSessionStore() creates nothing that exists, whatever its case: its user may lack the right", async () => {
  const names = ["", "_expires_at", "_INDEX1", "_index2", "_index3", "_index4"];
  const statements: string[] = [];
  const store = createSQLSessionStore((sql) => {
    statements.push(sql);
    return sql.includes("sqlite_master")
      ? names.map((name) => ({ name: `gatehouse_sessions${name}` }))
      : [];
  });
  await store.get("a");
  assertEquals(statements.filter((sql) => sql.startsWith("CREATE")), []);
});

Deno.test("createSQLSessionStore() works if its first statement never settles", async () => {
  let count = 0;
  const store = createSQLSessionStore(() =>
    ++count === 1 ? new Promise(() => {}) : []
  );
  const first = Promise.resolve(store.get("a")).then(() => "first");
  const second = Promise.resolve(store.get("a")).then(() => "second");
  assertEquals(await Promise.race([first, second]), "second");
});

Deno.test("createSQLSessionStore() fails no call after a failed look has ended", async () => {
  let isDown = true;
  const store = createSQLSessionStore(async () => {
    await turns();
    if (isDown) throw new Error("The database is unavailable");
    return [];
  });
  const results = await Promise.allSettled(
    Array.from({ length: 3 }, () => store.get("a")),
  );
  assertEquals(results.map(({ status }) => status), Array(3).fill("rejected"));
  isDown = false;
  assertEquals(await store.get("a"), null);
});

Deno.test("createSQLSessionStore() writes whole milliseconds if the clock returns fractions", async () => {
  const times: unknown[] = [];
  const store = createSQLSessionStore((_sql, params) => {
    times.push(...params.filter((param) => typeof param === "number"));
    return [];
  }, { now: () => 1_000.7, createTable: false });
  await store.get("key");
  await store.byIndex!("user:1");
  for (const ifVersion of [null, "1"]) {
    await store.put("key", "value", { ttl: 0.5, ifVersion });
  }
  assertEquals(times, [1_000, 1_000, 1_001, 1_000, 1_001, 1_000]);
});

Deno.test("createSQLSessionStore() creates no table with createTable: false", async () => {
  const statements: string[] = [];
  const query = (sql: string) => {
    statements.push(sql);
    return [];
  };
  const options = { createTable: false, dialect: "postgres" } as const;
  await createSQLSessionStore(query, options).get("a");
  assertEquals(statements, [
    "SELECT value, version FROM gatehouse_sessions WHERE id = $1 AND expires_at > $2",
  ]);
});

Deno.test("createSQLSessionStore() removes expired values with the first of eight inserts", async () => {
  const removals: number[] = [];
  let inserts = 0;
  const store = createSQLSessionStore((sql) => {
    if (sql.startsWith("DELETE")) removals.push(inserts);
    else inserts++;
    return [{ id: "key" }];
  }, { createTable: false });
  for (let count = 0; count < 17; count++) {
    await store.put("key", "value", { ttl: 1_000, ifVersion: null });
  }
  assertEquals(removals, [1, 9, 17]);
});

for (const how of ["hangs", "fails"]) {
  Deno.test(`createSQLSessionStore() stores a value in time if the removal of expired ones ${how}`, async () => {
    let removals = 0;
    const store = createSQLSessionStore((sql) => {
      if (!sql.startsWith("DELETE")) return [{ id: "key" }];
      removals++;
      return how === "hangs"
        ? new Promise(() => {})
        : Promise.reject(new Error("The database is unavailable"));
    }, { createTable: false });
    const options = { ttl: 1_000, ifVersion: null };
    assertEquals(await store.put("key", "value", options), true);
    assertEquals(removals, 1);
  });
}
