/**
 * Compiles with exactOptionalPropertyTypes, which distinguishes missing from
 * undefined.
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { typeErrorsOf } from "./_type_errors.ts";

const APPLICATION = `
import { createAccounts } from "@gatehouse/web/accounts";
import {
  Auth,
  auth,
  createBearerTokenAuthScheme,
  requireAuth,
} from "@gatehouse/web/auth-middleware";
import { createRouter } from "@gatehouse/web/fetch-router";
import { route } from "@gatehouse/web/fetch-router/routes";
import { crossOriginProtection } from "@gatehouse/web/middleware";
import { csrfProtection, session } from "@gatehouse/web/session-middleware";

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
// As in a created project.
createAccounts({
  name: "App",
  origin: "http://localhost:8000",
  database: () => [],
  secrets: Deno.env.get("SECRETS")?.split(" "),
  sendMail: undefined,
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

const USER = `
import { defaulted, object, optional, parse, string, type InferInput, type InferOutput } from "@gatehouse/web/data-schema";
const User = object({ name: string(), bio: optional(string()), role: defaulted(string(), "user") });
`;

const errors = await typeErrorsOf({
  "application.ts": APPLICATION,
  "exact.ts": `${USER}
const exact: { name: string; bio?: string; role: string } = parse(User, {});
const input: InferInput<typeof User> = { name: "a", bio: undefined, role: undefined };
const output: InferOutput<typeof User> = { name: "a", role: "b" };
console.log(exact, input, output);
`,
  "undefined.ts": `${USER}
const output: InferOutput<typeof User> = { name: "a", bio: undefined, role: "b" };
console.log(output);
`,
}, { compilerOptions: { strict: true, exactOptionalPropertyTypes: true } });

function messagesOf(path: string): string[] {
  return errors.filter((error) => error.path === path)
    .map(({ message }) => message);
}

Deno.test("an optional property may be undefined too (exactOptionalPropertyTypes)", () => {
  const messages = messagesOf("application.ts");
  assertEquals(messages.length, 1, messages.join("\n"));
  // The control.
  assertStringIncludes(messages[0]!, "{ member: undefined; }");
});

Deno.test("object() types are exact under exactOptionalPropertyTypes", () => {
  assertEquals(messagesOf("exact.ts"), []);
});

Deno.test("the output of object() can't have an explicit undefined", () => {
  const messages = messagesOf("undefined.ts");
  assertStringIncludes(messages.join("\n"), "exactOptionalPropertyTypes");
});
