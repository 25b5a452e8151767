import {
  createCredentialsAuthProvider,
  createThrottle,
  credentialsAuthResult,
  verifyCredentials,
} from "@gatehouse/web/auth";
import { object, string } from "@gatehouse/web/data-schema";
import { email, maxLength } from "@gatehouse/web/data-schema/checks";
import { fromObject } from "@gatehouse/web/data-schema/form-data";
import {
  type ContextAfter,
  createRouter,
  RequestContext,
} from "@gatehouse/web/fetch-router";
import {
  formData,
  validate,
  ValidForm,
  ValidJSON,
} from "@gatehouse/web/middleware";
import { assertEquals } from "@std/assert";

const Login = object({
  email: string().pipe(email()),
  password: string().pipe(maxLength(100)),
});
const form = validate({ form: fromObject(Login) });
const json = validate({ json: Login });

function verify({ email, password }: { email: string; password: string }) {
  return email === "ada@example.com" && password === "s3cret"
    ? { id: 1 }
    : null;
}

const account = ({ email }: { email: string }) => email;
const byForm = createCredentialsAuthProvider({
  name: "password",
  parse: (context: ContextAfter<typeof form>) => context.get(ValidForm),
  verify,
  account,
  throttle: createThrottle(),
});
const byJSON = createCredentialsAuthProvider({
  name: "password",
  parse: (context: ContextAfter<typeof json>) => context.get(ValidJSON),
  verify,
});

const router = createRouter();
router.post("/login", { middleware: [form] }, async (context) => {
  const user = await verifyCredentials(byForm, context);
  return Response.json(user, { status: user ? 200 : 401 });
});
router.post("/:tenant/login", { middleware: [json] }, async (context) => {
  const result = await credentialsAuthResult(byJSON, context);
  return Response.json({ ...result, tenant: context.params.tenant });
});

const post = (path: string, body: BodyInit, type?: string) =>
  router.fetch(`https://example.com${path}`, {
    method: "POST",
    body,
    headers: type ? { "Content-Type": type } : {},
  });

const ada = { email: "ada@example.com", password: "s3cret" };

Deno.test("parse reads the form that validate() has validated", async () => {
  const response = await post("/login", new URLSearchParams(ada));
  assertEquals(await response.json(), { id: 1 });

  const wrong = new URLSearchParams({ ...ada, password: "guess" });
  assertEquals((await post("/login", wrong)).status, 401);
});

Deno.test("parse does not run if validate() rejects the form", async () => {
  for (
    const body of [
      new URLSearchParams({ ...ada, email: "ada" }),
      new URLSearchParams({ email: ada.email }),
      new URLSearchParams([...Object.entries(ada), ["email", "x@example.com"]]),
    ]
  ) {
    assertEquals((await post("/login", body)).status, 422);
  }
});

Deno.test("parse reads the JSON that validate() has validated", async () => {
  const type = "application/json";
  const response = await post("/shop/login", JSON.stringify(ada), type);
  assertEquals(await response.json(), {
    ok: true,
    user: { id: 1 },
    tenant: "shop",
  });
  for (const body of ["", "null", "[]", '{"__proto__":{"email":"a@b.de"}}']) {
    const response = await post("/shop/login", body, type);
    assertEquals(Math.floor(response.status / 100), 4);
  }
});

Deno.test("a route without validate() is a type error", async () => {
  const context = new RequestContext(new Request("https://example.com/"));
  // @ts-expect-error The form was not validated.
  const run = () => verifyCredentials(byForm, context);
  router.post("/other", { middleware: [json] }, async (context) => {
    // @ts-expect-error The middleware validates JSON, not a form.
    await credentialsAuthResult(byForm, context);
    return new Response();
  });
  router.post("/both", { middleware: [formData(), form] }, async (context) => {
    await credentialsAuthResult(byForm, context);
    return new Response();
  });
  const error = await run().catch((error: Error) => error);
  assertEquals((error as Error).name, "MissingContextValueError");
});
