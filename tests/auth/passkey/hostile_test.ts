/** Bodies that no browser sends. None of them may throw. */
import {
  createMemoryPasskeyStore,
  createTestAuthenticator,
} from "@gatehouse/web/testing";
import { assertEquals } from "@std/assert";
import { createPasskeyApp, type Loose, withPasskey } from "../_passkey_app.ts";

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

const bodies: [name: string, type: string | null, body: BodyInit | null][] = [
  ["no body", JSON_TYPE, null],
  ["no body and no type", null, null],
  ["an empty body", JSON_TYPE, ""],
  ["an empty form", FORM_TYPE, ""],
  ["a form without the field", FORM_TYPE, "other=1"],
  ["a form with an empty field", FORM_TYPE, "passkey="],
  ["a form with bad escapes", FORM_TYPE, "passkey=%ff%zz"],
  ["a form with null", FORM_TYPE, "passkey=null"],
  ["a form with two fields", FORM_TYPE, "passkey=1&passkey=2"],
  ["null", JSON_TYPE, "null"],
  ["an array", JSON_TYPE, "[]"],
  ["a number", JSON_TYPE, "1e999"],
  ["no JSON", JSON_TYPE, "{"],
  ["a prototype", JSON_TYPE, '{"__proto__":{"id":"AA","type":"public-key"}}'],
  ["deep arrays", JSON_TYPE, "[".repeat(60_000)],
  ["deep objects", JSON_TYPE, '{"response":'.repeat(5_000)],
  ["bytes that are not UTF-8", JSON_TYPE, new Uint8Array([255, 254, 0])],
  ["a large body", JSON_TYPE, `"${"x".repeat(70_000)}"`],
  ["a large form", FORM_TYPE, `passkey=${"x".repeat(70_000)}`],
  ["another type", "text/plain", "{}"],
  ["XML", "application/xml", "<a/>"],
  ["a bad type", ";;;", "{}"],
];

for (const [name, type, body] of bodies) {
  Deno.test(`a ceremony that is answered with ${name} fails`, async () => {
    const app = createPasskeyApp();
    for (const path of ["/register", "/login", "/second-factor", "/confirm"]) {
      await app.post(`${path}/options`);
      const response = await app.browser.fetch(path, {
        method: "POST",
        headers: type === null ? {} : { "Content-Type": type },
        body,
      });
      const { ok, reason } = await response.json();
      assertEquals(ok, false);
      const reasons = ["response_missing", "response_malformed"];
      assertEquals(reasons.includes(reason), true, reason);
    }
  });
}

const values: Loose[] = [
  undefined,
  null,
  0,
  -1,
  1e309,
  true,
  "",
  "A",
  "AA",
  "A".repeat(10_000),
  "__proto__",
  "é",
  "\ud800",
  "\0",
  [],
  {},
  [[]],
  { length: 3 },
  { toString: null },
];

Deno.test("every member with every odd value fails, and throws nothing", async () => {
  const { app, authenticator } = await withPasskey();
  const device = createTestAuthenticator();
  const create = await device.register({
    ...await app.post("/register/options"),
  });
  const get = await authenticator.authenticate(
    await app.post("/login/options"),
  );
  for (
    const [path, valid] of [["/register", create], ["/login", get]] as const
  ) {
    const members = Object.keys(valid.response);
    const places = [
      ...["id", "rawId", "type", "response"].map((key) => [key]),
      ...members.map((key) => ["response", key]),
    ];
    for (const place of places) {
      // The library takes any transports, and no user handle is another test.
      if (/transports|userHandle/.test(place[1] ?? "")) continue;
      for (const value of values) {
        const response: Loose = structuredClone(valid);
        const [last, ...parents] = [...place].reverse();
        const parent = parents.reverse().reduce((o, key) => o[key], response);
        parent[last!] = value;
        // A missing rawId is the same as the id.
        if (last === "rawId" && value === undefined) continue;
        const { ok } = await app.post(path, response);
        assertEquals(ok, false, `${place} ${JSON.stringify(value)}`);
      }
    }
  }
});

Deno.test("odd transports are dropped", async () => {
  const cases: [Loose, string[]][] = [
    [undefined, []],
    ["usb", []],
    [{ 0: "usb" }, []],
    [[1, null, "USB", "a b", "usb", "x".repeat(33), ["nfc"]], ["usb"]],
    [["hybrid", "new-one"], ["hybrid", "new-one"]],
    [Array(100).fill("usb"), Array(8).fill("usb")],
  ];
  for (const [transports, expected] of cases) {
    const app = createPasskeyApp();
    const device = createTestAuthenticator();
    const result = await app.register(device, {}, (response) => {
      response.response.transports = transports;
      return response;
    });
    assertEquals(result.ok && result.passkey.transports, expected);
  }
});

Deno.test("random bytes in each member fail, and throw nothing", async () => {
  const { app, authenticator } = await withPasskey();
  const create = await createTestAuthenticator().register(
    await app.post("/register/options"),
  );
  const get = await authenticator.authenticate(
    await app.post("/login/options"),
  );
  for (let round = 0; round < 300; round++) {
    for (
      const [path, valid] of [["/register", create], ["/login", get]] as const
    ) {
      const response: Loose = structuredClone(valid);
      const members = Object.keys(response.response)
        .filter((name) => name !== "transports");
      const member = members[round % members.length]!;
      const bytes = crypto.getRandomValues(
        new Uint8Array(Math.floor(Math.random() * 200)),
      );
      response.response[member] = btoa(String.fromCharCode(...bytes))
        .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
      // A response that changes nothing of the client data takes the challenge.
      const { ok } = await app.post(path, response);
      assertEquals(ok, false);
    }
  }
});

Deno.test("finishAuthentication() does not look up an id that no passkey can have (WebAuthn 7.1, step 25)", async () => {
  const looked: number[] = [];
  const base = createMemoryPasskeyStore();
  const store = {
    ...base,
    // Several databases throw for a long key.
    get(id: string) {
      looked.push(id.length);
      return base.get(id);
    },
  };
  const { app, authenticator } = await withPasskey({ store });
  const reasons = [];
  for (const length of [1364, 1366, 20_000]) {
    const id = "A".repeat(length);
    const result: Loose = await app.logIn(
      authenticator,
      {},
      (response) => ({ ...response, id, rawId: id }),
    );
    reasons.push(result.reason);
  }
  const [unknown, malformed] = ["passkey_unknown", "response_malformed"];
  assertEquals(reasons, [unknown, malformed, malformed]);
  assertEquals(looked, [1364]);
});
