/**
 * A release runs no third-party code near a credential, and pins its
 * dependencies.
 */
import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { Ajv } from "npm:ajv@8.20.0";
import { parse } from "npm:yaml@2.9.1";
import config from "../../deno.json" with { type: "json" };
import { packagesInUse, readNpmLock } from "../offline/npm_lock.ts";
import { testArguments } from "../run/command.ts";
import { STEPS } from "../run/gate.ts";
import { SUITES } from "../run/suites.ts";
import { createSbom, readGraphs, standIns } from "./_sbom.ts";

const root = new URL("../../", import.meta.url);

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly environment?: unknown;
  readonly permissions?: unknown;
  readonly container?: unknown;
  readonly services?: unknown;
  readonly if?: string;
  readonly env?: unknown;
  readonly uses?: string;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: unknown;
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** The actions allowed in a job that can request an identity token. */
const publishing = new Set([
  "actions/checkout",
  "denoland/setup-deno",
  "deno publish",
]);

/** Returns the faults of a workflow, in sentences. */
function faultsOf(text: string): string[] {
  const { on, permissions, jobs } = parse(text) as Workflow;
  const faults: string[] = [];
  const check = (right: boolean, fault: string) => {
    if (!right) faults.push(fault);
  };
  check(
    JSON.stringify(permissions) === '{"contents":"read"}',
    "the workflow has more permissions than to read",
  );
  check(
    !/pull_request_target|workflow_run/.test(JSON.stringify(on)),
    "it runs the code of pull requests with the rights of the repository",
  );
  for (
    const [, uses = "", comment = ""] of text.matchAll(/uses:\s*(\S+)(.*)/g)
  ) {
    check(
      /^[\w-]+\/[\w-]+(?:\/[\w-]+)?@[\da-f]{40}$/.test(uses) &&
        /^ # v\d+\.\d+\.\d+$/.test(comment),
      `${uses} is not pinned by commit, with its version as a comment`,
    );
  }
  for (const [name, job] of Object.entries(jobs)) {
    for (const { uses, run = "", with: inputs } of job.steps ?? []) {
      check(!run.includes("${{"), `${name} puts an expression into a script`);
      check(
        !uses?.startsWith("actions/checkout@") ||
          inputs?.["persist-credentials"] === false,
        `${name} leaves its token in the checkout`,
      );
    }
    const rights = JSON.stringify(job.permissions ?? {});
    if (!rights.includes("write")) continue;
    check(
      /^\{("[\w-]+":"(read|write)",?)+\}$/.test(rights),
      `${name} has all permissions`,
    );
    check(job.uses === undefined, `${name} calls another workflow`);
    const steps = (job.steps ?? []).map(({ uses, run }) =>
      uses?.split("@")[0] ?? run?.trim() ?? ""
    );
    check(
      !steps.some((step) =>
        /deno (task|test|x)|\bnpx?\b|curl|\.ci\//.test(step)
      ),
      `${name} may write, and runs tests or downloads`,
    );
    if (!/id-token/.test(rights)) continue;
    // This job only publishes the site that another job built, so that no other
    // code can use the token.
    const isSite = job.environment === "github-pages" &&
      steps.join() === "actions/deploy-pages";
    check(
      isSite || steps.every((step) => publishing.has(step)),
      `${name} may publish, and runs ${steps}`,
    );
    check(job.environment !== undefined, `${name} needs no approval`);
    check(
      job.container === undefined && job.services === undefined &&
        job.env === undefined,
      `${name} runs in an environment of others`,
    );
    check(
      job.if === undefined && typeof job.needs === "string" &&
        (isSite ||
          jobs[job.needs]?.steps.some(({ run }) => waitsForGate(run))),
      `${name} does not wait for the tests`,
    );
  }
  return faults;
}

/**
 * Returns `true` if a step fails unless the workflow with the gate has passed
 * for the commit after a push to main, which pull requests can't do.
 */
function waitsForGate(run = ""): boolean {
  const [commit, list = "", watch, ...others] = run.trim().split("\n");
  const parts = "--workflow ci.yml --branch main --event push --commit";
  return commit === "commit=$(git rev-parse HEAD)" &&
    list.startsWith(`run=$(gh run list ${parts} "$commit" `) &&
    watch === 'gh run watch "$run" --exit-status --interval 30' &&
    others.length === 0;
}

async function read(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(path, root));
}

const workflows: string[] = [];
for await (
  const { name } of Deno.readDir(new URL(".github/workflows/", root))
) {
  workflows.push(name);
}

Deno.test("every workflow is checked", () => {
  assertEquals(workflows.sort(), [
    "ci.yml",
    "codeql.yml",
    "docs.yml",
    "nightly.yml",
    "publish.yml",
    "scorecard.yml",
  ]);
});

