/** What compiles where missing and undefined are told apart. */
import { assertEquals } from "@std/assert";
import { programFile } from "./_programs.ts";

const programs = [
  [
    "href() takes undefined for what may be missing, as params tell it",
    `
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
`,
  ],
  [
    "a user may have undefined for what else is known of users",
    `
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
`,
  ],
  [
    "an origin from the environment may be missing, as in the guide",
    `
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
`,
  ],
] as const;

const messages = await check(programs.map(([, text]) => text));

for (const [index, [name]] of programs.entries()) {
  Deno.test(`${name} (exactOptionalPropertyTypes)`, () => {
    const own = messages.filter((text) => text.includes(`/${index}.ts:`));
    assertEquals(own, []);
  });
}

/** What the compiler says, message by message, of programs by their numbers. */
async function check(texts: readonly string[]): Promise<string[]> {
  await using file = await programFile("");
  const { config, folder } = file;
  const json = JSON.parse(await Deno.readTextFile(config));
  json.compilerOptions = { strict: true, exactOptionalPropertyTypes: true };
  await Deno.writeTextFile(config, JSON.stringify(json));
  const paths = texts.map((_, index) => `${folder}/${index}.ts`);
  for (const [index, path] of paths.entries()) {
    await Deno.writeTextFile(path, texts[index]!);
  }
  const { stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", "--config", config, ...paths],
    env: { NO_COLOR: "1" },
  }).output();
  return new TextDecoder().decode(stderr).split(/^(?=TS\d+ \[ERROR\])/m);
}
