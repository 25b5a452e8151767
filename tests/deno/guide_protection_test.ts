/**
 * Readers copy the programs of the guide. Forms with a session need protection
 * from requests of other sites.
 */
import { assert, assertEquals } from "@std/assert";
import { pages } from "./_guide.ts";
import { codeBlocks } from "./_markdown.ts";

const ROOT = new URL("../../", import.meta.url);

/** A program that readers copy. */
interface Program {
  /** Its place, such as `docs/deploy.md:22`. */
  readonly place: string;
  readonly text: string;
}

Deno.test("every program of the guide and the README with forms and a session is protected from other sites", async () => {
  const found = (await programs()).filter(({ text }) => takesForms(text));
  // A small number would mean that the search is broken.
  assert(found.length >= 15, `only ${found.length} programs take forms`);
  const open = found.filter(({ text }) => unprotected(text).length > 0);
  assertEquals(open.map(({ place }) => place), []);
});

Deno.test("every program of the guide hashes a new password before it uses up the link", async () => {
  const calls = /\b(hashPassword|takeOneTimeToken)\(/g;
  const found = (await programs())
    .map(({ place, text }) => {
      const code = withoutComments(text);
      return {
        place,
        names: [...code.matchAll(calls)].map(([, name]) => name),
      };
    })
    .filter(({ names }) => new Set(names).size === 2);
  assert(found.length > 0);
  for (const { place, names } of found) {
    // A full queue would cost the user the link.
    assertEquals(names[0], "hashPassword", place);
  }
});

const session = "session({ store })";
const origin = "crossOriginProtection()";

const samples = [
  { middleware: session, call: 'router.post("/x", f)', open: true },
  { middleware: `web.${session}`, call: 'router.put("/x", f)', open: true },
  { middleware: session, call: 'router.delete("/x", f)', open: true },
  { middleware: session, call: "router\n  .patch(x, f)", open: true },
  { middleware: session, call: "router.map(routes, f)", open: true },
  { middleware: session, call: 'router.route("POST", x, f)', open: true },
  { middleware: session, call: 'router.get("/x", f)', open: false },
  { middleware: session, call: "names.map((x) => x)", open: false },
  { middleware: "logger()", call: 'router.post("/x", f)', open: false },
  { middleware: `${origin}, ${session}`, call: "router.post(x)", open: false },
  {
    middleware: `formData(), ${session}, csrfProtection()`,
    call: "router.post(x)",
    open: false,
  },
  {
    middleware: `/* ${origin} */ ${session}`,
    call: "router.post(x)",
    open: true,
  },
];

for (const { middleware, call, open } of samples) {
  Deno.test(`a program with ${middleware} and ${call} is ${open ? "open" : "fine"}`, () => {
    const text =
      `const router = createRouter({ middleware: [${middleware}] });\n${call};`;
    assertEquals(takesForms(text) && unprotected(text).length > 0, open);
  });
}

Deno.test("a protected router does not hide another one in the same program", () => {
  const text = `
    const one = createRouter({ middleware: [${origin}, ${session}] });
    one.post("/x", f);
    const two = web.createRouter({ middleware: [${session}] });
    two.post("/x", f);`;
  assertEquals(unprotected(text), ["two"]);
});

async function programs(): Promise<Program[]> {
  const list: Program[] = [];
  const add = (file: string, markdown: string) => {
    for (const { language, text, line } of codeBlocks(markdown)) {
      if (language === "ts") list.push({ place: `${file}:${line}`, text });
    }
  };
  for (const { name, text } of await pages()) add(`docs/${name}`, text);
  for (const file of ["README.md", "SECURITY.md"]) {
    add(file, await Deno.readTextFile(new URL(file, ROOT)));
  }
  for await (const { name } of Deno.readDir(new URL("examples", ROOT))) {
    if (!name.endsWith(".ts")) continue;
    const url = new URL(`examples/${name}`, ROOT);
    list.push({
      place: `examples/${name}`,
      text: await Deno.readTextFile(url),
    });
  }
  return list;
}

/**
 * Returns `true` if a program has a session and a route for an unsafe method.
 */
function takesForms(program: string): boolean {
  const code = withoutComments(program);
  return /\bsession\(/.test(code) &&
    routersOf(code).some(({ name }) => hasUnsafeRoute(code, name));
}

/** Finds the routers of a program that accept forms from other sites. */
function unprotected(program: string): string[] {
  const code = withoutComments(program);
  return routersOf(code)
    .filter(({ name, options }) =>
      hasUnsafeRoute(code, name) &&
      !/\b(?:crossOriginProtection|csrfProtection)\(/.test(options)
    )
    .map(({ name }) => name);
}

/** Finds the routers of a program, with the source of their options. */
function routersOf(code: string): { name: string; options: string }[] {
  const created = /(\w+)(?:: \w+)? = (?:\w+\.)?createRouter\(/g;
  return [...code.matchAll(created)].map((match) => ({
    name: match[1],
    options: argumentsFrom(code, match.index + match[0].length),
  }));
}

/** Reads the source of a call's arguments, up to its closing parenthesis. */
function argumentsFrom(code: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < code.length; end++) {
    if (code[end] === "(") depth++;
    if (code[end] === ")") depth--;
  }
  return code.slice(start, end);
}

function hasUnsafeRoute(code: string, router: string): boolean {
  const call = String.raw`\b${router}\s*\.`;
  const methods = String.raw`(?:post|put|patch|delete|map|route|mount)\(`;
  return new RegExp(call + methods).test(code);
}

function withoutComments(code: string): string {
  return code.replace(/\/\*.*?\*\//gs, "").replace(/(^|\s)\/\/.*$/gm, "");
}
