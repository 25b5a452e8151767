/** The operations that `reach.ts` counts: `<operation> <times>`. */
import {
  Auth,
  auth,
  completeAuth,
  createRouter,
  createSessionAuthScheme,
  logger,
  session,
} from "@gatehouse/web";
import { email, maxLength, minLength } from "@gatehouse/web/data-schema/checks";
import { object, parse, string } from "@gatehouse/web/data-schema";
import { Session } from "@gatehouse/web/session";

const scheme = createSessionAuthScheme({
  name: "browser",
  verify: (id) => ({ id }),
});
const sessions = createRouter({ middleware: [session()] });
sessions.get("/login", async (context) => {
  await completeAuth(context, 1);
  return new Response();
});
sessions.get(
  "/read",
  (context) => new Response(String(context.get(Session).get("color"))),
);
sessions.get("/write", (context) => {
  context.get(Session).set("color", crypto.randomUUID());
  return new Response();
});

const guarded = createRouter({
  middleware: [session(), auth({ schemes: [scheme] })],
});
guarded.get("/", (context) => new Response(String(context.get(Auth))));
guarded.post("/login", async (context) => {
  await completeAuth(context, 1);
  return new Response();
});

const plain = createRouter();
plain.get("/users/:id", ({ params }) => new Response(params.id));
const logged = createRouter({ middleware: [logger({ output: () => {} })] });
logged.get("/", () => new Response());

const credentials = object({
  email: string().pipe(email()),
  password: string().pipe(minLength(8), maxLength(64)),
});

const login = await sessions.fetch("https://example.com/login");
const [cookie] = login.headers.getSetCookie()[0].split(";");
const request = (path: string) =>
  new Request(`https://example.com${path}`, { headers: { Cookie: cookie } });

const operations: Record<string, () => unknown> = {
  "session read": () => sessions.fetch(request("/read")),
  "session write": () => sessions.fetch(request("/write")),
  "router": () => plain.fetch("https://example.com/users/7"),
  "login": () =>
    guarded.fetch(new Request("https://example.com/login", { method: "POST" })),
  "schema": () =>
    parse(credentials, { email: "ada@example.com", password: "correct horse" }),
  "log line": () => logged.fetch("https://example.com/"),
};

const [operation, times] = Deno.args;
for (let time = 0; time < Number(times); time++) await operations[operation]();
