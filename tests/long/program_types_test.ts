/**
 * The programs of the README and of the guide compile, and compiler errors for
 * common mistakes name the mistake.
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { cutTests } from "../../site/pages.ts";
import { DOCS, pages, programs, programsOf } from "../deno/_guide.ts";
import { codeBlocks } from "../deno/_markdown.ts";
import { typeErrorsOf } from "./_type_errors.ts";

/** The parts of other runtimes that the guide uses. */
const STUBS = {
  "bun": `export const redis: {
    send(command: string, args: string[]): Promise<unknown>;
  } = null!;
  export interface Server<Data> {
    upgrade(request: Request, options: { data: Data }): boolean;
  }
  export interface ServerWebSocket<Data> {
    readonly data: Data;
    readonly readyState: number;
    send(message: string): number;
    close(code?: number, reason?: string): void;
  }
  export function serve<_Data = unknown>(
    _options: object,
  ): { stop(): Promise<void> } {
    throw new Error();
  }
  export function file(_path: string): Blob {
    return null!;
  }`,
  "bun:sqlite": `export class Database {
    constructor(_file: string) {}
    exec(_sql: string): void {}
    query(_sql: string): { all(...params: unknown[]): unknown[] } {
      return null!;
    }
  }`,
  "cloudflare:workers": "export const env: Record<string, any> = {};",
  "ws": `import type { EventEmitter } from "node:events";
  export interface WebSocket extends EventEmitter {
    readonly readyState: number;
    readonly OPEN: number;
    send(message: string): void;
    ping(): void;
    close(code?: number, reason?: string): void;
    terminate(): void;
  }
  export class WebSocketServer {
    readonly clients: Set<WebSocket> = new Set();
    constructor(_options: object) {}
    handleUpgrade(
      _request: unknown,
      _socket: unknown,
      _head: unknown,
      _use: (socket: WebSocket) => void,
    ): void {}
  }`,
};

const SRVX = {
  "srvx": "npm:srvx@1.0.8/node",
  "srvx/node": "npm:srvx@1.0.8/node",
};

/** The types of WebSockets on Workers. */
const WORKERS_GLOBALS = `declare global {
  class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
    constructor(length: number);
  }
  class WebSocketPair {
    readonly 0: WebSocket;
    readonly 1: WebSocket & { accept(): void };
  }
  interface ResponseInit {
    readonly webSocket?: WebSocket;
  }
}
`;

const head =
  `import { type ContextEntry, createContextKey, createRouter, type HandlerContext, type Middleware } from "@gatehouse/web/fetch-router";
import { route } from "@gatehouse/web/fetch-router/routes";
interface User { readonly name: string }
const CurrentUser = createContextKey<User | null>(null);
type NeedsUser = HandlerContext<Record<string, string>, readonly [ContextEntry<typeof CurrentUser, User>]>;
const needsUser = (context: NeedsUser) => new Response(context.get(CurrentUser).name);
const router = createRouter();
const routes = route({ home: "/", user: "/users/:id", admin: { list: "/admin" } });
const admin = { actions: { list: () => new Response() } };
const ok = () => new Response();
const guard = (_options: { role?: string } = {}): Middleware => () => {};
`;

