import {
  auth,
  createBearerTokenAuthScheme,
  requireUser,
} from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { assertEquals } from "@std/assert";

const tokens = createBearerTokenAuthScheme({
  name: "tokens",
  verify: (token) => token === "t0ken" ? { id: "token" } : null,
});

interface User {
  readonly id: string;
  readonly plan: "free" | "paid";
}

const decisions: [string, (user: User) => unknown, number][] = [
  ["true", () => true, 200],
  ["false", () => false, 403],
  ["a response", () => new Response("Upgrade", { status: 402 }), 402],
  ["a promise of true", () => Promise.resolve(true), 200],
  ["a promise of false", () => Promise.resolve(false), 403],
  ["nothing", () => undefined, 403],
  ["a truthy value", () => "yes", 403],
];

for (const [name, check, status] of decisions) {
  Deno.test(`requireUser() responds with ${status} if the check returns ${name}`, async () => {
    const users = createBearerTokenAuthScheme({
      name: "users",
      verify: (): User => ({ id: "1", plan: "free" }),
    });
    const router = createRouter({ middleware: [auth({ schemes: [users] })] });
    const guard = requireUser((user: User) => check(user) as boolean);
    router.get("/", [guard], () => new Response());
    const response = await router.fetch("https://example.com/", {
      headers: { Authorization: "Bearer x" },
    });
    assertEquals(response.status, status);
  });
}

Deno.test("requireUser() responds with 401 to a request without a user, and does not call the check", async () => {
  const router = createRouter({ middleware: [auth({ schemes: [tokens] })] });
  const guard = requireUser(() => {
    throw new Error("called");
  });
  router.get("/", [guard], () => new Response());
  assertEquals((await router.fetch("https://example.com/")).status, 401);
});
