import { assert, assertEquals } from "@std/assert";
import { Login } from "../../_login.ts";
import { TestProvider, USER } from "../../_test_provider.ts";

for (const how of ["asked for", "required"] as const) {
  Deno.test(`startExternalAuth() pushes the request if that is ${how} (RFC 9126, sections 2 and 4)`, async () => {
    const provider = await TestProvider.create();
    const isAsked = how === "asked for";
    provider.faults = {
      metadata: (metadata) => ({
        ...metadata,
        require_pushed_authorization_requests: !isAsked,
      }),
    };
    const login = new Login(provider, { pushedAuthorization: isAsked });
    const response = await login.visit("/login");
    const location = new URL(response.headers.get("Location")!);
    assertEquals([...location.searchParams.keys()], [
      "client_id",
      "request_uri",
    ]);

    const { form, headers } = provider.last("/par");
    assert(headers.get("Authorization")!.startsWith("Basic "));
    assertEquals(form.get("response_type"), "code");
    assertEquals(form.get("client_id"), "app");
    assertEquals(form.has("request_uri"), false);
    assertEquals(form.get("code_challenge_method"), "S256");
    const { profile } = await login.end(provider.authorize(location.href));
    assertEquals(profile, USER);
  });
}

const badPushes: [string, (path: string) => Response][] = [
  [
    "refuses",
    () => Response.json({ error: "invalid_request" }, { status: 400 }),
  ],
  [
    "gives no request_uri",
    () => Response.json({ expires_in: 60 }, { status: 201 }),
  ],
  [
    "gives a request_uri with spaces",
    () => Response.json({ request_uri: "a b" }, { status: 201 }),
  ],
  [
    "gives a giant request_uri",
    () => Response.json({ request_uri: "a".repeat(3000) }, { status: 201 }),
  ],
  ["is down", () => new Response(null, { status: 503 })],
];

for (const [name, answer] of badPushes) {
  Deno.test(`startExternalAuth() responds with 502 if the endpoint for pushed requests ${name}, and keeps no login`, async () => {
    const provider = await TestProvider.create();
    provider.faults = {
      respond: ({ path }) => path === "/par" ? answer(path) : undefined,
    };
    const codes: string[] = [];
    const login = new Login(provider, {
      pushedAuthorization: true,
      onError: ({ code }) => codes.push(code),
    });
    const response = await login.visit("/login");
    assertEquals(response.status, 502);
    assertEquals(response.headers.getSetCookie(), []);
    assertEquals(codes, ["pushed_authorization_failed"]);
  });
}

Deno.test("startExternalAuth() responds with 502 if pushed requests are required without an endpoint", async () => {
  const provider = await TestProvider.create();
  provider.faults = {
    metadata: ({ pushed_authorization_request_endpoint: _, ...m }) => m,
  };
  const login = new Login(provider, { pushedAuthorization: true });
  assertEquals((await login.visit("/login")).status, 502);
});
