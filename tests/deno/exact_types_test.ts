/** What compiles where missing and undefined are told apart. */
import { assertEquals } from "@std/assert";
import { type ProgramFile, programFile } from "./_programs.ts";

/** What the compiler says of a program itself. */
async function errorsOf({ config, path }: ProgramFile): Promise<string[]> {
  const json = JSON.parse(await Deno.readTextFile(config));
  json.compilerOptions = { strict: true, exactOptionalPropertyTypes: true };
  await Deno.writeTextFile(config, JSON.stringify(json));
  const { stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", "--config", config, path],
    env: { NO_COLOR: "1" },
  }).output();
  // Who installs the package is told nothing of what is inside of it.
  return new TextDecoder().decode(stderr).split(/^(?=TS\d+ \[ERROR\])/m)
    .filter((message) => message.includes("/main.ts:"));
}

Deno.test("href() takes undefined for what may be missing, as params tell it", async () => {
  await using program = await programFile(`
import { createRouter } from "@gatehouse/web/fetch-router";
import { route } from "@gatehouse/web/fetch-router/routes";

const { docs, start } = route({
  docs: "/:lang?/docs/:page",
  start: "/:lang?/start",
});
createRouter().get(docs, ({ params: { lang, page } }) =>
  new Response(docs.href({ lang, page }) + start.href({ lang })));
// @ts-expect-error: the page may not be missing
docs.href({ page: undefined });
`);
  assertEquals(await errorsOf(program), []);
});

Deno.test("a user may have undefined for what else is known of users", async () => {
  await using program = await programFile(`
import { Auth, auth, createBearerTokenAuthScheme, requireAuth } from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";

interface User {
  readonly id: number;
  readonly email?: string | undefined;
  readonly name: string | undefined;
  readonly role?: string | undefined;
}
const tokens = createBearerTokenAuthScheme({
  name: "tokens",
  verify: (): User | null => null,
});
const router = createRouter({
  middleware: [auth({ schemes: [tokens] }), requireAuth()],
});
router.get("/", (context) => {
  const user: User = context.get(Auth);
  return Response.json(user);
});
`);
  assertEquals(await errorsOf(program), []);
});

Deno.test("an origin from the environment may be missing, as in the guide", async () => {
  await using program = await programFile(`
import { crossOriginProtection } from "@gatehouse/web/cross-origin-middleware";
import { csrfProtection } from "@gatehouse/web/csrf-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { session } from "@gatehouse/web/session-middleware";

const origin = Deno.env.get("ORIGIN");
createRouter({
  middleware: [
    crossOriginProtection({ origin }),
    session({ origin }),
    csrfProtection({ origin }),
  ],
});
`);
  assertEquals(await errorsOf(program), []);
});
