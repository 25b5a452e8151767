/**
 * Type checking: an application of 500 routes, whose handlers use two params
 * and a value from middleware, next to the same in Hono. The result is the
 * processor time of `deno check`. It includes the time to load the libraries,
 * which is equal for both. They did not change since the first round, so Deno
 * does not check their own types again. Bound: no longer than Hono.
 */
import { finish, medianOf, printTable } from "./_measure.ts";

const ROOT = new URL("../../", import.meta.url);
const ROUTES = 500;
const rounds = Deno.args.includes("--quick") ? 3 : 9;

interface Application {
  readonly name: string;
  readonly head: string;
  readonly route: (method: string, pattern: string) => string;
}

const applications: readonly Application[] = [
  {
    name: "gatehouse",
    head: `import {
  type ContextEntry,
  createContextKey,
  createRouter,
  type Middleware,
} from "@gatehouse/web/fetch-router";
interface User { readonly id: number; readonly name: string }
const CurrentUser = createContextKey<User>();
const auth: Middleware<readonly [ContextEntry<typeof CurrentUser, User>]> =
  (context, next) => {
    context.set(CurrentUser, { id: 1, name: "Ada" });
    return next();
  };
export const app = createRouter({ middleware: [auth] });
`,
    route: (method, pattern) =>
      `app.${method}("${pattern}", (context) => {
  const { id, part } = context.params;
  return new Response(id + part + context.get(CurrentUser).name);
});`,
  },
  {
    name: "hono",
    head: `import { Hono } from "npm:hono@4.13.19";
import { createMiddleware } from "npm:hono@4.13.19/factory";
interface User { readonly id: number; readonly name: string }
const auth = createMiddleware<{ Variables: { user: User } }>(
  async (context, next) => {
    context.set("user", { id: 1, name: "Ada" });
    await next();
  },
);
export const app = new Hono<{ Variables: { user: User } }>();
app.use(auth);
`,
    route: (method, pattern) =>
      `app.${method}("${pattern}", (context) => {
  const { id, part } = context.req.param();
  return new Response(id + part + context.get("user").name);
});`,
  },
];

const folder = await Deno.makeTempDir();
try {
  const samples = new Map(
    applications.map(({ name }) => [name, [] as number[]]),
  );
  // The first round fills the cache for later ones.
  for (let round = 0; round <= rounds; round++) {
    for (const application of applications) {
      const time = await check(application, round);
      if (round > 0) samples.get(application.name)!.push(time);
    }
  }
  const medians = new Map(
    [...samples].map(([name, times]) => [name, medianOf(times)]),
  );
  finish(printTable(
    `type checking, ${ROUTES} routes`,
    medians,
    [{ of: "gatehouse", to: "hono", most: 1 }],
    "ms",
  ));
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** Measures the processor time of a check, in milliseconds. */
async function check(
  { name, head, route }: Application,
  round: number,
): Promise<number> {
  const file = `${folder}/${name}.ts`;
  const methods = ["get", "post", "put", "delete"];
  const lines = Array.from({ length: ROUTES }, (_, index) => {
    const pattern = `/area${index % 20}/things${index}/:id/parts/:part`;
    return route(methods[index % methods.length]!, pattern);
  });
  // A file that was checked before is not checked again.
  const source = `${head}${lines.join("\n")}\n// ${round}\n`;
  await Deno.writeTextFile(file, source);
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-c", '"$@" || exit 1; times', "sh", Deno.execPath(), "check"]
      .concat("--quiet", "--config", "deno.json", file),
    cwd: ROOT,
  }).output();
  const text = new TextDecoder();
  if (code !== 0) throw new Error(text.decode(stderr));
  // The second line is that of the children: user and system time.
  const [, children = ""] = text.decode(stdout).trim().split("\n");
  const [, minutes, seconds] = /^(\d+)m([\d.]+)s/.exec(children) ?? [];
  return (Number(minutes) * 60 + Number(seconds)) * 1000;
}
