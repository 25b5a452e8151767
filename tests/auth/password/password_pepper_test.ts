import {
  hashPassword,
  type PasswordPepper,
  verifyPassword,
} from "@gatehouse/web/auth/password";
import {
  assertEquals,
  assertFalse,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";

const cheap = { memory: 8, passes: 1 };
const old = { id: "2025", key: new Uint8Array(32).fill(1) };
const current = { id: "2026", key: new Uint8Array(64).fill(2) };

const RIGHT = { ok: true, needsRehash: false };
const STALE = { ok: true, needsRehash: true };
const WRONG = { ok: false, needsRehash: false };

Deno.test("hashPassword() stores the id of the pepper in the hash, not its key", async () => {
  const hash = await hashPassword("password", { ...cheap, peppers: [old] });
  assertStringIncludes(hash, "$argon2id$v=19$m=8,t=1,p=1,keyid=MjAyNQ$");
  assertFalse(
    hash.includes(btoa(String.fromCharCode(...old.key)).replace(/=+$/, "")),
  );
});

const steps: [
  name: string,
  made: PasswordPepper[],
  held: PasswordPepper[],
  result: typeof RIGHT,
][] = [
  ["the same pepper", [current], [current], RIGHT],
  ["an older pepper that still exists", [old], [current, old], STALE],
  ["the first of several", [current, old], [current, old], RIGHT],
  [
    "a pepper after the first",
    [old, current],
    [current, old],
    STALE,
  ],
  ["no pepper, from before there was one", [], [current], STALE],
  ["a removed pepper", [old], [current], WRONG],
  ["a pepper if all were removed", [old], [], WRONG],
  [
    "another key under the same name",
    [old],
    [{ id: "2025", key: current.key }],
    WRONG,
  ],
];

for (const [name, made, held, result] of steps) {
  Deno.test(`verifyPassword() returns ${JSON.stringify(result)} for a hash with ${name}`, async () => {
    const hash = await hashPassword("password", { ...cheap, peppers: made });
    const options = { ...cheap, peppers: held };
    assertEquals(await verifyPassword(hash, "password", options), result);
    assertEquals(await verifyPassword(hash, "Password", options), WRONG);
  });
}

Deno.test("verifyPassword() rejects a hash without its key id", async () => {
  const options = { ...cheap, peppers: [old] };
  const hash = await hashPassword("password", options);
  const cut = hash.replace(/,keyid=\w+/, "");
  assertEquals(await verifyPassword(cut, "password", options), WRONG);
});

Deno.test("verifyPassword() rejects a hash with a wrong key id", async () => {
  const hash = await hashPassword("password", cheap);
  const named = hash.replace(/,p=\d+/, (p) => `${p},keyid=YQ`);
  assertStringIncludes(named, ",keyid=YQ$");
  const options = { ...cheap, peppers: [old] };
  assertEquals(await verifyPassword(named, "password", options), WRONG);
});

const key = new Uint8Array(32);
const misuse: [
  name: string,
  peppers: PasswordPepper[],
  type: ErrorConstructor,
][] = [
  ["an empty id", [{ id: "", key }], RangeError],
  ["an id of 9 letters", [{ id: "123456789", key }], RangeError],
  ["an id with a comma", [{ id: "a,b", key }], RangeError],
  ["an id with a dollar", [{ id: "a$b", key }], RangeError],
  ["an id that is not ASCII", [{ id: "é", key }], RangeError],
  ["a key of 31 bytes", [{ id: "a", key: key.slice(1) }], RangeError],
  ["a key of 65 bytes", [{ id: "a", key: new Uint8Array(65) }], RangeError],
  ["a key that is a string", [{ id: "a", key: "x" as never }], TypeError],
  ["one id for two keys", [{ id: "a", key }, { id: "a", key }], RangeError],
];

for (const [name, peppers, type] of misuse) {
  Deno.test(`hashPassword() and verifyPassword() reject ${name} with a ${type.name}`, async () => {
    await assertRejects(() => hashPassword("x", { ...cheap, peppers }), type);
    await assertRejects(() => verifyPassword(null, "x", { peppers }), type);
  });
}