/** The mistake, the line that makes it, and the expected message. */
const mistakes = [
  [
    "an action is missing",
    `router.map(routes, { actions: { home: ok, user: ok } });`,
    "Property 'admin' is missing in type '{ home: () => Response; user: () => Response; }'",
  ],
  [
    "an action is missing in a nested controller",
    `router.map(routes, { actions: { home: ok, user: ok, admin: { actions: {} } } });`,
    "Property 'list' is missing in type '{}'",
  ],
  [
    "an action has no route",
    `router.map(routes, { actions: { home: ok, user: ok, admin, other: ok } });`,
    `Type '() => Response' is not assignable to type '"The route map has no route \\"other\\""'`,
  ],
  [
    "a nested map has only a handler",
    `router.map(routes, { actions: { home: ok, user: ok, admin: ok } });`,
    "Type '() => Response' is not assignable to type 'Controller<",
  ],
  [
    "a controller has no actions",
    `router.map(routes, { home: ok, user: ok, admin });`,
    "Object literal may only specify known properties, and 'home' does not exist in type 'MiddlewareOptions<",
  ],
  [
    "a param in a controller is not in the pattern",
    `router.map(routes, { actions: { home: ok, user: ({ params }) => new Response(params.name), admin } });`,
    "Property 'name' does not exist on type '{ readonly id: string; }'",
  ],
  [
    "a param is not in the pattern",
    `router.get("/users/:id", ({ params }) => new Response(params.name));`,
    "Property 'name' does not exist on type '{ readonly id: string; }'",
  ],
  [
    "no middleware provides a value that the handler needs",
    `router.get("/me", needsUser);`,
    "Type 'User | null' is not assignable to type 'User'",
  ],
  [
    "a handler returns no response",
    `router.get("/text", () => "text");`,
    "Type 'string' is not assignable to type 'Response | Promise<Response>'",
  ],
  [
    "there is middleware without a handler",
    `router.get("/x", { middleware: [] });`,
    "Property 'handler' is missing in type '{ middleware: []; }'",
  ],
  [
    "several middleware are not in an array",
    `router.get("/x", guard(), guard(), ok);`,
    "Expected 2-3 arguments, but got 4",
  ],
  [
    "a guard is not called",
    `router.get("/x", guard, ok);`,
    "is not assignable to type 'Middleware<ContextEntries>'",
  ],
  [
    "the option of the middleware is misspelled",
    `router.get("/x", { middlewares: [guard()] }, ok);`,
    "'middlewares' does not exist in type",
  ],
  [
    "a method is invalid",
    `router.route("fetch", "/", ok);`,
    `Argument of type '"fetch"' is not assignable to parameter of type 'RouteMethod'`,
  ],
  [
    "a method of the context is taken out of it",
    `router.get("/me", ({ get }) => new Response(String(get(CurrentUser))));`,
    "The 'this' context of type 'void' is not assignable to method's 'this' of type",
  ],
  [
    "a link lacks its params",
    `routes.user.href();`,
    "Expected 1-2 arguments, but got 0",
  ],
  [
    "a link has a param that is not in the pattern",
    `routes.user.href({ name: "ada" });`,
    "'name' does not exist in type '{ readonly id: string | number; }'",
  ],
] as const;

const readme = await Deno.readTextFile(new URL("../README.md", DOCS));
const { "mail.ts": mail } = await programs("create_a_project.md");
// Their own tests check the types of the pages that it omits.
const OMITTED = ["other_frameworks.md", "use_an_orm.md"];
const guide = (await pages()).filter(({ name }) => !OMITTED.includes(name))
  .map((page) => ({
    page,
    shown: codeBlocks(cutTests(page.text))
      .filter(({ language }) => language === "ts").map(({ text }) => text),
  }));

const errors = await typeErrorsOf({
  "mistakes.ts": head + mistakes.map(([, line]) => line).join("\n"),
  ...Object.fromEntries(
    codeBlocks(readme).filter(({ language }) => language === "ts")
      .map(({ text }, index) => [`readme/${index}.ts`, text]),
  ),
  "guide/deploy.md/mail.ts": mail!,
  ...Object.fromEntries(guide.flatMap(({ page, shown }) =>
    [
      // The tests of components compile them.
      ...Object.entries(programsOf(page))
        .filter(([name]) => name.endsWith(".ts")),
      ...shown.map((text, index) => [`shown_${index}.ts`, text]),
    ].map(([name, text]) => [
      `guide/${page.name}/${name}`,
      // Globals of one file count for all.
      page.name + name === "websockets.mdworker.ts"
        ? text + WORKERS_GLOBALS
        : text,
    ])
  )),
}, { stubs: STUBS, imports: SRVX });

for (const [index, [mistake, , words]] of mistakes.entries()) {
  Deno.test(`the compiler says in a few lines that ${mistake}`, () => {
    const line = head.split("\n").length + index;
    const error = errors.find((error) =>
      error.path === "mistakes.ts" && error.line === line
    );
    assert(error !== undefined, "it says nothing");
    const { message } = error;
    assertStringIncludes(message, words);
    const isShort = message.split("\n").length <= 8;
    assert(isShort && !message.includes("No overload"), message);
  });
}

Deno.test("the compiler finds no other mistakes", () => {
  const found = errors.filter(({ path }) => path === "mistakes.ts");
  assertEquals(new Set(found.map(({ line }) => line)).size, mistakes.length);
});

Deno.test("every program of the README type-checks", () => {
  assertEquals(errors.filter(({ path }) => path.startsWith("readme/")), []);
});

Deno.test("every program of the guide type-checks, as the site shows it too", () => {
  assertEquals(errors.filter(({ path }) => path.startsWith("guide/")), []);
});

/** The programs that are tests, so that the site shows their assertions. */
const SHOWN_TESTS: Record<string, readonly number[]> = {
  "add_a_provider.md": [14],
  "protect_a_route.md": [11],
  "test_your_routes.md": [0, 1, 2, 3, 4, 5, 6],
};

Deno.test("the site shows assertions in programs that are tests only", () => {
  for (const { page, shown } of guide) {
    const tests = shown.flatMap((text, index) =>
      /\bassert(?:[A-Z]\w*)?\b|#(?:end)?region/.test(text) ? [index] : []
    );
    assertEquals(tests, SHOWN_TESTS[page.name] ?? [], page.name);
  }
});
