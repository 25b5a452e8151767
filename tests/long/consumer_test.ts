/** The package after publishing: added, checked and run by a user. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { bunPath } from "../runtimes/bun.ts";
import { NODE_VERSIONS, programOf } from "../runtimes/node.ts";
import { startWorker } from "../runtimes/workers.ts";
import { deno } from "../deno/_programs.ts";
import {
  publishPackage,
  type Registry,
  servePackage,
} from "../deno/_registry.ts";

/** The oldest version of Deno that is supported: none on other systems. */
const OLDEST_DENO = NODE_VERSIONS.length === 0 ? [] : ["2.7.1"];

const ROOT = new URL("../../", import.meta.url);

/** The files that users of the package need, and nothing else. */
const NEEDED =
  /^\/((?:mod|testing)\.ts|(accounts|auth|create|logger|oauth_server|router|schema|session)\/[\w/]+\.ts|deno\.json|README\.md|LICENSE|CHANGELOG\.md)$/;

const WORKER = `
import { createRouter } from "@gatehouse/web/fetch-router";
const router = createRouter();
router.get("/hello/:name", ({ params }) => new Response("Hello " + params.name));
export default { fetch: router.fetch };
`;

Deno.test("deno publish sends only the files that users need", async () => {
  const files = [...(await publishPackage()).keys()];

  assertEquals(files.filter((file) => !NEEDED.test(file)), []);
  for (const file of ["/README.md", "/LICENSE", "/CHANGELOG.md"]) {
    assert(files.includes(file), `${file} is missing`);
  }
  for (const entry of Object.values(config.exports)) {
    assert(files.includes(entry.slice(1)), `${entry} is missing`);
  }
});

for (const version of ["this", ...OLDEST_DENO]) {
  Deno.test(`deno add, check and run work with every entry on Deno ${version}`, async () => {
    const program = version === "this"
      ? Deno.execPath()
      : await programOf("npm:@deno/linux-x64-glibc@2.7.1/package.json", "deno");
    await using registry = servePackage(await publishPackage());
    await using project = await createProject(registry, program);
    const entries = Object.keys(config.exports)
      .map((entry) => `import "${config.name}${entry.slice(1)}";`);
    await project.write("entries.ts", entries.join("\n"));

    await project.run("check", "entries.ts");
    await project.run("run", "entries.ts");
  });
}

Deno.test("the first program of the README serves on Deno", async () => {
  await using registry = servePackage(await publishPackage());
  await using project = await createProject(registry);
  await project.write("main.ts", await firstProgram());
  await project.run("check", "main.ts");

  const args = ["run", "--allow-net", "main.ts"];
  await using server = await project.start(Deno.execPath(), args);
  const response = await fetch(server.url);
  assertEquals(response.status, 200);
  assertMatch(await response.text(), /\w/);
});

Deno.test("a bundle of the published package serves on Bun", async () => {
  await using registry = servePackage(await publishPackage());
  await using project = await createProject(registry);
  await project.bundle(WORKER);

  await using server = await project.start(bunPath(), ["out.js"]);
  const response = await fetch(new URL("/hello/Bun", server.url));
  assertEquals(await response.text(), "Hello Bun");
});

Deno.test("a bundle of the published package serves on Workers", async () => {
  await using registry = servePackage(await publishPackage());
  await using project = await createProject(registry);
  await project.bundle(WORKER);

  const script = await Deno.readTextFile(`${project.folder}/out.js`);
  await using worker = await startWorker({ script });
  const response = await fetch(new URL("/hello/Workers", worker.url));
  assertEquals(await response.text(), "Hello Workers");
});

/** Creates an empty folder with a separate cache and adds the package. */
async function createProject({ url }: Registry, program = Deno.execPath()) {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const env = {
    JSR_URL: url,
    DENO_DIR: `${folder}/.deno`,
    DENO_SERVE_ADDRESS: "tcp:127.0.0.1:0",
    PORT: "0",
    NO_COLOR: "1",
    // Not the default of older versions.
    DENO_TLS_CA_STORE: "mozilla,system",
  };
  const project = {
    folder,
    write: (name: string, source: string) =>
      Deno.writeTextFile(`${folder}/${name}`, source),
    run: (...args: string[]) => deno(args, { program, cwd: folder, env }),
    async bundle(source: string) {
      await project.write("in.ts", source);
      await project.run(
        "bundle",
        "--platform=browser",
        "-o",
        "out.js",
        "in.ts",
      );
    },
    start: (program: string, args: string[]) =>
      start(new Deno.Command(program, { args, cwd: folder, env, ...PIPED })),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
  try {
    await project.run("add", `jsr:${config.name}`);
  } catch (error) {
    await project[Symbol.asyncDispose]();
    throw error;
  }
  return project;
}

const PIPED = { stdout: "piped", stderr: "piped" } as const;

/** Starts a server and waits until it prints its address. */
async function start(command: Deno.Command) {
  const process = command.spawn();
  const streams = [process.stdout, process.stderr];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = "";
  const read = Promise.all(streams.map(async (stream) => {
    for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
      output += chunk;
      const [url] = /http:\/\/[\w.:]+(?=[\/\s])/.exec(output) ?? [];
      if (url !== undefined) resolve(url);
    }
  }));
  process.status.then(() => reject(new Error(`No server: ${output}`)));
  return {
    url: await promise,
    async [Symbol.asyncDispose]() {
      process.kill();
      await Promise.all([process.status, read]);
    },
  };
}

/** Returns the first block of the README that starts a server. */
async function firstProgram(): Promise<string> {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  const program = [...readme.matchAll(/^```ts[^\n]*\n(.*?)^```/gms)]
    .map(([, source = ""]) => source)
    .find((source) => source.includes("Deno.serve("));
  assert(program, "The README has no program that serves");
  return program;
}
