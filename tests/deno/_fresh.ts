/** An application of Fresh, with the programs of the guide. */
import {
  type FrameworkServer,
  keep,
  MAIL,
  writePrograms,
} from "./_frameworks.ts";
import { checkoutConfig, deno, freePort, serveCommand } from "./_programs.ts";

/** The elements that the build of Fresh changes, so that JSX must not. */
const CHANGED =
  "a img source body html head title meta script link style base noscript template";

const { imports } = JSON.parse(checkoutConfig());
const CONFIG = JSON.stringify({
  imports: {
    ...imports,
    "fresh": "jsr:@fresh/core@2.3.3",
    "preact": "npm:preact@10.29.8",
  },
  compilerOptions: {
    jsx: "precompile",
    jsxImportSource: "preact",
    jsxPrecompileSkipElements: CHANGED.split(" "),
    lib: ["dom", "dom.asynciterable", "deno.ns", "deno.unstable"],
  },
  lock: false,
});

const PROGRAMS = {
  "accounts.ts": "accounts.ts",
  "main.ts": "main.ts",
  "routes/app.tsx": "app.tsx",
  "utils.ts": "utils.ts",
};

const FILES = {
  "deno.json": CONFIG,
  "build.ts": `
import { Builder } from "fresh/dev";
await new Builder().build();
`,
  "mail.ts": MAIL,
  "routes/about.tsx": "export default () => <p>About</p>;",
  "routes/index.tsx": `
import { page } from "fresh";
import { define } from "../utils.ts";
export const handler = define.handlers({
  GET: () => page({ said: "" }),
  async POST({ req, state }) {
    const text = (await req.formData()).get("text");
    return page({ said: state.user?.name + " says " + text });
  },
});
export default define.page<typeof handler>(({ data, state }) => (
  <>
    <h1>{"Hello " + (state.user?.name ?? "visitor")}</h1>
    <p>{data.said}</p>
  </>
));
`,
};

/** Builds, checks and serves the application. Its packages are on JSR. */
export async function serveFresh(
  env: Readonly<Record<string, string>>,
): Promise<FrameworkServer> {
  const cwd = await Deno.realPath(await Deno.makeTempDir());
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(cwd, { recursive: true }));
  await writePrograms(cwd, PROGRAMS, FILES);
  await deno(["check", "main.ts", "routes/"], { cwd });
  await deno(["run", "-A", "--no-check", "build.ts"], { cwd });
  const port = freePort();
  const args = ["serve", "-A", "--host", "127.0.0.1", "--port", String(port)];
  const server = await serveCommand([...args, "_fresh/server.js"], port, {
    cwd,
    env: { ...env },
  });
  stack.use(server);
  return keep(stack.move(), server, port);
}
