/** The program that creates projects. */
import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { bunPath } from "../runtimes/bun.ts";
import { NODE_VERSIONS, nodePath } from "../runtimes/node.ts";
import {
  create,
  type CreateOptions,
  readFiles,
  TEMPLATES,
} from "../deno/_created_projects.ts";
import { programs } from "../deno/_guide.ts";
import { installPackage } from "../deno/_npm_package.ts";
import { CLIENTS } from "../deno/_session_stores.ts";
import { checkoutConfig, deno } from "../deno/_programs.ts";

const RUNTIMES = ["deno", "bun", "node", "workers"] as const;

const ROOT = new URL("../../", import.meta.url);

/** Runs a test in an empty folder. */
function test(name: string, fn: (folder: string) => Promise<void>): void {
  Deno.test(`create: ${name}`, async () => {
    const folder = await Deno.realPath(await Deno.makeTempDir());
    try {
      await fn(folder);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

test("--help prints the options, and creates nothing", async (cwd) => {
  const { code, stdout } = await create(["--help"], { cwd });
  assertEquals(code, 0);
  assertStringIncludes(stdout, "--template  minimal, login, saas, api");
  assertStringIncludes(stdout, "--runtime   deno, bun, node, workers");
  assertEquals([...await readFiles(cwd)], []);
});

const LOGIN = ["--template", "login", "--runtime", "node"];

const refused: [args: string[], message: string][] = [
  [["app", "--template", "blog"], 'the template "blog" is not one of minimal'],
  [["app", "--template=toString"], 'the template "toString" is not one of'],
  [["app", "--template"], "the template is not one of"],
  [["app", "--runtime", "php"], 'the runtime "php" is not one of deno, bun'],
  [["app", "--yes", "--database", "mysql"], 'the database "mysql" is not one'],
  [
    ["app", "--template=api", "--runtime=deno", "--database=postgres"],
    "the database postgres needs the template login or saas, and not workers",
  ],
  [
    ["app", "--template=saas", "--runtime=workers", "--database=postgres"],
    "the database postgres needs the template login or saas, and not workers",
  ],
  [["app", "--force"], 'the option "--force" is unknown'],
  [["app", "-f"], 'the option "-f" is unknown'],
  [["app", "--__proto__"], 'the option "--__proto__" is unknown'],
  [["app", "--yes=no"], '"--yes" and "--help" take no value'],
  [["app", "other", "--yes"], '"other" is a second folder'],
  [["", "--yes"], "the name of the folder is empty"],
  [["  ", "--yes"], "the name of the folder is empty"],
];

for (const [args, message] of refused) {
  test(`${JSON.stringify(args)} is refused in one line`, async (cwd) => {
    const { code, stdout, stderr } = await create(args, { cwd });
    assertEquals([code, stdout], [1, ""]);
    assertEquals(stderr.trim().split("\n").length, 1, stderr);
    assertStringIncludes(stderr, `Cannot create project: ${message}`);
    assertEquals([...await readFiles(cwd)], []);
  });
}

test("a folder with a file is refused and left as it is", async (cwd) => {
  await Deno.mkdir(`${cwd}/app`);
  await Deno.writeTextFile(`${cwd}/app/main.ts`, "mine");
  const { code, stderr } = await create(["app", ...LOGIN], { cwd });
  assertEquals(code, 1);
  assertStringIncludes(stderr, 'project "app": the folder is not empty');
  assertEquals([...await readFiles(cwd)], [["app/main.ts", "mine"]]);
});

test("a hidden file counts, and so does a link to a full folder", async (cwd) => {
  await Deno.mkdir(`${cwd}/full`);
  await Deno.writeTextFile(`${cwd}/full/.env`, "mine");
  await Deno.symlink(`${cwd}/full`, `${cwd}/link`);
  for (const folder of ["full", "link"]) {
    const { code } = await create([folder, ...LOGIN], { cwd });
    assertEquals(code, 1);
  }
  assertEquals(await Deno.readTextFile(`${cwd}/full/.env`), "mine");
});

test("a file with the name of the folder is refused", async (cwd) => {
  await Deno.writeTextFile(`${cwd}/app`, "mine");
  const { code, stderr } = await create(["app", ...LOGIN], { cwd });
  assertEquals(code, 1);
  assertStringIncludes(stderr, 'Cannot create project "app": ');
  assertEquals(await Deno.readTextFile(`${cwd}/app`), "mine");
});

test("an empty folder is used, also the current one", async (cwd) => {
  const { code, stdout } = await create([".", ...LOGIN], { cwd });
  assertEquals(code, 0);
  assert(!stdout.includes("cd "), stdout);
  assert((await readFiles(cwd)).has("app.ts"));
});

const folders: [folder: string, name: string][] = [
  ["My App", "my-app"],
  ["a/b/Notes_2", "notes-2"],
  ['"; rm -rf ~ #', "rm-rf"],
  ["$(id)`id`\n<b>", "id-id-b"],
  ["日本", "app"],
  ["x".repeat(200), "x".repeat(50)],
];

for (const [folder, name] of folders) {
  // Windows has no such folders.
  if (Deno.build.os === "windows" && /["<]/.test(folder)) continue;
  test(`the folder ${JSON.stringify(folder).slice(0, 40)} is the project "${name.slice(0, 9)}"`, async (cwd) => {
    const { code, stderr } = await create([folder, ...LOGIN], { cwd });
    assertEquals(code, 0, stderr);
    const read = (file: string) =>
      Deno.readTextFile(`${cwd}/${folder}/${file}`);
    assertEquals(JSON.parse(await read("package.json")).name, name);
    assertStringIncludes(await read("README.md"), `# ${name}\n`);
  });
}

const quoted = ["My App", "日本", "$(touch owned)", "`touch owned`'", 'a"b\\!'];

for (const folder of quoted) {
  if (Deno.build.os === "windows") continue;
  test(`a shell enters the folder ${JSON.stringify(folder)} with the printed command`, async (cwd) => {
    const { stdout } = await create([folder, ...LOGIN], { cwd });
    const [line] = /^ {2}cd .+$/m.exec(stdout)!;
    const args = ["-c", `${line} && pwd`];
    const shell = new Deno.Command("sh", { args, cwd, stderr: "null" });
    const output = new TextDecoder().decode((await shell.output()).stdout);
    assertEquals(output, `${cwd}/${folder}\n`);
  });
}

test("--yes asks nothing and creates a login for the current runtime", async (cwd) => {
  const { code, stdout } = await create(["--yes"], { cwd });
  assertEquals(code, 0);
  assertStringIncludes(stdout, 'my-app: the template "login" for Deno');
  assertStringIncludes(stdout, "cd my-app\n  deno task test\n");
  const files = await readFiles(`${cwd}/my-app`);
  assert(files.has("deno.json") && files.has("mail.ts"));
});

test("it asks for the choices that are missing, until they are valid", async (cwd) => {
  const input = "notes\nblog\napi\n\n";
  const { code, stdout, stderr } = await create([], { cwd, input });
  assertEquals(code, 0, stderr);
  assertEquals(stdout.split(") ").slice(0, 4), [
    "folder (my-app",
    "template: minimal, login, saas, api (login",
    "template: minimal, login, saas, api (login",
    "runtime: deno, bun, node, workers (deno",
  ]);
  assertStringIncludes(stderr, 'the template "blog" is not one of');
  assert((await readFiles(`${cwd}/notes`)).has("notes.ts"));
});

test("with all choices it does not wait for input", async (cwd) => {
  const { code, stdout } = await create(["app", ...LOGIN], { cwd });
  assertEquals([code, stdout.includes("?")], [0, false]);
});

test("if the input ends before an answer, it creates nothing", async (cwd) => {
  const { code, stderr } = await create(["app"], { cwd });
  assertEquals(code, 1);
  assertStringIncludes(stderr, "the input ended, use --template");
  assertEquals([...await readFiles(cwd)], []);
});

test("every project has new secrets, which only the owner can read", async (cwd) => {
  const secrets: string[] = [];
  for (
    const [folder, template] of [["a", "login"], ["b", "login"], ["c", "api"]]
  ) {
    const args = [folder, "--template", template, "--runtime", "node"];
    assertEquals((await create(args, { cwd })).code, 0);
    const { mode } = await Deno.stat(`${cwd}/${folder}/.env`);
    if (Deno.build.os !== "windows") assertEquals(mode! & 0o777, 0o600);
    const files = await readFiles(`${cwd}/${folder}`);
    const [, secret] = /^[A-Z_]+=(.+)$/m.exec(files.get(".env")!)!;
    secrets.push(secret);
    for (const [path, text] of files) {
      if (path !== ".env") assert(!text.includes(secret), path);
    }
    assertMatch(files.get(".env.example")!, /^[A-Z_]+=$/m);
    for (const file of [".gitignore", ".dockerignore"]) {
      assertMatch(files.get(file)!, /^\.env$/m, file);
      assertMatch(files.get(file)!, /^\*\.sqlite\*$/m, file);
    }
  }
  assertEquals(atob(secrets[0]).length, 32);
  assertNotEquals(secrets[0], secrets[1]);
  assertMatch(secrets[2], /^demo:api_\w{49}$/);
});

test("every project is formatted, linted and short", async (cwd) => {
  const long: string[] = [];
  for (const template of TEMPLATES) {
    for (const runtime of RUNTIMES) {
      const folder = `${template}-${runtime}`;
      const args = [folder, "--template", template, "--runtime", runtime];
      assertEquals((await create(args, { cwd })).code, 0);
    }
  }
  for (const runtime of ["deno", "bun", "node"]) {
    const args = [runtime, "--template", "saas", "--runtime", runtime];
    await create([...args, "--database", "postgres"], { cwd });
    const files = await readFiles(`${cwd}/${runtime}`);
    assertStringIncludes(files.get(".env.example")!, "DATABASE_URL=");
    assert(!files.get("Dockerfile")!.includes("/data"));
  }
  await deno(["fmt", "--check", "--quiet"], { cwd });
  await deno(["lint", "--quiet"], { cwd });
  for (const [path, text] of await readFiles(cwd)) {
    const lines = text.split("\n").length - 1;
    const limit = path.endsWith("README.md") ? 16 : 110;
    if (lines > limit) long.push(`${path}: ${lines}`);
  }
  assertEquals(long, []);
});

test("every template type-checks, and passes its tests", async (cwd) => {
  // One configuration, so that the compiler checks the library once.
  await Deno.writeTextFile(`${cwd}/deno.json`, checkoutConfig());
  for (const template of TEMPLATES) {
    const args = [template, "--template", template, "--runtime", "deno"];
    assertEquals((await create(args, { cwd })).code, 0);
    await Deno.remove(`${cwd}/${template}/deno.json`);
  }
  await deno(["check"], { cwd });
  for (const template of TEMPLATES) {
    await deno(["test", "-A", "--no-check"], { cwd: `${cwd}/${template}` });
  }
});

test("accounts start outside localhost only with emails and secrets", async (cwd) => {
  const args = [".", "--template", "saas", "--runtime", "deno"];
  assertEquals((await create(args, { cwd })).code, 0);
  await Deno.writeTextFile(`${cwd}/deno.json`, checkoutConfig());
  const missing = async (env: Record<string, string>) => {
    const args = ["run", "-A", "--no-check", "main.ts"];
    const error = await assertRejects(() => deno(args, { cwd, env }));
    const [, part] = /Cannot create accounts: (.+) is /.exec(String(error))!;
    return part;
  };
  assertEquals(await missing({}), 'origin ""');
  const ORIGIN = "https://app.example.com";
  const SECRETS = crypto.randomUUID();
  assertEquals(await missing({ ORIGIN, SECRETS }), "sendMail");
  // The guide's function needs a key, which is missing at first.
  const { "mail.ts": mail } = await programs("create_a_project.md");
  await Deno.writeTextFile(`${cwd}/mail.ts`, mail!);
  await deno(["check", "main.ts"], { cwd });
  assertEquals(await missing({ ORIGIN, SECRETS }), "sendMail");
  assertEquals(await missing({ ORIGIN, MAIL_KEY: "key" }), "secrets");
});

test("an error about API_TOKENS has no token", async (cwd) => {
  const args = [".", "--template", "api", "--runtime", "deno"];
  assertEquals((await create(args, { cwd })).code, 0);
  await Deno.writeTextFile(`${cwd}/deno.json`, checkoutConfig());
  const program = `import assert from "node:assert/strict";
    import { createToken } from "@gatehouse/web";
    import { createTokenScheme, TOKEN } from "./tokens.ts";
    const token = createToken(TOKEN);
    const lists = [token, token + ":ada", "ada:" + token + " " + token];
    for (const [index, list] of lists.entries()) {
      const pair = index === 2 ? 2 : 1;
      const message = \`Cannot start: pair \${pair} of API_TOKENS is malformed\`;
      assert.throws(() => createTokenScheme(list), { message });
    }`;
  await Deno.writeTextFile(`${cwd}/try.ts`, program);
  await deno(["run", "-A", "--no-check", "try.ts"], { cwd });
});

test("the workflow runs the actions and the image that this project trusts", async (cwd) => {
  const own = await Deno.readTextFile(
    new URL(".github/workflows/ci.yml", ROOT),
  );
  for (const runtime of RUNTIMES) {
    const args = [runtime, "--template", "login", "--runtime", runtime];
    await create(args, { cwd });
    const files = await readFiles(`${cwd}/${runtime}`);
    const workflow = files.get(".github/workflows/ci.yml")!;
    const actions = workflow.match(/uses: .+/g) ?? [];
    assert(actions.length > 0);
    for (const action of actions) assertStringIncludes(own, action);
    assertStringIncludes(workflow, "permissions:\n  contents: read\n");
    const image = /container: (.+)/.exec(workflow)![1];
    assertMatch(image, /^[\w/]+:[\w.-]+$/);
    const dockerfile = files.get("Dockerfile");
    assertEquals(dockerfile === undefined, runtime === "workers");
    if (dockerfile !== undefined) assertMatch(dockerfile, /^USER \w+$/m);
  }
});

test("npm refuses to install a project on an older Node", async (cwd) => {
  for (const runtime of ["node", "workers", "bun"]) {
    const options = ["--template", "login", "--runtime", runtime];
    await create([runtime, ...options], { cwd });
    const read = (file: string) =>
      Deno.readTextFile(`${cwd}/${runtime}/${file}`);
    const { engines } = JSON.parse(await read("package.json"));
    const strict = (await read(".npmrc")).includes("engine-strict=true\n");
    const isBun = runtime === "bun";
    assertEquals(engines, isBun ? undefined : { node: ">=24.15" });
    assertEquals(strict, !isBun);
  }
});

test("projects depend on this version, and on the srvx that the tests use", async (cwd) => {
  await create(["deno", "--template", "login", "--runtime", "deno"], { cwd });
  await create(["node", ...LOGIN], { cwd });
  const read = async (path: string) =>
    JSON.parse(await Deno.readTextFile(`${cwd}/${path}`));
  const { imports } = await read("deno/deno.json");
  const range = `^${config.version}`;
  assertEquals(imports, { [config.name]: `jsr:${config.name}@${range}` });
  const { dependencies } = await read("node/package.json");
  const name = config.name.slice(1).replace("/", "__");
  assertEquals(dependencies[config.name], `npm:@jsr/${name}@${range}`);
  const srvx = config.scopes["./examples/"]["srvx/node"];
  assertEquals(srvx, `npm:srvx@${dependencies.srvx.slice(1)}/node`);
  await create(["postgres", ...LOGIN, "--database", "postgres"], { cwd });
  const { dependencies: { postgres } } = await read("postgres/package.json");
  assert(CLIENTS.includes(`npm:postgres@${postgres.slice(1)}`));
});

Deno.test({
  name: "create: the npm package runs on Node and Bun",
  ignore: NODE_VERSIONS.length === 0,
  fn: async () => {
    const folder = await Deno.makeTempDir();
    try {
      await installPackage(folder);
      const script = `${folder}/node_modules/${config.name}/create/mod.js`;
      const commands: [string, CreateOptions["command"]][] = [
        ["node", [await nodePath(), script]],
        ["bun", [bunPath(), script]],
      ];
      for (const [runtime, command] of commands) {
        const options = { cwd: folder, command };
        const input = "\n\n";
        const asked = await create([runtime], { ...options, input });
        assertEquals(asked.code, 0, asked.stderr);
        const json = await Deno.readTextFile(
          `${folder}/${runtime}/package.json`,
        );
        assertStringIncludes(JSON.parse(json).scripts.start, runtime);
        const refused = await create([runtime, "--yes"], options);
        assertEquals(refused.code, 1);
        assertEquals(
          refused.stderr.trim(),
          `Cannot create project "${runtime}": the folder is not empty`,
        );
        const { mode } = await Deno.stat(`${folder}/${runtime}/.env`);
        if (Deno.build.os !== "windows") assertEquals(mode! & 0o777, 0o600);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
