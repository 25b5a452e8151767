import { assertEquals } from "@std/assert";
import { createRouter, type Middleware } from "@gatehouse/web/fetch-router";
import { captureConsole } from "../_console.ts";
import { origin, run } from "./_run.ts";

const thrown: [string, Middleware<readonly []>][] = [
  ["before next()", () => {
    throw new Error("bug");
  }],
  ["after next(), at once", (_, next) => {
    next();
    throw new Error("bug");
  }],
  ["after awaiting next()", async (_, next) => {
    await next();
    throw new Error("bug");
  }],
  ["in a promise", () => Promise.reject(new Error("bug"))],
];

for (const [name, middleware] of thrown) {
  Deno.test(`onError() responds once to a middleware that throws ${name}`, async () => {
    const { answer, errors } = await run(middleware);
    assertEquals([answer, errors], ["onError", ["Error: bug"]]);
  });
}

Deno.test("an error that onError throws again is printed once", async () => {
  using calls = captureConsole();
  const { printed } = calls;
  const onError = (problem: unknown) => {
    throw problem;
  };
  const { answer } = await run(
    () => {
      throw new Error("bug");
    },
    undefined,
    { onError },
  );
  assertEquals(answer, "Internal Server Error");
  assertEquals(printed.map(String), ["Error: bug"]);
});

Deno.test("onError gets the route and the values of the failed request", async () => {
  const router = createRouter({
    onError: (error, { route, params, method }) =>
      Response.json([String(error), route?.pattern.source, params, method]),
  });
  router.post("/users/:id", () => Promise.reject("text, no Error"));
  const response = await router.fetch(`${origin}/users/7`, { method: "POST" });
  assertEquals(await response.json(), [
    "text, no Error",
    "/users/:id",
    { id: "7" },
    "POST",
  ]);
});

Deno.test("onError gets an error of defaultHandler", async () => {
  const router = createRouter({
    defaultHandler: () => {
      throw new Error("bug");
    },
    onError: (error) => new Response(String(error), { status: 500 }),
  });
  assertEquals(await (await router.fetch(origin)).text(), "Error: bug");
});
