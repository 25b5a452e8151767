/** The lengths of the functions of the library, from their first line to their last. */
import { assert, assertEquals } from "@std/assert";
import ts from "npm:typescript@6.0.3";

const ROOT = new URL("../../", import.meta.url);
const FOLDERS = [
  "schema",
  "router",
  "session",
  "logger",
  "auth",
  "accounts",
  "oauth_server",
  "create",
];

/** A function should have at most this many lines. */
const GOAL = 40;
/** The functions that may be longer than the goal: a few that read better whole. */
const MAX_LONGER = 8;
/** No function is longer than this. */
const MAX_LINES = 60;

Deno.test("few functions of the library have more than 40 lines, and none more than 60", async () => {
  const functions: [lines: number, name: string][] = [];
  for (const folder of FOLDERS) {
    for await (const path of sources(`${folder}/`)) {
      const text = await Deno.readTextFile(new URL(path, ROOT));
      functions.push(...functionsOf(path, text));
    }
  }
  assert(functions.length > 1_000);
  const longer = functions.filter(([lines]) => lines > GOAL)
    .sort(([a], [b]) => b - a).map(([lines, name]) => `${lines} ${name}`);
  assert(longer.length <= MAX_LONGER, `too many:\n${longer.join("\n")}`);
  const tooLong = functions.filter(([lines]) => lines > MAX_LINES);
  assertEquals(tooLong, []);
});

Deno.test("the lines of a function include those of the functions in it, not its doc comment", () => {
  const text = [
    "/** A comment. */",
    "export function outer() {",
    "  const inner = () => {",
    "    return 1;",
    "  };",
    "  return inner;",
    "}",
  ].join("\n");
  assertEquals([...functionsOf("a.ts", text)], [
    [6, "a.ts outer"],
    [3, "a.ts inner"],
  ]);
});

/** Yields the lines and the name of each function of a file. */
function* functionsOf(
  path: string,
  text: string,
): Generator<[lines: number, name: string]> {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const pending: ts.Node[] = [file];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (ts.isFunctionLike(node) && "body" in node && node.body) {
      const lineOf = (at: number) =>
        file.getLineAndCharacterOfPosition(at).line;
      const lines = lineOf(node.getEnd()) - lineOf(node.getStart(file)) + 1;
      yield [lines, `${path} ${nameOf(node)}`];
    }
    ts.forEachChild(node, (child) => void pending.push(child));
  }
}

function nameOf({ name, parent }: ts.SignatureDeclaration): string {
  if (name !== undefined) return name.getText();
  return ts.isVariableDeclaration(parent) ? parent.name.getText() : "=>";
}

async function* sources(folder: string): AsyncGenerator<string> {
  for await (
    const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))
  ) {
    if (isDirectory) yield* sources(`${folder}${name}/`);
    else if (name.endsWith(".ts")) yield folder + name;
  }
}
