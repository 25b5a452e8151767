/**
 * Type checking: an application of 500 routes, whose handlers use two params
 * and a value from middleware, next to the same in Hono. Then 500 routes that
 * are called through a typed client, next to Hono's `hc`. The result is the
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
  /** Returns the program with these routes. */
  readonly source: (table: readonly Row[]) => string;
}

/** A route of the applications. */
interface Row {
  readonly area: string;
  readonly thing: string;
  readonly method: string;
  readonly pattern: string;
}

const METHODS = ["get", "post", "put", "delete"];

/** The same routes for each application. */
const table = Array.from({ length: ROUTES }, (_, index): Row => {
  const [area, thing] = [`area${index % 20}`, `things${index}`];
  const pattern = `/${area}/${thing}/:id/parts/:part`;
  return { area, thing, method: METHODS[index % METHODS.length]!, pattern };
});

const applications: readonly Application[] = [
  {
    name: "gatehouse",
    source: (table) =>
      `import {
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
${
        table.map(({ method, pattern }) =>
          `app.${method}("${pattern}", (context) => {
  const { id, part } = context.params;
  return new Response(id + part + context.get(CurrentUser).name);
});`
        ).join("\n")
      }`,
  },
  {
    name: "hono",
    source: (table) =>
      `import { Hono } from "npm:hono@4.13.19";
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
${
        table.map(({ method, pattern }) =>
          `app.${method}("${pattern}", (context) => {
  const { id, part } = context.req.param();
  return new Response(id + part + context.get("user").name);
});`
        ).join("\n")
      }`,
  },
  {
    name: "gatehouse client",
    source: (table) =>
      `import { createClient } from "@gatehouse/web/client";
import { object, string } from "@gatehouse/web/data-schema";
import { createRouter } from "@gatehouse/web/fetch-router";
import { del, get, post, put, route } from "@gatehouse/web/fetch-router/routes";
const Part = object({ id: string(), part: string() });
const routes = route({
${
        areasOf(table).map(([area, rows]) =>
          `  ${area}: {
${
            rows.map(({ method, pattern, thing }) =>
              `    ${thing}: ${
                method === "delete" ? "del" : method
              }("${pattern}", { responses: { 200: Part } }),`
            ).join("\n")
          }
  },`
        ).join("\n")
      }
});
export const app = createRouter();
${
        table.map(({ area, method, thing }) =>
          `app.${method}(routes.${area}.${thing}, ({ params }) => {
  return Response.json({ id: params.id, part: params.part });
});`
        ).join("\n")
      }
const client = createClient(routes);
${
        table.map(({ area, thing }) =>
          `export async function ${area}_${thing}(): Promise<string> {
  const params = { id: "1", part: "2" };
  const result = await client.${area}.${thing}({ params });
  return result.ok ? result.body.id : result.problem.title;
}`
        ).join("\n")
      }`,
  },
  {
    name: "hono hc",
    source: (table) =>
      `import { Hono } from "npm:hono@4.13.19";
import { hc } from "npm:hono@4.13.19/client";
${
        areasOf(table).map(([area, rows]) =>
          `const ${area} = new Hono()
${
            rows.map(({ method, thing }) =>
              `  .${method}("/${thing}/:id/parts/:part", (context) => {
    const { id, part } = context.req.param();
    return context.json({ id, part });
  })`
            ).join("\n")
          };`
        ).join("\n")
      }
export const app = new Hono()
${areasOf(table).map(([area]) => `  .route("/${area}", ${area})`).join("\n")};
const client = hc<typeof app>("https://example.com");
${
        table.map(({ area, method, thing }) =>
          `export async function ${area}_${thing}(): Promise<string> {
  const param = { id: "1", part: "2" };
  const things = client.${area}.${thing};
  const response = await things[":id"].parts[":part"].$${method}({ param });
  return response.ok ? (await response.json()).id : response.statusText;
}`
        ).join("\n")
      }`,
  },
];

/** Groups the routes by area: applications of this size have several files. */
function areasOf(table: readonly Row[]): readonly [string, readonly Row[]][] {
  return [...Map.groupBy(table, ({ area }) => area)];
}

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
  const only = (...names: string[]) =>
    new Map(names.map((name) => [name, medians.get(name)!]));
  const areWithin = [
    printTable(
      `type checking, ${ROUTES} routes`,
      only("gatehouse", "hono"),
      [{ of: "gatehouse", to: "hono", most: 1 }],
      "ms",
    ),
    printTable(
      `type checking, ${ROUTES} routes called through a client`,
      only("gatehouse client", "hono hc"),
      [{ of: "gatehouse client", to: "hono hc", most: 1 }],
      "ms",
    ),
  ];
  finish(areWithin.every(Boolean));
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** Measures the processor time of a check, in milliseconds. */
async function check(
  { name, source: sourceOf }: Application,
  round: number,
): Promise<number> {
  const file = `${folder}/${name.replace(" ", "_")}.ts`;
  // A file that was checked before is not checked again.
  const source = `${sourceOf(table)}\n// ${round}\n`;
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
