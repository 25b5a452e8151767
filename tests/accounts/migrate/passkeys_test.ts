/** The passkeys in the tables of other systems. */
import { assertEquals } from "@std/assert";
import { readAuthJS, readBetterAuth } from "@gatehouse/web/accounts/migrate";
import { queryOf, type Row } from "./_old_database.ts";

const CREATED = Date.parse("2024-01-31T12:00:00Z");

const ADA: Row = { id: "u1", email: "ada@example.com", name: "Ada" };

/** The table that better-auth writes. */
const BETTER_AUTH: Row = {
  userId: "u1",
  name: "Phone",
  credentialID: "AA+/AA==",
  publicKey: "pQEC",
  counter: 7,
  deviceType: "multiDevice",
  backedUp: 1,
  transports: "internal,hybrid",
  aaguid: "adce0002-35bc-c60a-648b-0b25f1f05503",
  createdAt: "2024-01-31T12:00:00.000Z",
};

/** The table that the adapters of Auth.js write. */
const AUTH_JS: Row = {
  userId: "u1",
  credentialID: "AA+/AA==",
  credentialPublicKey: "pQEC",
  counter: 7,
  credentialDeviceType: "singleDevice",
  credentialBackedUp: 0,
  transports: null,
};

/** Reads the passkeys and problems of a user with a row of a passkey. */
async function read(row: Row) {
  const isAuthJS = "credentialPublicKey" in row;
  const query = queryOf({
    user: [ADA],
    account: [{ userId: "other" }],
    [isAuthJS ? "authenticator" : "passkey"]: [row],
  });
  const accounts = isAuthJS ? readAuthJS(query) : readBetterAuth(query);
  const { value } = await accounts.next();
  return { passkeys: value!.passkeys, problems: value!.problems };
}

Deno.test("readBetterAuth() reads all values of a passkey", async () => {
  assertEquals(await read(BETTER_AUTH), {
    passkeys: [{
      id: "AA-_AA",
      publicKey: "pQEC",
      userHandle: "",
      counter: 7,
      transports: ["internal", "hybrid"],
      backupEligible: true,
      backedUp: true,
      aaguid: "adce0002-35bc-c60a-648b-0b25f1f05503",
      name: "Phone",
      createdAt: CREATED,
      usedAt: null,
    }],
    problems: [],
  });
});

Deno.test("readAuthJS() reads a passkey that lacks a name, a time and its model", async () => {
  assertEquals(await read(AUTH_JS), {
    passkeys: [{
      id: "AA-_AA",
      publicKey: "pQEC",
      userHandle: "",
      counter: 7,
      transports: [],
      backupEligible: false,
      backedUp: false,
      aaguid: "00000000-0000-0000-0000-000000000000",
      name: "Passkey",
      createdAt: 0,
      usedAt: null,
    }],
    problems: [],
  });
});

Deno.test("a passkey of another system with a malformed counter counts from 0", async () => {
  for (const counter of [-1, 0.5, "x", 2 ** 53, null]) {
    const { passkeys } = await read({ ...BETTER_AUTH, counter });
    assertEquals(passkeys?.map(({ counter }) => counter), [0]);
  }
});

Deno.test("a passkey of another system that no login could use is a problem", async () => {
  const rows: Row[] = [
    { ...BETTER_AUTH, credentialID: "" },
    { ...BETTER_AUTH, credentialID: "A A" },
    { ...BETTER_AUTH, credentialID: "A".repeat(1_365) },
    { ...BETTER_AUTH, publicKey: "" },
    { ...BETTER_AUTH, publicKey: "!" },
    { ...AUTH_JS, credentialPublicKey: null },
  ];
  for (const row of rows) {
    const expected = { passkeys: [], problems: ["a passkey is malformed"] };
    assertEquals(await read(row), expected);
  }
});
