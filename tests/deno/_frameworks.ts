/** Applications of other frameworks on Node, with the programs of the guide. */
import { NODE_VERSIONS, nodePath } from "../runtimes/node.ts";
import { programs } from "./_guide.ts";
import { installPackage } from "./_npm_package.ts";
import {
  deno,
  freePort,
  serveCommand,
  type ServedProgram,
} from "./_programs.ts";
import { findProgram } from "./_servers.ts";

/** A framework with an application. */
export interface Framework {
  readonly name: string;
  /** The exact versions of its packages. */
  readonly packages: Readonly<Record<string, string>>;
  /** The programs of the guide, by path. */
  readonly programs: Readonly<Record<string, string>>;
  /** The other files. */
  readonly files: Readonly<Record<string, string>>;
  /** The arguments of Node: one builds, and one checks types after it. */
  readonly commands: readonly string[];
  /** Returns the arguments of Node that serve on a port. */
  start(port: number): string;
}

/** npm resolves the dependencies of packages as on this day. */
const RELEASED_BEFORE = "2026-11-28";

const TYPESCRIPT = { "typescript": "6.0.3", "@types/node": "24.10.1" };
const CHECK = "node_modules/typescript/bin/tsc --noEmit -p .";

/** Writes the emails to the output. */
export const MAIL = `import type { Mail } from "@gatehouse/web/accounts";
export function sendMail({ text }: Mail): void {
  console.log(text);
}
`;

export const SVELTE_KIT: Framework = {
  name: "SvelteKit",
  packages: {
    ...TYPESCRIPT,
    "@sveltejs/adapter-node": "6.0.1",
    "@sveltejs/kit": "3.2.0",
    "@sveltejs/vite-plugin-svelte": "7.3.1",
    "svelte": "5.57.3",
    "vite": "8.4.0",
  },
  programs: {
    "src/accounts.ts": "accounts.ts",
    "src/app.d.ts": "app.d.ts",
    "src/hooks.server.ts": "hooks.server.ts",
    "src/routes/app/+page.server.ts": "+page.server.ts",
  },
  files: {
    "src/mail.ts": MAIL,
    "tsconfig.json": `{ "extends": "$app/tsconfig", "include": ["src"] }`,
    "vite.config.ts": `
import adapter from "@sveltejs/adapter-node";
import { sveltekit } from "@sveltejs/kit/vite";
import { defineConfig } from "vite";
export default defineConfig({ plugins: [sveltekit({ adapter: adapter() })] });
`,
    "src/app.html": `<!doctype html><html lang="en">
<head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>`,
    "src/routes/about/+page.ts": "export const prerender = true;",
    "src/routes/about/+page.svelte": "<p>About</p>",
    "src/routes/+page.server.ts": `
import type { Actions, PageServerLoad } from "./$types";
export const load: PageServerLoad = ({ locals }) => ({ user: locals.user });
export const actions: Actions = {
  default: async ({ locals, request }) => {
    const text = (await request.formData()).get("text");
    return { said: locals.user?.name + " says " + text };
  },
};
`,
    "src/routes/+page.svelte": `<script lang="ts">
let { data, form } = $props();
</script>
<h1>{"Hello " + (data.user?.name ?? "visitor")}</h1>
<p>{form?.said}</p>`,
    "src/routes/app/+page.svelte": `<script lang="ts">
let { data } = $props();
</script>
<h1>{data.notes.join()}</h1>`,
  },
  commands: ["node_modules/vite/bin/vite.js build", CHECK],
  start: () => "build/index.js",
};

export const ASTRO: Framework = {
  name: "Astro",
  packages: {
    ...TYPESCRIPT,
    "@astrojs/node": "11.1.6",
    "astro": "7.3.5",
  },
  programs: {
    "astro.config.ts": "astro.config.ts",
    "src/accounts.ts": "accounts.ts",
    "src/env.d.ts": "env.d.ts",
    "src/middleware.ts": "middleware.ts",
    "src/pages/app.astro": "app.astro",
  },
  files: {
    "src/mail.ts": MAIL,
    "tsconfig.json":
      `{ "extends": "astro/tsconfigs/strict", "include": [".astro/types.d.ts", "src"] }`,
    "src/pages/about.astro": `---
export const prerender = true;
---
<p>About</p>`,
    "src/pages/index.astro": `---
const { user } = Astro.locals;
const isForm = Astro.request.method === "POST";
const text = isForm && (await Astro.request.formData()).get("text");
---
<h1>{"Hello " + (user?.name ?? "visitor")}</h1>
<p>{isForm && user?.name + " says " + text}</p>`,
  },
  commands: ["node_modules/astro/bin/astro.mjs build", CHECK],
  start: () => "dist/server/entry.mjs",
};

