import type { Template } from "./template.ts";

/** Two routes without a database. */
export const MINIMAL: Template = {
  summary: "A router with two routes",
  sources: {
    "app.ts":
      `import { createRouter, logger, secureHeaders } from "@gatehouse/web";

/** Options for {@linkcode createApp}. */
export interface AppOptions {
  /** The number of proxies in front of the server. */
  readonly trustedProxies?: number;
}

/** Creates the application. */
export function createApp({ trustedProxies = 0 }: AppOptions) {
  const router = createRouter({
    trustedProxies,
    middleware: [logger(), secureHeaders()],
  });
  router.get("/", () => new Response("Hello"));
  router.get("/hello/:name", ({ params }) => {
    return new Response(\`Hello \${params.name}\`);
  });
  return router;
}
`,
  },
  hasAccounts: false,
  tables: null,
  options: {},
  secrets: [],
  testImports: "",
  testSecrets: "",
  tests: `
test("a visitor is greeted by name", async () => {
  const { fetch } = openClient();
  assert.equal(await (await fetch("/")).text(), "Hello");
  assert.equal(await (await fetch("/hello/Ada")).text(), "Hello Ada");
});

test("an unknown path gets a 404 with security headers", async () => {
  const { fetch } = openClient();
  const { status, headers } = await fetch("/nowhere");
  assert.equal(status, 404);
  assert.equal(headers.get("X-Content-Type-Options"), "nosniff");
});
`,
  note: "Both routes are public.",
};
