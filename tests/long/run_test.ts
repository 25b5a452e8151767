/** The tasks that run tests: wrappers, time limits and reports. */
import {
  assert,
  assertEquals,
  assertMatch,
  assertStringIncludes,
} from "@std/assert";
import { pathToFileURL } from "node:url";
import {
  type Outcome,
  readOutput,
  readReport,
  runSuite,
} from "../run/command.ts";
import { report } from "../run/gate.ts";
import { suiteOf, SUITES, UNDISTURBED } from "../run/suites.ts";
import { examplesOf, findExamples, wrapExamples } from "../run/examples.ts";
import { quickFiles, testFiles, wrap, type Wrappers } from "../run/wrappers.ts";

/** The folders of the library with examples. */
const LIBRARY = [
  "accounts",
  "auth",
  "logger",
  "oauth_server",
  "router",
  "schema",
  "session",
];

interface Run extends Outcome {
  readonly output: string;
}

/** Runs test files, given by name and source, in one isolate. */
async function runFiles(
  files: Record<string, string>,
  { limit = 60_000 } = {},
): Promise<Run> {
  const folder = await Deno.makeTempDir();
  for (const [name, source] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder}/${name}`, source);
  }
  const names = Object.keys(files).filter((name) => name.endsWith("_test.ts"));
  const { paths, remove } = await wrap(
    names.map((name) => pathToFileURL(`${folder}/${name}`).href),
  );
  const run = await runPaths({ paths, remove }, limit);
  await Deno.remove(folder, { recursive: true });
  return run;
}

async function runPaths(
  { paths, remove }: Wrappers,
  limit = 60_000,
): Promise<Run> {
  let output = "";
  const outcome = await runSuite(
    { args: paths, clean: remove },
    [],
    {
      env: { TEST_TIME_LIMIT: String(limit), NO_COLOR: "1" },
      print: (text) => void (output += text),
    },
  );
  return { ...outcome, output };
}

Deno.test("a test that never ends fails with its name and file, and the next test runs", async () => {
  const { failed, files, output, passed, success } = await runFiles({
    "hanging_test.ts": `
      Deno.test("waits for ever", () =>
        new Promise(() => void setInterval(() => {}, 10)));
      Deno.test("loops for ever", () => { for (;;); });`,
    "other_test.ts": `Deno.test("passes", () => {});`,
  }, { limit: 1500 });
  assertEquals({ success, passed, failed }, {
    success: false,
    passed: 1,
    failed: 2,
  });
  for (const name of ["waits for ever", "loops for ever"]) {
    assertMatch(
      output,
      RegExp(
        `${name} => \\S*hanging_test\\.ts:\\d.*\\n.*timed out after 1500ms`,
      ),
    );
  }
  assertEquals(
    [...files.keys()].map((file) => file.split(/[\\/]/).at(-1)).sort(),
    [
      "hanging_test.ts",
      "other_test.ts",
    ],
  );
});

Deno.test("a test that needs longer states its time limit", async () => {
  const { passed } = await runFiles({
    "slow_test.ts": `Deno.test("is slow", { timeout: 60_000 }, () =>
      new Promise((resolve) => void setTimeout(resolve, 600)));`,
  }, { limit: 300 });
  assertEquals(passed, 1);
});

Deno.test("a failed test is reported with its file, even if a helper defines it", async () => {
  const { output } = await runFiles({
    "failing_test.ts": `import { define } from "./_helper.ts";
      define("fails by a helper");
      Deno.test("fails", () => { throw new Error("no"); });
      Deno.test({ name: "fails by options", fn() { throw new Error("no"); } });
      Deno.test(function failsByFunction() { throw new Error("no"); });`,
    "_helper.ts": `export const define = (name: string) =>
      Deno.test(name, () => { throw new Error("no"); });`,
  });
  const places = [
    ...output.matchAll(/^(.+) => \S*failing_test\.ts:(\d+):\d+$/gm),
  ]
    .map(([, name, line]) => `${name} ${line}`);
  assertEquals([...new Set(places)].sort(), [
    "fails 3",
    "fails by a helper 2",
    "fails by options 4",
    "failsByFunction 5",
  ]);
});

Deno.test("a file that does not load fails by its name, and the others run", async () => {
  const { failed, output, passed } = await runFiles({
    "broken_test.ts": `throw new Error("broken");`,
    "stuck_test.ts": `setInterval(() => {}, 10);\nawait new Promise(() => {});`,
    "other_test.ts": `Deno.test("passes", () => {});`,
  }, { limit: 1500 });
  assertEquals({ failed, passed }, { failed: 2, passed: 1 });
  assertMatch(output, /broken_test\.ts loads .*FAILED/);
  assertMatch(output, /stuck_test\.ts does not load in 1500 ms/);
});

Deno.test("a wrapped test that leaves a timer behind fails", async () => {
  const { failed, output } = await runFiles({
    "leaking_test.ts":
      `Deno.test("leaks", () => void setTimeout(() => {}, 9e6));`,
  });
  assertEquals(failed, 1);
  assertStringIncludes(output, "A timer was started in this test");
});

Deno.test("deno task test runs every test file but the long ones, once", async () => {
  const files = await testFiles("tests/");
  const quick = await quickFiles();
  assertEquals(
    files.filter((file) => !quick.includes(file)),
    await testFiles("tests/long/"),
  );
  const { paths, remove } = await wrap(quick);
  const imported: string[] = [];
  for (const path of paths) {
    const text = await Deno.readTextFile(path);
    const loaded = text.matchAll(/^await load\("([^"]+)"/gm);
    imported.push(...[...loaded].map(([, file = ""]) => file));
  }
  await remove();
  assertEquals(imported.sort(), quick);
});

Deno.test("the long tests are all run, each once", async () => {
  const shared = await SUITES["test:long"]();
  const slow = await SUITES["test:slow"]();
  const alone = await SUITES["test:undisturbed"]();
  const files = [...shared.args, ...slow.args, ...alone.args]
    .filter((part) => part.endsWith("_test.ts"));
  assertEquals(files.sort(), await testFiles("tests/long/"));
  assertEquals(alone.args, Object.keys(UNDISTURBED));
});

Deno.test("every test file is in tests/, where the tasks look for it", async () => {
  const files = await testFiles("./");
  const others = files.filter((file) =>
    !/^\/tests\/|\/node_modules\/|\/\./.test(file.slice(1))
  );
  assertEquals(others, []);
});

Deno.test("suiteOf() runs one file itself, and wraps a folder in two files", async () => {
  const file = "tests/schema/parse_test.ts";
  const one = await suiteOf(["./" + file]);
  assertEquals(one.args.at(-1), file);
  const folder = await suiteOf(["tests/schema"]);
  assertMatch(folder.args.at(-2)!, /schema_1_test\.ts$/);
  assertMatch(folder.args.at(-1)!, /schema_2_test\.ts$/);
  await one.clean?.();
  await folder.clean?.();
});

const output = `skipped: walks, because Chromium is not installed
running 3 tests from ./tests/a_test.ts
skipped: walks, because Chromium is not installed
\x1b[0mbun: 12 passed, 1 failed
ok | 3 passed (2 steps) | 0 failed | 2 ignored (1s)
FAILED | 10 passed | 4 failed (1m2s)
`;

Deno.test("readOutput() counts tests and keeps the reasons of skipped ones", () => {
  assertEquals(readOutput(output), {
    passed: 13,
    failed: 4,
    ignored: 2,
    skipped: ["skipped: walks, because Chromium is not installed"],
    counts: ["bun: 12 passed, 1 failed"],
  });
});

Deno.test("readReport() sums the seconds of each file, without the steps of tests", () => {
  const xml = `
    <testcase name="a" classname="./x_test.ts" time="1.5" line="1" col="1">
    <testcase name="a &gt; b" classname="./x_test.ts" time="1.25" line="2">
    <testcase name="c &gt; d" classname="./x_test.ts" time="0.5" line="3">
    <testcase name="a" classname="./y_test.ts" time="4.000" line="1" col="1">`;
  assertEquals([...readReport(xml)], [["./x_test.ts", 2], ["./y_test.ts", 4]]);
});

function outcome(changes: Partial<Outcome> = {}): Outcome {
  const none = { failed: 0, ignored: 0, skipped: [], counts: [] };
  return {
    ...none,
    success: true,
    seconds: 1,
    passed: 5,
    files: new Map(),
    ...changes,
  };
}

Deno.test("the gate reports the length of each step, the slowest files and the counts", () => {
  const { success, text } = report(
    new Map([
      ["checks", outcome({ seconds: 48, passed: 0 })],
      [
        "test",
        outcome({ files: new Map([["a_test.ts", 2], ["b_test.ts", 3]]) }),
      ],
    ]),
    true,
  );
  assertEquals(success, true);
  assertMatch(text, /^ +48\.0 s {2}checks\n +1\.0 s {2}test$/m);
  assertMatch(text, /^ +3\.0 s {2}b_test\.ts\n +2\.0 s {2}a_test\.ts$/m);
  assertMatch(text, /\n5 passed, 0 failed$/);
});

Deno.test("the gate names what was skipped, and fails if it is strict", () => {
  for (
    const one of [outcome({ ignored: 2 }), outcome({ skipped: ["skipped: x"] })]
  ) {
    const outcomes = new Map([["test", one]]);
    assertEquals(report(outcomes, false).success, true);
    const { success, text } = report(outcomes, true);
    assertEquals(success, false);
    assertMatch(text, /^Skipped:\n(?:skipped: x|2 tests)/m);
    assertMatch(text, /^The gate failed$/m);
  }
});

Deno.test("the gate lists test vectors that were not downloaded, and passes", () => {
  const skipped = ["not downloaded: vectors"];
  const outcomes = new Map([["test", outcome({ skipped })]]);
  const { success, text } = report(outcomes, true);
  assertEquals(success, true);
  assertMatch(text, /^Skipped:\nnot downloaded: vectors$/m);
});

Deno.test("the gate fails if a step fails, or if no test ran", () => {
  for (
    const one of [
      outcome({ success: false, failed: 1 }),
      outcome({ passed: 0 }),
    ]
  ) {
    assertEquals(report(new Map([["test", one]]), false).success, false);
  }
});

const commented = `/**
 * Adds.
 *
 * @example Adding
 * \`\`\`ts
 * const a = 1;
 * throw new Error("no");
 * \`\`\`
 * \`\`\`ts ignore
 * skipped();
 * \`\`\`
 * \`\`\`json
 * {}
 * \`\`\`
 */
export const source = "\`\`\`ts";
/** \`one\` */ const a = "/**"; // no comment
`;

Deno.test("examplesOf() reads the examples of doc comments and of pages", () => {
  assertEquals(examplesOf("router/a.ts", commented), [{
    file: "router/a.ts",
    line: 6,
    text: 'const a = 1;\nthrow new Error("no");\n',
  }]);
  assertEquals(examplesOf("docs/a.md", "# A\n\n```ts\na();\n```\n"), [
    { file: "docs/a.md", line: 4, text: "a();\n" },
  ]);
});

Deno.test("a failed example is reported with its file and line", async () => {
  const examples = examplesOf("router/a.ts", commented);
  const { failed, output } = await runPaths(await wrapExamples(examples));
  assertEquals(failed, 1);
  assertMatch(output, /^router\/a\.ts:6 => \S*router\/a\.ts:6:1$/m);
  assertMatch(output, /^error: Error: no$/m);
});

Deno.test("the examples of every folder of the library are run", async () => {
  const examples = await findExamples();
  const folders = new Set(examples.map(({ file }) => file.split("/")[0]));
  for (const folder of ["docs", "mod.ts", ...LIBRARY]) {
    assert(folders.has(folder), folder);
  }
  assert(examples.every(({ file }) => !file.startsWith("tests/")));
});