Deno.test("each long test with variants runs at night", async () => {
  const nightly = await read(".github/workflows/nightly.yml");
  let count = 0;
  for await (const { name } of Deno.readDir(new URL("tests/long/", root))) {
    const path = `tests/long/${name}`;
    if (!/\bisNightly\b/.test(await read(path)) || name === "_nightly.ts") {
      continue;
    }
    count++;
    assertStringIncludes(nightly, path);
  }
  assert(count > 3);
});

Deno.test("each version of an action has one commit", async () => {
  const commits: Record<string, Set<string>> = {};
  for (const name of workflows) {
    const text = await read(`.github/workflows/${name}`);
    for (
      const [, action, commit = "", version] of text.matchAll(
        /uses: ([\w-]+\/[\w-]+)[\w/-]*@([\da-f]{40}) # (\S+)/g,
      )
    ) {
      (commits[`${action} ${version}`] ??= new Set()).add(commit);
    }
  }
  assert(Object.keys(commits).length > 3);
  for (const [version, found] of Object.entries(commits)) {
    assertEquals(found.size, 1, version);
  }
});

Deno.test("SECURITY.md names the supported versions, and the times to answer and to fix", async () => {
  const text = await read("SECURITY.md");
  const [, section = ""] = /\n## Supported versions\n(.+?)\n## /s.exec(text) ??
    [];
  assertStringIncludes(section, "latest minor version");
  for (const severity of ["critical", "high", "medium", "low"]) {
    assertMatch(section, new RegExp(`\\| ${severity} .*\\d+ days`));
  }
});

for (const name of workflows) {
  Deno.test(`${name} gives third-party code no permissions`, async () => {
    assertEquals(faultsOf(await read(`.github/workflows/${name}`)), []);
  });
}

const checkout = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1";

/** Changes to `publish.yml`, and the expected fault of each. */
const spoiled: [from: string, to: string, fault: RegExp][] = [
  [`${checkout} # v7.0.1`, "actions/checkout@v7", /not pinned by commit/],
  [`${checkout} # v7.0.1`, checkout, /not pinned by commit/],
  [
    "- run: deno publish",
    "- run: deno task ok\n      - run: deno publish",
    /may publish, and runs/,
  ],
  [
    "- run: deno publish",
    "- uses: a/b@" + "0".repeat(40) + " # v1.0.0\n      - run: deno publish",
    /may publish, and runs/,
  ],
  ["    environment: jsr\n", "", /needs no approval/],
  ["    needs: gate\n", "", /does not wait for the tests/],
  [" --exit-status", "", /does not wait for the tests/],
  [" --branch main", "", /does not wait for the tests/],
  [" --event push", "", /does not wait for the tests/],
  ['--commit "$commit" ', "", /does not wait for the tests/],
  ["--interval 30", "--interval 30 || true", /does not wait/],
  [
    "permissions:\n  contents: read\n",
    "permissions: write-all\n",
    /more permissions/,
  ],
  ["permissions:\n  contents: read\n", "", /more permissions/],
  [
    "          persist-credentials: false\n",
    "          fetch-depth: 0\n",
    /leaves its token/,
  ],
  ['"$GITHUB_REF_NAME"', "${{ github.ref_name }}", /expression into a script/],
  [
    'tags: ["v*"]',
    'tags: ["v*"]\n  pull_request_target:',
    /code of pull requests/,
  ],
  [
    "      contents: write\n",
    "      contents: write\n      id-token: write\n",
    /release may publish/,
  ],
];

for (const [from, to, fault] of spoiled) {
  Deno.test(`a publish.yml with ${JSON.stringify(to).slice(0, 60)} for ${JSON.stringify(from).slice(0, 50)} is refused`, async () => {
    const text = await read(".github/workflows/publish.yml");
    assert(text.includes(from), from);
    assertMatch(faultsOf(text.replace(from, to)).join("\n"), fault);
  });
}

Deno.test("the workflow that a release waits for runs the gate on every push to main", async () => {
  const { on, jobs } = parse(await read(".github/workflows/ci.yml"));
  assertEquals(on.push, { branches: ["main"] });
  const { gate } = jobs as Workflow["jobs"];
  assertEquals(gate?.if, undefined);
  assert(gate?.steps.some(({ run }) => run === ".ci/run"));
});

Deno.test("a docs.yml that builds with the rights to publish is refused", async () => {
  const text = await read(".github/workflows/docs.yml");
  const action = / {6}- uses: actions\/deploy-pages@.*\n/;
  const spoiled = text.replace(
    action,
    "$&      - run: deno run site/build.ts\n",
  );
  assertMatch(faultsOf(spoiled).join("\n"), /deploy may publish, and runs/);
});

