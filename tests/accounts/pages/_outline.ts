/** The visible parts of a page, line by line, for tests that compare whole pages. */
import { assertEquals } from "@std/assert";
import type { Browser } from "../_accounts.ts";

/** The elements that begin a line. The text of the others continues it. */
const BLOCKS =
  /^(?:div|section|main|ul|li|p|h1|h2|form|fieldset|legend|label|noscript|svg|button|select|textarea)$/;

/** The elements without an end tag. */
const EMPTY = /^(?:input|path)$/;

/** The attributes of inputs that a line shows elsewhere, or not at all. */
const OTHERS = /^(?:id|name|type|value|autocomplete|spellcheck)$/;

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** Longer texts end with an ellipsis, which keeps the expected lines short. */
const MAX_TEXT = 60;

const TOKEN = /<(\/?)([a-z][a-z0-9]*)([^>]*)>|[^<]+/g;

/** A choice of a select whose text is its value. */
const SAME = /([^\s[=]+)=\1(?=[\s\]]|$)/g;

type Attributes = Readonly<Record<string, string>>;

/** An element that has begun. */
interface Open {
  readonly tag: string;
  readonly attributes: Attributes;
  /** The number of lines before it. */
  readonly start: number;
}

/**
 * Compares the outline of a page with the expected one. The first line is the status
 * and the title. Each other line is a heading, a text, a form, an input with its name
 * and value, a `[button]`, or a link with `→`. A field and a row are one line with
 * their label. The names that only screen readers read are in parentheses.
 *
 * The frame and the navigation are omitted. A list or a paragraph without content is
 * "empty". Long random strings, such as secrets, are an ellipsis.
 *
 * @param ids The names of other values that differ between runs.
 */
export async function assertOutline(
  response: Response,
  expected: string,
  ids: Readonly<Record<string, string>> = {},
): Promise<void> {
  assertLines(await outlineOf(response, ids), expected);
}

/** Compares the lines that a page has more, and less, than another page. */
export async function assertChanges(
  before: Response,
  after: Response,
  expected: string,
  ids: Readonly<Record<string, string>> = {},
): Promise<void> {
  const old = await outlineOf(before, ids);
  const current = await outlineOf(after, ids);
  assertLines([
    ...linesWithout(old, current).map((line) => `- ${line}`),
    ...linesWithout(current, old).map((line) => `+ ${line}`),
  ], expected);
}