export const TANSTACK_START: Framework = {
  name: "TanStack Start",
  packages: {
    ...TYPESCRIPT,
    "@tanstack/react-router": "1.170.46",
    "@tanstack/react-start": "1.169.5",
    "@types/react": "19.3.3",
    "@vitejs/plugin-react": "6.3.0",
    "react": "19.3.1",
    "react-dom": "19.3.1",
    "srvx": "1.0.8",
    "vite": "8.4.0",
  },
  programs: {
    "src/accounts.ts": "accounts.ts",
    "src/server.ts": "server.ts",
    "src/user.ts": "user.ts",
  },
  files: {
    "src/mail.ts": MAIL,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        allowImportingTsExtensions: true,
        jsx: "react-jsx",
        lib: ["esnext", "dom", "dom.iterable"],
        module: "esnext",
        moduleResolution: "bundler",
        skipLibCheck: true,
        strict: true,
        target: "esnext",
        types: ["node"],
      },
      include: ["src"],
    }),
    "vite.config.ts": `
import { tanstackStart } from "@tanstack/react-start/plugin/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
export default defineConfig({ plugins: [tanstackStart(), react()] });
`,
    "src/router.tsx": `
import { createRouter } from "@tanstack/react-router";
import { routeTree } from "./routeTree.gen";
export const getRouter = () => createRouter({ routeTree });
`,
    "src/routes/__root.tsx": `
import { createRootRoute, HeadContent, Outlet, Scripts } from "@tanstack/react-router";
export const Route = createRootRoute({
  component: () => (
    <html lang="en">
      <head><HeadContent /></head>
      <body><Outlet /><Scripts /></body>
    </html>
  ),
});
`,
    "src/routes/index.tsx": `
import { createFileRoute } from "@tanstack/react-router";
import { getUser } from "../user.ts";
export const Route = createFileRoute("/")({
  loader: () => getUser(),
  component: () => <h1>{"Hello " + (Route.useLoaderData()?.name ?? "visitor")}</h1>,
  server: {
    handlers: {
      POST: async ({ context, request }) => {
        const text = (await request.formData()).get("text");
        return new Response(context.user?.name + " says " + text);
      },
    },
  },
});
`,
    "src/routes/app.tsx": `
import { createFileRoute } from "@tanstack/react-router";
import { getNotes } from "../user.ts";
export const Route = createFileRoute("/app")({
  loader: () => getNotes(),
  component: () => <h1>{Route.useLoaderData().join()}</h1>,
});
`,
  },
  commands: ["node_modules/vite/bin/vite.js build", CHECK],
  start: (port) =>
    `node_modules/srvx/bin/srvx.mjs --prod --host 127.0.0.1 --port ${port} -s ../client dist/server/server.js`,
};

/** `true` if this system has Node and npm. */
export const hasNode: boolean = NODE_VERSIONS.length > 0 &&
  findProgram("npm", "the applications of other frameworks") !== null;

/** Writes programs of the guide, by path, and other files into a folder. */
export async function writePrograms(
  folder: string,
  used: Framework["programs"],
  files: Framework["files"],
): Promise<void> {
  const found = await programs("other_frameworks.md");
  const all = {
    ...files,
    ...Object.fromEntries(
      Object.entries(used).map(([path, name]) => [path, found[name]!]),
    ),
  };
  for (const [path, text] of Object.entries(all)) {
    const parent = `${folder}/${path}`.split("/").slice(0, -1).join("/");
    await Deno.mkdir(parent, { recursive: true });
    await Deno.writeTextFile(`${folder}/${path}`, text);
  }
}

/** Installs, builds, checks and serves the application, with an origin. */
export async function serveFramework(
  { commands, files, packages, programs: used, start }: Framework,
  env: Readonly<Record<string, string>>,
): Promise<FrameworkServer> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  await writePrograms(folder, used, {
    ...files,
    "package.json": JSON.stringify({ type: "module", dependencies: packages }),
  });
  const node = await nodePath();
  const options = {
    cwd: folder,
    env: {
      ASTRO_TELEMETRY_DISABLED: "1",
      CI: "1",
      NO_COLOR: "1",
      PATH: `${node.slice(0, node.lastIndexOf("/"))}:${Deno.env.get("PATH")}`,
    },
  };
  const install =
    `install --no-audit --no-fund --ignore-scripts --prefer-offline --before=${RELEASED_BEFORE}`;
  await deno(install.split(" "), { ...options, program: "npm" });
  await installPackage(folder);
  for (const command of commands) {
    await deno(command.split(" "), { ...options, program: node });
  }
  const port = freePort();
  const server = await serveCommand(start(port).split(" "), port, {
    ...options,
    program: node,
    env: { ...options.env, ...env, HOST: "127.0.0.1", PORT: String(port) },
  });
  stack.use(server);
  return keep(stack.move(), server, port);
}

/** A server and its port. */
export type FrameworkServer = ServedProgram & { readonly port: number };

/** Returns a server that is disposed of with its other resources. */
export function keep(
  resources: AsyncDisposableStack,
  server: ServedProgram,
  port: number,
): FrameworkServer {
  return {
    ...server,
    port,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