Deno.test("Dependabot updates the actions", async () => {
  const { version, updates } = parse(await read(".github/dependabot.yml"));
  assertEquals(version, 2);
  assertEquals(
    updates.map((one: Record<string, unknown>) => one["package-ecosystem"]),
    ["github-actions"],
  );
});

/** Finds imported or started packages without an exact version. */
function floating(text: string): string[] {
  const specifiers = [
    // A name without a version is only a name, unless it is imported.
    ...text.matchAll(/["'`]npm:\/?([^"'`\s$:]+@[^"'`\s$]*)["'`]/g),
    ...text.matchAll(
      /(?:from|import|import\(|resolve\()\s*["'`](?:npm|jsr):([^"'`]+)["'`]/g,
    ),
  ].map(([, specifier = ""]) => specifier);
  return specifiers.filter((specifier) =>
    !/^(?:@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+[\w.+-]*(?:\/|$)/.test(specifier)
  );
}

async function* files(folder: string): AsyncGenerator<string> {
  for await (
    const { name, isDirectory } of Deno.readDir(new URL(folder, root))
  ) {
    if (name === "release_test.ts") continue;
    if (isDirectory) yield* files(`${folder}${name}/`);
    else if (/\.(?:[jt]sx?|md)$/.test(name)) yield folder + name;
  }
}

Deno.test("floating() finds imports without an exact version", () => {
  for (
    const text of [
      'import { Hono } from "npm:hono@4";',
      'import "npm:hono@^4.1.2/factory";',
      "await import('npm:@scope/name@~1.2.3');",
      'import.meta.resolve("npm:hono")',
      'import { a } from "npm:@scope/name/sub";',
      'import { a } from "jsr:@std/yaml@1";',
      'args: ["run", "npm:wrangler@latest"]',
    ]
  ) assertEquals(floating(text).length > 0, true, text);
  for (
    const text of [
      'import { Hono } from "npm:hono@4.13.19/factory";',
      'import a from "npm:@scope/name@1.2.3-beta.1";',
      'const name = "npm:redis" as const;',
    ]
  ) assertEquals(floating(text), [], text);
});

Deno.test("every package that tests, benchmarks and the guide use has an exact version", async () => {
  const found: string[] = [];
  let count = 0;
  for (const folder of ["tests/", "docs/", "skills/", "examples/"]) {
    for await (const path of files(folder)) {
      const text = await read(path);
      count += text.match(/["'`]npm:/g)?.length ?? 0;
      found.push(...floating(text).map((one) => `${path}: ${one}`));
    }
  }
  assert(count > 40, `${count} packages`);
  assertEquals(found, []);
});

Deno.test("the tests run with a lock for every npm package", async () => {
  assert(testArguments("a.lock").includes("--lock=a.lock"));
  const { specifiers, npm } = await readNpmLock();
  // Deno writes `^6` as `6`.
  const locked = new Set(
    Object.keys(specifiers).map((one) => one.replace("@^", "@")),
  );
  const used = await packagesInUse();
  assert(used.length > 30, `${used.length} packages`);
  assertEquals(
    used.filter((one) => !locked.has(one.replace("@^", "@"))),
    [],
    "deno task lock",
  );
  for (const [id, { integrity }] of Object.entries(npm)) {
    assertMatch(integrity, /^sha512-[\w+/]{86}==$/, id);
  }
});

Deno.test("deno task ok and CI run all tests and examples", async () => {
  const { tasks } = config;
  for (const name of ["test", "test:docs", "test:long", "ok"] as const) {
    const commands = tasks[name].command.split(" && ");
    assertEquals(commands[0], `deno run -A tests/run/main.ts ${name}`);
  }
  const suites = Object.keys(SUITES).filter((name) => name !== "test:isolates");
  assertEquals(STEPS.flat().sort(), ["checks", ...suites].sort());
  assertStringIncludes(await read(".ci/run"), " task ok --strict");
});

Deno.test("CI starts programs of npm with an exact version", async () => {
  const script = await read(".ci/run");
  const started = script.match(/\bnpx\b.*/g) ?? [];
  assert(started.length > 0);
  for (const line of started) assertMatch(line, /^npx -y deno@\d+\.\d+\.\d+ /);
});