/** Returns lines without those of another page, each as often as it is there. */
function linesWithout(lines: readonly string[], others: readonly string[]) {
  const left = [...others];
  return lines.filter((line) => {
    const index = left.indexOf(line);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

function assertLines(lines: readonly string[], expected: string): void {
  const wanted = expected.trim().split("\n").map((line) => line.trim());
  assertEquals(lines.join("\n"), wanted.join("\n"));
}

/** Opens pages one after the other, and compares each outline. */
export async function assertPages(
  browser: Browser,
  pages: Readonly<Record<string, string>>,
  ids: Readonly<Record<string, string>> = {},
): Promise<void> {
  for (const [path, expected] of Object.entries(pages)) {
    // In one pass, because a random id may contain the name of another.
    const real = path.replaceAll(/[A-Z]+/g, (name) => ids[name] ?? name);
    await assertOutline(await browser.get(real), expected, ids);
  }
}

async function outlineOf(
  response: Response,
  ids: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const page = await response.text();
  const [, title = ""] = /<title>([^]*?)<\/title>/.exec(page) ?? [];
  const script = page.includes("<script") ? " (with the script)" : "";
  const first = `${response.status} ${decode(title)}${script}`.trim();
  return [first, ...linesOf(page)].map((line) =>
    Object.entries(ids)
      .reduce((line, [name, id]) => line.replaceAll(id, name), line)
      .replaceAll(/[\w.-]{32,}/g, "…")
  );
}

function linesOf(page: string): string[] {
  const [, main = page] = /<main[^>]*>([^]*)<\/main>/.exec(page) ?? [];
  const content = main.replace(/<nav[^]*?<\/nav>/, "");
  const lines: string[] = [];
  const open: Open[] = [];
  let line = "";
  const finish = () => {
    if (line.trim() !== "") lines.push(line.replaceAll(/\s+/g, " ").trim());
    line = "";
  };
  for (const [token, slash, tag, source = ""] of content.matchAll(TOKEN)) {
    if (tag === undefined) {
      line += textOf(token);
      continue;
    }
    if (slash === "/") {
      const { attributes, start } = open.pop()!;
      line += endOf(tag, attributes);
      if (tag === "select") line = line.replaceAll(SAME, "$1");
      if (BLOCKS.test(tag) || tag === "a") finish();
      if (/^(?:ul|p)$/.test(tag) && lines.length === start) {
        lines.push(`empty ${tag}`);
      }
      if (isJoined(tag, attributes)) {
        lines.push(lines.splice(start).join(" | "));
      }
      continue;
    }
    if (BLOCKS.test(tag) || EMPTY.test(tag)) finish();
    const attributes = attributesOf(source);
    line += startOf(tag, attributes) + dataOf(attributes);
    if (EMPTY.test(tag)) finish();
    else open.push({ tag, attributes, start: lines.length });
  }
  finish();
  return lines;
}

/** Returns `true` for an element whose lines become one. */
function isJoined(tag: string, attributes: Attributes): boolean {
  return tag === "li" || ["field", "choice"].includes(attributes.class!);
}

function startOf(tag: string, attributes: Attributes): string {
  const { "aria-label": label, action, method, name, role } = attributes;
  if (tag === "h1") return "# ";
  if (tag === "h2") return "## ";
  if (tag === "svg") return `image: ${label}`;
  if (tag === "form") {
    const hidden = "hidden" in attributes ? " hidden" : "";
    return `${method!.toUpperCase()} ${action}${hidden}`;
  }
  if (tag === "input") return inputOf(attributes);
  if (tag === "select") {
    return [`${name}: select`, ...flagsOf(attributes)].join(" ");
  }
  if (tag === "textarea") return `${name ?? "no name"}: textarea `;
  if (tag === "option") return "selected" in attributes ? " [" : " ";
  if (tag === "button") return "[";
  return role === undefined ? "" : `${role}: `;
}

function endOf(tag: string, attributes: Attributes): string {
  const { "aria-label": label, href, selected, value } = attributes;
  const name = label === undefined ? "" : ` (${label})`;
  if (tag === "a") return `${name} → ${href}`;
  if (tag === "button") return `]${name}`;
  if (tag === "option") return `=${value}${selected === undefined ? "" : "]"}`;
  return "";
}

function inputOf(attributes: Attributes): string {
  const { name, type, value } = attributes;
  const shown = value === undefined ? "" : ` "${value}"`;
  return [`${name}: ${type}${shown}`, ...flagsOf(attributes)].join(" ");
}

function flagsOf(attributes: Attributes): string[] {
  return Object.entries(attributes)
    .filter(([name]) => !OTHERS.test(name))
    .map((pair) => pair.filter(Boolean).join("="));
}

function dataOf(attributes: Attributes): string {
  return Object.entries(attributes)
    .filter(([name]) => name.startsWith("data-"))
    .map((pair) => ` ${pair.filter(Boolean).join("=")} `)
    .join("");
}

function attributesOf(source: string): Attributes {
  const found = source.matchAll(/([a-z-]+)(?:="([^"]*)")?/g);
  return Object.fromEntries(
    Array.from(found, ([, name, value = ""]) => [name, decode(value)]),
  );
}

function textOf(token: string): string {
  const text = decode(token);
  if (text.trim().length <= MAX_TEXT) return text;
  return `${text.trim().slice(0, MAX_TEXT).replace(/\s+\S*$/, "")}…`;
}

function decode(text: string): string {
  return text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (one) => ENTITIES[one]!);
}
