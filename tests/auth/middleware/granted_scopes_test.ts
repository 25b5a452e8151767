import {
  auth,
  type AuthScheme,
  grantedScopes,
} from "@gatehouse/web/auth-middleware";
import { createRouter, RequestContext } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";

/** The scopes of the user and of the token, and those of the request. */
const ROWS: [user: unknown, token: unknown, granted: readonly string[]][] = [
  [undefined, undefined, []],
  [["a", "b"], undefined, ["a", "b"]],
  [undefined, ["a", "b"], ["a", "b"]],
  [["a", "b"], ["b", "c"], ["b"]],
  [["a"], ["b"], []],
  [[], ["a"], []],
  [["a"], [], []],
  // A database or an issuer without types.
  ["a b", undefined, []],
  ["a b", ["a"], []],
  [["a"], "a", []],
  [null, ["a"], []],
];

Deno.test("grantedScopes() returns the scopes that both the user and the token have", async () => {
  for (const [scopes, ofToken, granted] of ROWS) {
    const user = { id: 1, ...scopes !== undefined && { scopes } };
    const scheme = {
      name: "test",
      authenticate: () => ({
        status: "authenticated",
        user,
        ...ofToken !== undefined && { scopes: ofToken },
      }),
    } as unknown as AuthScheme<{ id: number }>;
    const router = createRouter({ middleware: [auth({ schemes: [scheme] })] });
    router.get("/", (context) => Response.json(grantedScopes(context)));

    const response = await router.fetch("https://test.example/");
    const row = JSON.stringify([scopes, ofToken]);
    assertEquals(await response.json(), granted, row);
  }
});

Deno.test("grantedScopes() returns no scopes without a user", () => {
  const context = new RequestContext(new Request("https://test.example/"));
  assertEquals(grantedScopes(context), []);
});
