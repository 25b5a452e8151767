/**
 * The bytes of small programs, bundled, minified and gzipped: a login form with
 * each schema library, and two routes with each router. Bound: a login form has
 * at most the bytes of Zod's.
 *
 * `deno run -A tests/bench/size_bench.ts [--quick]`
 */
import { sizeOfLogin, sizeOfProgram } from "../deno/_bundle_sizes.ts";
import { finish, printTable } from "./_measure.ts";

const FORMS: Readonly<Record<string, string>> = {
  zod: `import * as z from "npm:zod@4.6.7";
const Login = z.object({ email: z.email(), password: z.string().min(8) });
export const login = (value: unknown) => Login.safeParse(value);`,
  "zod/mini": `import * as z from "npm:zod@4.6.7/mini";
const Login = z.object({
  email: z.email(),
  password: z.string().check(z.minLength(8)),
});
export const login = (value: unknown) => z.safeParse(Login, value);`,
  valibot: `import * as v from "npm:valibot@1.5.0";
const Login = v.object({
  email: v.pipe(v.string(), v.email()),
  password: v.pipe(v.string(), v.minLength(8)),
});
export const login = (value: unknown) => v.safeParse(Login, value);`,
  arktype: `import { type } from "npm:arktype@2.2.9";
const Login = type({ email: "string.email", password: "string >= 8" });
export const login = (value: unknown) => Login(value);`,
};

const ROUTES: Readonly<Record<string, string>> = {
  gatehouse: `import { createRouter } from "@gatehouse/web/fetch-router";
const app = createRouter();
app.get("/health", () => new Response("ok"));
app.get("/users/:id", ({ params }) => new Response(params.id));
export default { fetch: app.fetch };`,
  hono: `import { Hono } from "npm:hono@4.13.19";
const app = new Hono();
app.get("/health", () => new Response("ok"));
app.get("/users/:id", (context) => new Response(context.req.param("id")));
export default app;`,
  h3: `import { H3 } from "npm:h3@2.0.8";
const app = new H3();
app.get("/health", () => new Response("ok"));
app.get("/users/:id", ({ context }) => new Response(context.params!.id));
export default { fetch: app.fetch };`,
  "itty-router": `import { IttyRouter } from "npm:itty-router@5.0.24";
const app = IttyRouter();
app.get("/health", () => new Response("ok"));
app.get("/users/:id", ({ params }) => new Response(params.id));
export default { fetch: app.fetch };`,
};

const forms = new Map([
  ["gatehouse", await sizeOfLogin()],
  ...await sizesOf(FORMS),
]);
const routes = await sizesOf(ROUTES);
const bound = { of: "gatehouse", to: "zod", most: 1 };
const areSmall = printTable("bytes of a login form", forms, [bound], "bytes");
printTable("bytes of two routes", routes, [], "bytes");
finish(areSmall);

async function sizesOf(
  programs: Readonly<Record<string, string>>,
): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for (const [name, source] of Object.entries(programs)) {
    sizes.set(name, await sizeOfProgram(source));
  }
  return sizes;
}
