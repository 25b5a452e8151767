/** Compiler errors for common mistakes name the mistake. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";

const ROOT = new URL("../../", import.meta.url);

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

const messages = await check(mistakes.map(([, line]) => line));

for (const [index, [mistake, , words]] of mistakes.entries()) {
  Deno.test(`the compiler says in a few lines that ${mistake}`, () => {
    const lines = messages.get(index);
    assert(lines !== undefined, "it says nothing");
    const text = lines.join("\n");
    assertStringIncludes(text, words);
    assert(lines.length <= 8 && !text.includes("No overload"), text);
  });
}

Deno.test("the compiler finds no other mistakes", () => {
  assertEquals(messages.size, mistakes.length);
});

/** Returns the messages of each line, by the index of the line. */
async function check(lines: readonly string[]): Promise<Map<number, string[]>> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(
      `${folder}/mistakes.ts`,
      head + lines.join("\n"),
    );
    const { stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", "--config", "deno.json"]
        .concat(`${folder}/mistakes.ts`),
      cwd: ROOT,
      env: { NO_COLOR: "1" },
    }).output();
    const before = head.split("\n").length;
    const found = new Map<number, string[]>();
    const output = new TextDecoder().decode(stderr);
    for (const message of output.split(/^(?=TS\d+ \[ERROR\])/m)) {
      const [text, place = ""] = message.split(/^ +at /m);
      const line = /mistakes\.ts:(\d+):/.exec(place)?.[1];
      if (line === undefined) continue;
      // Without the line of code and its underline.
      found.set(Number(line) - before, text.trimEnd().split("\n").slice(0, -2));
    }
    return found;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
