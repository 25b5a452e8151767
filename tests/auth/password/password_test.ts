import {
  type Argon2Engine,
  hashPassword,
  type HashPasswordOptions,
  PasswordRefusedError,
  verifyPassword,
} from "@gatehouse/web/auth/password";
import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertRejects,
} from "@std/assert";

const RIGHT = { ok: true, needsRehash: false };
const WRONG = { ok: false, needsRehash: false };

/** The minimum cost of Argon2, for tests of other things. */
const cheap = { memory: 8, passes: 1, parallelism: 1 };

Deno.test("hashPassword() writes an Argon2id string that verifyPassword() accepts (spec 5.1.4)", async () => {
  const hash = await hashPassword("pässword 🔑");
  assertMatch(
    hash,
    /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
  );
  assertEquals(await verifyPassword(hash, "pässword 🔑"), RIGHT);
  assertEquals(await verifyPassword(hash, "Pässword 🔑"), WRONG);
});

Deno.test("hashPassword() returns different strings for the same password (spec 5.1.4)", async () => {
  const hashes = new Set<string>();
  for (let time = 0; time < 20; time++) {
    hashes.add(await hashPassword("password", cheap));
  }
  assertEquals(hashes.size, 20);
});

for (const hash of [null, undefined, "", "x", "$argon2id$"]) {
  Deno.test(`verifyPassword() rejects every password for the hash ${JSON.stringify(hash)} (spec 2.4)`, async () => {
    assertEquals(await verifyPassword(hash, ""), WRONG);
    assertEquals(await verifyPassword(hash, "password"), WRONG);
  });
}

Deno.test("verifyPassword() does the same work for no user, no password and a broken hash (ASVS 6.3.8)", async () => {
  const options = { memory: 64, passes: 3, parallelism: 2 };
  const real = await hashPassword("password", options);
  const asked: unknown[] = [];
  const engine: Argon2Engine = {
    name: "counting",
    derive({ memory, passes, parallelism, tagLength, variant }) {
      asked.push([memory, passes, parallelism, tagLength, variant]);
      return Promise.resolve(new Uint8Array(tagLength));
    },
  };
  const hashes = [real, null, undefined, "", "broken", real + "\0"];
  for (const hash of hashes) {
    await verifyPassword(hash, "password", { ...options, engine });
  }
  assertEquals(asked, hashes.map(() => [64, 3, 2, 32, "argon2id"]));
});

/** Passwords that differ and must not verify for each other. */
const distinct = [
  "",
  " ",
  "a",
  "a ",
  " a",
  "A",
  "a\0",
  "a\0b",
  "a\0c",
  "a\n",
  "é",
  "e\u0301",
  "\ufeffa",
  "\ufffd",
  "x".repeat(72),
  "x".repeat(73),
  "x".repeat(4095),
  "x".repeat(4095) + "y",
  "x".repeat(4096),
];

Deno.test("hashPassword() does not trim, truncate or normalize a password, of any characters (ASVS 6.2.5, 6.2.8)", async () => {
  for (const password of distinct) {
    const hash = await hashPassword(password, cheap);
    for (const other of distinct) {
      const { ok } = await verifyPassword(hash, other, cheap);
      assertEquals([password, other, ok], [
        password,
        other,
        other === password,
      ]);
    }
  }
});

Deno.test("hashPassword() accepts a password of 64 and of 4,096 characters (ASVS 6.2.9)", async () => {
  for (const length of [64, 4096]) {
    const password = "x".repeat(length);
    const hash = await hashPassword(password, cheap);
    assert((await verifyPassword(hash, password, cheap)).ok);
  }
});

/** Values that JSON, forms and headers can have instead of a password. */
const impossible: unknown[] = [
  "x".repeat(4097),
  "é".repeat(2049),
  "x".repeat(10_000_000),
  "\ud800",
  "a\udfffb",
  undefined,
  null,
  0,
  {},
  [],
  ["password"],
  new File(["password"], "password.txt"),
];

