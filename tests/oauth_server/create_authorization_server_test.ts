import { assertEquals, assertThrows } from "@std/assert";
import { createAuthorizationServer } from "@gatehouse/web/oauth-server";
import { API, SECRET } from "./_server.ts";
import { memory, OPTIONS, RESOURCE } from "./_options.ts";

const TEN_YEARS = 10 * 365 * 86_400_000;

/** Options that do not work, and the reason. */
const WRONG: readonly (readonly [Record<string, unknown>, RegExp])[] = [
  [{ issuer: undefined }, /issuer is not an https URL/],
  [{ issuer: "" }, /issuer is not an https URL/],
  [{ issuer: "test.example" }, /issuer is not an https URL/],
  [{ issuer: "http://test.example" }, /issuer is not an https URL/],
  [{ issuer: "https://test.example/" }, /issuer ends with a slash/],
  [{ issuer: "https://test.example/a/" }, /issuer ends with a slash/],
  [{ issuer: "https://test.example/?a=b" }, /issuer is not an https URL/],
  [{ issuer: "https://test.example/#a" }, /issuer is not an https URL/],
  [{ issuer: "https://user@test.example" }, /issuer is not an https URL/],
  [{ issuer: "https://:secret@test.example" }, /issuer is not an https URL/],
  [{ issuer: ["https://test.example"] }, /issuer is not an https URL/],
  [{ issuer: "https://täst.example" }, /issuer is not an https URL/],
  [{ users: undefined }, /users has no find/],
  [{ users: {} }, /users has no find/],
  [{ store: undefined }, /the store has no byIndex/],
  [{ store: { ...memory, byIndex: undefined } }, /the store has no byIndex/],
  [
    {
      store: {
        consistency: "eventual",
        byIndex: () => [],
        get: () => null,
        put: () => true,
        delete: () => {},
      },
    },
    /the store can't tell which request uses a code or a token first/,
  ],
  [{ secrets: [] }, /secrets is empty/],
  [{ secrets: ["short"] }, /secrets\[0\] has fewer than 32 characters/],
  [{ secrets: ["a".repeat(40)] }, /secrets\[0\] is too easy to guess/],
  [{ secrets: SECRET }, /secrets is not an array of strings/],
  [{ resources: {} }, /there is no resource/],
  [{ resources: { [API]: { ...RESOURCE, name: 7 } } }, /has no name/],
  [{ resources: { "/api": RESOURCE } }, /"\/api" is not an https URL/],
  [{ resources: { [`${API}?a=b`]: RESOURCE } }, /is not an https URL/],
  [{ resources: { [API]: { ...RESOURCE, name: "" } } }, /has no name/],
  [{ resources: { [API]: { ...RESOURCE, scopes: {} } } }, /has no scopes/],
  [{ resources: { [API]: { name: "Notes" } } }, /has no scopes/],
  [
    {
      resources: {
        [API]: {
          name: "Notes",
          scopes: Object.fromEntries(
            Array.from({ length: 33 }, (_, index) => [`s${index}`, "Scope"]),
          ),
        },
      },
    },
    /or more than 32/,
  ],
  [
    { resources: { [API]: RESOURCE, [`${API}2`]: RESOURCE } },
    /two resources have the scope "notes:read"/,
  ],
  [
    { resources: { [API]: { ...RESOURCE, defaultScopes: ["unknown"] } } },
    /has no scope "unknown"/,
  ],
  [
    { resources: { [API]: { ...RESOURCE, fresh: { unknown: 60_000 } } } },
    /has no scope "unknown"/,
  ],
  [
    { resources: { [API]: { ...RESOURCE, fresh: { "notes:read": 59_999 } } } },
    /the time of the scope "notes:read" is less than a minute/,
  ],
  [{ loginPath: "https://evil.example/login" }, /loginPath is not a path/],
  [{ loginPath: "//evil.example/login" }, /loginPath is not a path/],
  [{ loginPath: "/login#a" }, /loginPath is not a path/],
  [{ confirmPath: "login" }, /confirmPath is not a path/],
  [{ paths: { token: "token" } }, /the path "token" is not one/],
  [{ paths: { token: "/a/:b" } }, /the path "token" is not one/],
  [{ paths: { token: "/authorize" } }, /two paths are equal/],
  [{ lifetimes: { access: 59_999 } }, /lifetimes.access is less than/],
  [{ lifetimes: { access: 86_400_001 } }, /lifetimes.access "86400001"/],
  [{ lifetimes: { access: NaN } }, /lifetimes.access "NaN"/],
  [{ lifetimes: { idle: 366 * 86_400_000 } }, /lifetimes.idle/],
  [{ lifetimes: { total: Infinity } }, /lifetimes.total/],
  [{ lifetimes: { total: TEN_YEARS + 1 } }, /lifetimes.total/],
  [{ lifetimes: { grace: -1 } }, /lifetimes.grace/],
  [{ lifetimes: { grace: 60_001 } }, /lifetimes.grace/],
  [{ clients: [{ id: "a", name: "A", redirectUris: ["/b"] }] }, /"\/b"/],
];

Deno.test("createAuthorizationServer() throws for options that do not work", () => {
  createAuthorizationServer(OPTIONS);
  createAuthorizationServer({
    ...OPTIONS,
    lifetimes: { access: 60_000, grace: 0 },
  });
  const scopes = Array.from({ length: 32 }, (_, index) => [`s${index}`, "x"]);
  createAuthorizationServer({
    ...OPTIONS,
    lifetimes: {
      ...{ access: 86_400_000, grace: 60_000 },
      ...{ idle: TEN_YEARS, total: TEN_YEARS },
    },
    resources: { [API]: { name: "x", scopes: Object.fromEntries(scopes) } },
  });
  for (const [wrong, reason] of WRONG) {
    const options = { ...OPTIONS, ...wrong } as typeof OPTIONS;
    const error = assertThrows(
      () => createAuthorizationServer(options),
      Error,
      undefined,
      JSON.stringify(wrong),
    );
    assertEquals(reason.test(error.message), true, error.message);
    assertEquals(error.message.includes(SECRET), false);
  }
});