/** The part of CycloneDX 1.6 that the document has to meet. */
const schema = {
  type: "object",
  additionalProperties: false,
  required: [
    "bomFormat",
    "specVersion",
    "serialNumber",
    "version",
    "metadata",
    "components",
    "dependencies",
  ],
  properties: {
    bomFormat: { const: "CycloneDX" },
    specVersion: { const: "1.6" },
    serialNumber: {
      pattern: "^urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
    },
    version: { type: "integer", minimum: 1 },
    metadata: {
      required: ["timestamp", "component"],
      properties: {
        timestamp: { pattern: "^\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z$" },
        component: { $ref: "#/$defs/component" },
      },
    },
    components: {
      type: "array",
      uniqueItems: true,
      items: { $ref: "#/$defs/component" },
    },
    dependencies: {
      type: "array",
      uniqueItems: true,
      items: {
        required: ["ref", "dependsOn"],
        properties: {
          dependsOn: {
            type: "array",
            uniqueItems: true,
            items: { type: "string" },
          },
        },
      },
    },
  },
  $defs: {
    component: {
      type: "object",
      additionalProperties: false,
      required: ["type", "name", "version", "bom-ref", "purl"],
      properties: {
        type: { const: "library" },
        group: { type: "string", minLength: 1 },
        name: { type: "string", minLength: 1 },
        version: { pattern: "^\\d+\\.\\d+\\.\\d+" },
        "bom-ref": { type: "string" },
        purl: {
          pattern:
            "^pkg:npm/(%40[\\w-]+/)?[\\w.-]+@[\\w.-]+(\\?repository_url=\\S+)?$",
        },
      },
    },
  },
};

Deno.test("createSbom() lists every direct and indirect dependency of deno.json", async () => {
  const sbom = createSbom(config, await readGraphs(), new Date());
  const ajv = new Ajv({ strict: false });
  assert(ajv.validate(schema, sbom), ajv.errorsText());
  const names = sbom.components.map(({ group, name }) =>
    group === undefined ? name : `${group}/${name}`
  );
  for (const name of Object.keys(config.imports)) {
    // Only tests assert.
    assertEquals(names.includes(name), name !== "@std/assert", name);
  }
  const refs = new Set(sbom.components.map((one) => one["bom-ref"]));
  const [own, ...others] = sbom.dependencies;
  assertEquals(own?.ref, sbom.metadata.component.purl);
  assert(own?.dependsOn.some((ref) => ref.startsWith("pkg:npm/jose@")));
  assertEquals(new Set(others.map(({ ref }) => ref)), refs);
  for (const { dependsOn } of sbom.dependencies) {
    assertEquals(dependsOn.filter((ref) => !refs.has(ref)), []);
  }
});

Deno.test("createSbom() reads packages that depend on others", () => {
  const npmPackages = {
    "a@1.0.0": { name: "a", version: "1.0.0", dependencies: ["@b/c@2.0.0"] },
    "@b/c@2.0.0": { name: "@b/c", version: "2.0.0", dependencies: [] },
  };
  const jsr = "https://jsr.io/@std/http/1.1.3/cookie.ts";
  const inner = "https://jsr.io/@std/encoding/1.0.0/hex.ts";
  const { components, dependencies } = createSbom(
    { name: "@x/y", version: "0.1.0" },
    [{
      npmPackages,
      redirects: { "jsr:@std/http@1/cookie": jsr, "npm:a@1": "npm:/a@1.0.0" },
      modules: [
        {
          specifier: "file:///mod.ts",
          dependencies: [
            { code: { specifier: "npm:a@1" } },
            { code: { specifier: "jsr:@std/http@1/cookie" } },
          ],
        },
        { specifier: "npm:/a@1.0.0", npmPackage: "a@1.0.0" },
        { specifier: jsr, dependencies: [{ code: { specifier: inner } }] },
        { specifier: inner },
      ],
    }],
    new Date(0),
  );
  const jsrRef = (name: string) =>
    `pkg:npm/%40jsr/${name}?repository_url=https%3A%2F%2Fnpm.jsr.io`;
  assertEquals(components.length, 4);
  assertEquals(
    new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn])),
    new Map([
      [jsrRef("x__y@0.1.0"), [jsrRef("std__http@1.1.3"), "pkg:npm/a@1.0.0"]],
      ["pkg:npm/a@1.0.0", ["pkg:npm/%40b/c@2.0.0"]],
      ["pkg:npm/%40b/c@2.0.0", []],
      [jsrRef("std__http@1.1.3"), [jsrRef("std__encoding@1.0.0")]],
      [jsrRef("std__encoding@1.0.0"), []],
    ]),
  );
});

Deno.test("standIns() finds the packages that a release must not contain", () => {
  const graph = (specifier: string) => [
    { modules: [{ specifier }], redirects: {} },
  ];
  const standIn = "file:///cache/gatehouse-jsr-0/@std/http/1.0.0/cookie.ts";
  assertEquals(standIns(graph(standIn)), [standIn]);
  assertEquals(standIns(graph("https://jsr.io/@std/http/1.0.0/a.ts")), []);
  assertEquals(standIns(graph("file:///project/session/mod.ts")), []);
});