Deno.test("verifyPassword() rejects invalid and long passwords without an error", async () => {
  const hash = await hashPassword("\ufffd", cheap);
  for (const password of impossible) {
    assertEquals(await verifyPassword(hash, password as string, cheap), WRONG);
    assertEquals(await verifyPassword(null, password as string, cheap), WRONG);
  }
});

Deno.test("hashPassword() rejects invalid and long passwords without repeating them", async () => {
  for (const password of impossible) {
    const error = await assertRejects(() => hashPassword(password as string));
    const isText = typeof password === "string";
    assert(error instanceof (isText ? RangeError : TypeError));
    assertFalse(error.message.includes("x".repeat(10)));
  }
});

Deno.test("verifyPassword() rejects with a TypeError for a stored hash that is not a string", async () => {
  for (const hash of [0, 42, true, {}, new Uint8Array(60)]) {
    await assertRejects(() => verifyPassword(hash as never, "x"), TypeError);
  }
});

Deno.test("verifyPassword() returns a new result object to every caller", async () => {
  for (const password of ["x", undefined as never]) {
    const result = await verifyPassword(null, password, cheap);
    Object.assign(result, { ok: true });
    assertEquals(await verifyPassword(null, password, cheap), WRONG);
  }
});

const outdated: [why: string, options: HashPasswordOptions, stale: boolean][] =
  [
    ["less memory", { memory: 16 }, true],
    ["more memory", { memory: 64 }, true],
    ["fewer passes", { memory: 32, passes: 1 }, true],
    ["more lanes", { memory: 32, passes: 2, parallelism: 2 }, true],
    ["nothing", { memory: 32, passes: 2, parallelism: 1 }, false],
  ];

for (const [why, options, stale] of outdated) {
  Deno.test(`verifyPassword() reports ${stale ? "a" : "no"} new hash for ${why}`, async () => {
    const hash = await hashPassword("password", options);
    const wanted = { memory: 32, passes: 2, parallelism: 1 };
    assertEquals(await verifyPassword(hash, "password", wanted), {
      ok: true,
      needsRehash: stale,
    });
    assertEquals(await verifyPassword(hash, "passw0rd", wanted), WRONG);
  });
}

Deno.test("hashPassword() rejects passwords that the refuse hook rejects (ASVS 6.2.4)", async () => {
  const common = new Set(["password", "12345678"]);
  const sync = { ...cheap, refuse: (text: string) => common.has(text) };
  const async = {
    ...cheap,
    refuse: (text: string) => Promise.resolve(common.has(text)),
  };
  for (const options of [sync, async]) {
    const error = await assertRejects(
      () => hashPassword("12345678", options),
      PasswordRefusedError,
    );
    assertEquals(error.code, "password_refused");
    assertEquals(error.name, "PasswordRefusedError");
    assertFalse(error.message.includes("12345678"));
    assertMatch(await hashPassword("correct horse", options), /^\$argon2id\$/);
  }
});

Deno.test("hashPassword() does not hash if the refuse hook fails", async () => {
  const refuse = () => Promise.reject(new Error("The list is offline"));
  await assertRejects(
    () => hashPassword("correct horse", { ...cheap, refuse }),
    Error,
    "The list is offline",
  );
});

const misuse: [name: string, options: HashPasswordOptions][] = [
  ["memory below 8 KiB", { memory: 7 }],
  ["memory below 8 KiB for each lane", { memory: 8, parallelism: 2 }],
  ["memory above 1 GiB", { memory: 1_048_577 }],
  ["memory that is not an integer", { memory: 8.5 }],
  ["memory that is not a number", { memory: NaN }],
  ["no passes", { passes: 0 }],
  ["passes above 20", { passes: 21 }],
  ["no lanes", { parallelism: 0 }],
  ["lanes above 16", { parallelism: 17 }],
];

for (const [name, options] of misuse) {
  Deno.test(`hashPassword() and verifyPassword() reject ${name} with a RangeError`, async () => {
    await assertRejects(() => hashPassword("x", options), RangeError);
    await assertRejects(() => verifyPassword(null, "x", options), RangeError);
  });
}
