import type { Table } from "./_measure.ts";

/** A section of the page: one table, with a column for each runtime. */
export interface Topic {
  readonly heading: string;
  /** One line about the measured work. */
  readonly ran: string;
  readonly works: readonly Work[];
}

/** One line of a table, which compares our time with the best peer's. */
export interface Work {
  readonly name: string;
  /** The titles of its tables, one per runtime. */
  readonly title: RegExp;
  /** Our row. */
  readonly own: string;
  /** The rows of other libraries. A table may have rows of other kinds. */
  readonly peers: RegExp;
}

const FRAMEWORKS = /^(?:elysia|hono|h3|itty-router|@remix-run)/;

const SERVERS = "(?:(?:Deno|Bun)\\.serve|srvx on Node|workerd)";

/** A name without this mark is of a library that needs no eval. */
const WITHOUT_EVAL = /^(?!gatehouse)(?!.*\(eval\))(?!sury)/;

const SCHEMAS = ["login", "order", "list", "product"].flatMap((name) =>
  ["valid", "invalid"].flatMap((kind): Work[] => {
    const title = new RegExp(`^${name}, ${kind}(?: on workerd)?$`);
    const own = "gatehouse";
    return [
      { name: `${name}, ${kind}`, title, own, peers: WITHOUT_EVAL },
      { name: `${name}, ${kind}, eval`, title, own, peers: /\(eval\)|sury/ },
    ];
  })
);

/** The sections of the page. All other tables are in the JSON file only. */
export const TOPICS: readonly Topic[] = [
  {
    heading: "Served requests",
    ran:
      "These figures compare the processor time of a server per response to wrk with 32 connections, for `/users/:id`. The usual stack is a logger, secure headers, a cross-site check and a session in memory.",
    works: [
      ...["0 middleware", "5 async middleware"].map((kind): Work => ({
        name: kind,
        title: new RegExp(`^${SERVERS}, param route, ${kind}, processor$`),
        own: "gatehouse",
        peers: FRAMEWORKS,
      })),
      ...["", ", logged in"].map((user): Work => ({
        name: `the usual stack${user}`,
        title: new RegExp(`^${SERVERS}, the middleware of most .*processor$`),
        own: `all together${user}`,
        peers: new RegExp(`^hono${user}$`),
      })),
    ],
  },
  {
    heading: "Matching",
    ran:
      "Each router finds the route and the params of a URL among GitHub's 310 routes. The other routers get the path, and Gatehouse finds it in the URL.",
    works: [
      {
        name: "a route",
        title: /^GitHub-like:/,
        own: "gatehouse",
        peers: /^(?!gatehouse)/,
      },
      {
        name: "a final `*`",
        title: /^wildcards:/,
        own: "gatehouse",
        peers: /^(?!gatehouse)/,
      },
      {
        name: "no route",
        title: /^miss:/,
        own: "gatehouse",
        peers: /^(?!gatehouse)/,
      },
    ],
  },
  {
    heading: "Schemas",
    ran:
      "Each figure is for one parse that reads every issue. Zod and ArkType compile schemas with eval by default, and Sury always does. A strict content security policy forbids eval, and Workers allow it only while they start, so libraries with eval have separate lines.",
    works: SCHEMAS,
  },
  {
    heading: "Sessions",
    ran:
      "Each request goes to a route that reads its session, or changes a value.",
    works: [
      {
        name: "read, in memory",
        title: /^Session, reading/,
        own: "gatehouse, memory store",
        peers: /a Map$/,
      },
      {
        name: "read, in a cookie",
        title: /^Session, reading/,
        own: "gatehouse, sealed cookie",
        peers: /^(?:iron-session|h3|@remix-run|@hono\/session, sealed)/,
      },
      {
        name: "changed, in a cookie",
        title: /^Session, changing/,
        own: "gatehouse, sealed cookie",
        peers: /^(?:iron-session|h3|@remix-run|@hono\/session, sealed)/,
      },
    ],
  },
  {
    heading: "OpenID Connect",
    ran:
      "These figures compare complete logins, from the redirect to the callback, with a provider that responds immediately. openid-client keeps its logins in a `Map`, or in the sessions of Gatehouse.",
    works: [
      {
        name: "a login",
        title: /^Login with OpenID Connect, 1 in flight/,
        own: "gatehouse",
        peers: /^openid-client$/,
      },
      {
        name: "a login, same sessions",
        title: /^Login with OpenID Connect, 1 in flight/,
        own: "gatehouse",
        peers: /^openid-client, our sessions$/,
      },
    ],
  },
  {
    heading: "Request log",
    ran:
      "Each logger writes one line, Gatehouse in the combined format. Hono's logger does not escape.",
    works: [{
      name: "a line",
      title: /^Request log$/,
      own: "gatehouse, combined",
      peers: /^(?:hono|@remix-run)/,
    }],
  },
  {
    heading: "Bytes",
    ran:
      "The programs use a part of the library, and are minified and gzipped. [Bundle sizes](bundle_sizes.md) has every entry.",
    works: [
      {
        name: "a login form",
        title: /^bytes of a login form/,
        own: "gatehouse",
        peers: /^(?!gatehouse)/,
      },
      {
        name: "two routes",
        title: /^bytes of two routes/,
        own: "gatehouse",
        peers: /^(?!gatehouse)/,
      },
    ],
  },
];

/** The columns of a section. */
export const RUNTIMES = ["Deno", "Bun", "Node", "workerd"] as const;

/** Returns the runtime that a table was measured on. */
export function runtimeOf({ title, runtime }: Table): string {
  return /\b(Deno|Bun)\.serve\b/.exec(title)?.[1] ??
    /\bon (Node)\b/.exec(title)?.[1] ??
    /\b(workerd)\b/.exec(title)?.[1] ??
    runtime;
}

/** Returns our time and the best peer's, or `null` if it was not measured. */
export function compare(
  table: Table,
  { own, peers }: Work,
): { readonly ratio: number; readonly peer: string } | null {
  const mine = table.rows.find(({ name }) => name === own);
  const [best] = table.rows.filter(({ name }) => peers.test(name))
    .toSorted((a, b) => a.value - b.value);
  if (mine === undefined || best === undefined) return null;
  return { ratio: mine.value / best.value, peer: best.name };
}
