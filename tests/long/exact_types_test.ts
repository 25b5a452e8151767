/**
 * Compiles with exactOptionalPropertyTypes, which distinguishes missing from
 * undefined.
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { programFile } from "../deno/_programs.ts";

const PROGRAM = `
import { Auth, auth, createBearerTokenAuthScheme, requireAuth } from "@gatehouse/web/auth-middleware";
import { crossOriginProtection } from "@gatehouse/web/cross-origin-middleware";
import { csrfProtection } from "@gatehouse/web/csrf-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { route } from "@gatehouse/web/fetch-router/routes";
import { session } from "@gatehouse/web/session-middleware";

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
// As in the guide.
const origin = Deno.env.get("ORIGIN");
const router = createRouter({
  middleware: [
    crossOriginProtection({ origin }),
    session({ origin }),
    csrfProtection({ origin }),
    auth({ schemes: [tokens] }),
    requireAuth(),
  ],
});
router.get("/", (context) => {
  const user: User = context.get(Auth);
  return Response.json(user);
});

const { docs, start } = route({
  docs: "/:lang?/docs/:page",
  start: "/:lang?/start",
});
router.get(docs, ({ params: { lang, page } }) =>
  new Response(docs.href({ lang, page }) + start.href({ lang })));
// @ts-expect-error: the page may not be missing
docs.href({ page: undefined });

// The only one that is to be refused: it shows that the compiler is that strict.
const control: { member?: string } = { member: undefined };
`;

Deno.test("an optional property may be undefined too (exactOptionalPropertyTypes)", async () => {
  await using file = await programFile(PROGRAM);
  const config = JSON.parse(await Deno.readTextFile(file.config));
  config.compilerOptions = { strict: true, exactOptionalPropertyTypes: true };
  await Deno.writeTextFile(file.config, JSON.stringify(config));

  const { stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["check", "--quiet", "--config", file.config, file.path],
    env: { NO_COLOR: "1" },
  }).output();

  // The option does not apply to the library's sources.
  const errors = new TextDecoder().decode(stderr).split(/^(?=TS\d+ )/m)
    .filter((error) => error.includes(file.path));
  assertEquals(errors.length, 1, errors.join(""));
  assertStringIncludes(errors[0]!, "const control");
});
