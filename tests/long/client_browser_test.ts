/** The client in a browser: cookies, files, redirects, other origins. */
import { assertEquals } from "@std/assert";
import {
  createRouter,
  redirect,
  type Router,
} from "@gatehouse/web/fetch-router";
import {
  crossOriginProtection,
  validate,
  ValidForm,
  ValidJSON,
} from "@gatehouse/web/middleware";
import { Session } from "@gatehouse/web/session";
import { session } from "@gatehouse/web/session-middleware";
import { bundle } from "../runtimes/bundle.ts";
import { launch, testInChromium } from "../deno/_chromium.ts";
import { routes } from "./_client_program.ts";
import { serveLocally } from "../deno/_serve.ts";

const PROGRAM = new URL("_client_program.ts", import.meta.url);

function createServer(script: string): Router {
  const router = createRouter({
    middleware: [crossOriginProtection(), session()],
  });
  router.get("/", () => {
    const headers = { "Content-Type": "text/html" };
    const page = `<!doctype html><script type="module" src="/run.js"></script>`;
    return new Response(page, { headers });
  });
  router.get("/run.js", () => {
    return new Response(script, {
      headers: { "Content-Type": "text/javascript" },
    });
  });
  const login = validate(routes.login);
  router.post(routes.login, { middleware: [login] }, (context) => {
    context.get(Session).set("name", context.get(ValidJSON).name);
    return new Response(null, { status: 204 });
  });
  router.get(routes.me, (context) => {
    const name = context.get(Session).get("name");
    return name === undefined
      ? context.createErrorResponse({ status: 401 })
      : Response.json({ name });
  });
  router.get(
    routes.note,
    ({ params }) =>
      params.id === "7"
        ? Response.json({ id: 7, text: "Tea", secret: true })
        : new Response("Unknown note", { status: 404 }),
  );
  const upload = validate(routes.upload);
  router.post(routes.upload, { middleware: [upload] }, (context) => {
    const { files, title } = context.get(ValidForm);
    return Response.json([
      title,
      ...files.map((file) => `${file.name} ${file.size}`),
    ]);
  });
  router.get(routes.moved, () => redirect("/api/me"));
  router.get(routes.slow, ({ request }) =>
    new Promise((resolve) => {
      const end = () => resolve(new Response("late"));
      request.signal.addEventListener("abort", end);
    }));
  return router;
}

testInChromium(
  "createClient() calls an API with cookies in Chromium",
  async () => {
    const script = await bundle(
      `import { runProgram } from "${PROGRAM}"; globalThis.run = runProgram;`,
    );
    const { fetch } = createServer(script);
    await using server = serveLocally((request) => fetch(request));
    await using other = serveLocally(() => Response.json({ name: "x" }));
    await using browser = await launch();
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${server.addr.port}/`);
    await page.waitForFunction("globalThis.run !== undefined");
    const elsewhere = `http://127.0.0.1:${other.addr.port}`;
    const results = await page.evaluate(`run("${elsewhere}")`);
    assertEquals(results, [
      [false, 401, "status"],
      [true, 204, null],
      [true, 200, { name: "Ada" }],
      [true, 200, { id: 7, text: "Tea" }],
      [false, 404, "declared"],
      [true, 200, ["Two", "a.txt 4", "b.txt 2"]],
      // Browsers hide the status of a redirect.
      [false, 0, "redirect"],
      [false, 0, "aborted"],
      // The other origin allows no script to read its responses.
      [false, 0, "network"],
    ]);
  },
);
