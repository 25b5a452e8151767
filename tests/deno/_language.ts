/**
 * Finds sentences that do not follow the project's language rules. Run it on
 * files or folders to see their findings:
 *
 *     deno run -A tests/deno/_language.ts session docs/sessions.md
 *
 * @module
 */
import ts from "npm:typescript@6.0.3";
import { hasMainVerb } from "./_main_verb.ts";
import { codeBlocks } from "./_markdown.ts";

/** A sentence that breaks a rule. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly sentence: string;
}

/** One comment, string or paragraph. */
export interface Prose {
  readonly file: string;
  readonly line: number;
  readonly kind:
    | "function"
    | "summary"
    | "tag"
    | "comment"
    | "string"
    | "page";
  /** The words, with code spans replaced by `code`. */
  readonly words: string;
}

/** The first words of a relative clause. */
const RELATIVE = /^(?:What|Whether|Where|Who|Whoever|Whose|Which)\b/;

/** A summary may not begin with these either. */
const RELATIVE_SUMMARY =
  /^(?:What|Whether|Where|Who|Whoever|Whose|Which|How|When)\b/;

/** Words that end in "s" without being verbs. */
const NO_VERBS = new Set(
  "This Options Its Always Less Sometimes Perhaps Types Headers Names Values Characters Milliseconds Seconds Bytes Keys Tests Parts Fields Rows Errors Requests Responses Cookies Sessions Rules"
    .split(" "),
);

/** The words that a plain reader stumbles over, and the better ones. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\bnobody\b/i, "no user, no one, or name the subject"],
  [/\bsomebody\b/i, "a user, a client, an attacker"],
  [/\bwhoever\b/i, "a user who, anyone who"],
  [/\b(?:is|are) none\b/i, "does not exist, is missing"],
  [
    /(?<!\bthere )\b(?:is|are|was|were) no (?!longer|more than|different)/i,
    "is not a",
  ],
  [/\bwhat is\b(?![^.]*\?)/i, "name the thing"],
  [/\bof (?:its|their|one's) own\b/i, "own, separate, itself"],
  [/\balone\b/i, "only"],
  [/\bat hand\b/i, "available"],
  [/\bmend(?:s|ed|ing)?\b/i, "fix"],
  [/\b(?:is|are|was|be) away\b/i, "is unavailable"],
  [/\bbeside\b/i, "next to, in addition to"],
  [/\bbesides\b/i, "in addition, also"],
  [/\bturn(?:s|ed|ing)? \w* ?away\b/i, "reject"],
  [/\bhand(?:s|ed|ing)? on\b/i, "pass"],
  [/\bstands? for itself\b/i, "is independent"],
  [/\belsewhere than\b/i, "outside"],
  [/\b(?:tells?|told) nobody\b/i, "does not reveal"],
  [/\bis answered (?:with )?\d{3}\b/i, "gets a 4xx, responds with"],
  [/\be-mails?\b/i, "email"],
  [/\bsign(?:s|ed)? in\b/i, "log in"],
  [/\bgoes on\b/i, "continues"],
  [/\bhears? of\b/i, "gets an email about"],
  [/\balso if\b/i, "even if"],
];

/**
 * Sentences that use a listed word in its plain sense. The key is a part of the
 * sentence, the value the reason.
 */
const ALLOWED: ReadonlyMap<string, string> = new Map([
  ["let alone", "an idiom"],
]);

/** Reads the prose of one source file or page. */
export function proseOf(file: string, source: string): Prose[] {
  return file.endsWith(".md") ? ofPage(file, source) : ofSource(file, source);
}

/** Finds the sentences of a piece of prose that break a rule. */
export function findingsOf(prose: Prose): Finding[] {
  const { file, line, kind, words } = prose;
  const findings: Finding[] = [];
  const add = (rule: string, sentence: string) => {
    if ([...ALLOWED.keys()].some((part) => sentence.includes(part))) return;
    findings.push({ file, line, rule, sentence });
  };
  const sentences = sentencesOf(words);
  const [summary = ""] = sentences;
  const isDoc = kind === "function" || kind === "summary";
  if (isDoc && RELATIVE_SUMMARY.test(summary)) {
    add("a summary names the thing or says what it does", summary);
  }
  const [first] = summary.split(/[\s,:]/);
  if (
    kind === "function" &&
    (!/^[A-Z][a-z-]+s;?$/.test(first) || NO_VERBS.has(first))
  ) {
    add("a function summary starts with a third-person verb", summary);
  }
  for (const sentence of sentences) {
    if (
      kind !== "string" && RELATIVE.test(sentence) && !sentence.endsWith("?") &&
      !(isDoc && sentence === summary)
    ) {
      add("a sentence does not start with a relative clause", sentence);
    }
    for (const [pattern, better] of BANNED) {
      const [found] = pattern.exec(sentence) ?? [];
      if (found !== undefined) add(`not "${found}": ${better}`, sentence);
    }
  }
  return findings;
}

/** Words that are German under their English, and the English ones. */
const FOREIGN: readonly (readonly [RegExp, string])[] = [
  [/\balso (?:when|while)\b/i, "even while"],
  [/\bwas faster\b/i, "won the race"],
  [/\bset-ups?\b/i, "setup, or the verb set up"],
  [/\b(?:go|going) on\b/i, "continue"],
  [/\bthe present (?:one|value|version)\b/i, "the current one"],
  [/\b(?:has|have) at most what\b/i, "never has more … than"],
  [/\bopens? nothing (?:of|in)\b/i, "gives no access to"],
  [/\bas of an?\b/i, "for example of a"],
  [/\b(?:an)?other [\w-]+ than\b/i, "other than, different from"],
  [
    /\bof (?:(?!and |or |that |which )[\w'`-]+ ){1,3}of (?:(?!and |or |that |which )[\w'`-]+ ){1,3}of\b/i,
    "at most two in a row",
  ],
];

/** A sentence that begins so has no subject. */
const TELEGRAM =
  /^(?:Also|Likewise|Such as|Those(?! who| that| which)|Not(?! all| every| only))\b/;

/**
 * Sentences without a verb that are right: a value or a limit after the name of
 * a property, the step of a specification that the code below takes, a label
 * with its code or its list, and the words that the linter looks for.
 */
const VERBLESS =
  /^(?:\d|`code`|At (?:most|least) |Epoch milliseconds|Steps? \d|Section \d|@|falls through$)|:(?: \d+\.| `code`\.?)?$/;

/** Finds the words in a piece of prose that a native speaker would not write. */
export function foreignWordsOf({ file, line, kind, words }: Prose): Finding[] {
  if (kind === "string") return [];
  return sentencesOf(words).flatMap((sentence) =>
    FOREIGN.flatMap(([pattern, better]) => {
      const [found] = pattern.exec(sentence) ?? [];
      if (found === undefined) return [];
      return [{ file, line, rule: `not "${found}": ${better}`, sentence }];
    })
  );
}

/**
 * Finds the sentences of a comment that are telegrams. The first sentence of a
 * doc comment may be a noun, because it names what follows.
 */
export function telegramsOf({ file, line, kind, words }: Prose): Finding[] {
  if (kind === "string" || kind === "page") return [];
  const findings: Finding[] = [];
  const add = (rule: string, sentence: string) =>
    findings.push({ file, line, rule, sentence });
  for (const [index, sentence] of wholeSentencesOf(words).entries()) {
    if (TELEGRAM.test(sentence)) {
      add("a sentence has a subject", sentence);
    } else if (sentence.startsWith("So ")) {
      add('not "So" at the beginning: therefore, or one sentence', sentence);
    } else if (
      index === 0 && kind === "comment" &&
      /^(?:Otherwise|Without)\b/.test(sentence)
    ) {
      add("a comment begins with its subject", sentence);
    } else if (
      (index > 0 || kind === "comment") && !VERBLESS.test(sentence) &&
      !(kind === "tag" && sentence.startsWith("If ")) && !hasMainVerb(sentence)
    ) add("a sentence has a verb in its main clause", sentence);
  }
  return findings;
}

/** Splits prose into sentences, which do not end at a colon. */
function wholeSentencesOf(words: string): string[] {
  return sentencesOf(words).reduce<string[]>((all, sentence) => {
    if (all.at(-1)?.endsWith(":")) all.push(`${all.pop()} ${sentence}`);
    else all.push(sentence);
    return all;
  }, []);
}

/** Splits prose into sentences. */
export function sentencesOf(words: string): string[] {
  return words
    .replace(
      /\b(?:e\.g|i\.e|etc|vs|cf)\./g,
      (short) => short.replaceAll(".", ""),
    )
    .split(/(?<=[.!?:])\s+(?=["“(`A-Z0-9])|\n{2,}/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\w/.test(sentence));
}

function ofSource(file: string, text: string): Prose[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const pieces: { readonly at: number; readonly prose: readonly Prose[] }[] =
    [];
  const lineAt = (position: number) =>
    source.getLineAndCharacterOfPosition(position).line + 1;
  /** The parts of the text in which a comment cannot begin, in their order. */
  const literals: { readonly start: number; readonly end: number }[] = [];
  /** The places of comments that document a function. */
  const ofFunctions = new Set<number>();

  function visit(node: ts.Node): void {
    if (
      ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) ||
      ts.isMethodSignature(node)
    ) {
      ts.getLeadingCommentRanges(text, node.pos)
        ?.forEach(({ pos }) => ofFunctions.add(pos));
    }
    if (isText(node) || ts.isRegularExpressionLiteral(node)) {
      const start = node.getStart(source);
      literals.push({ start, end: node.end });
      if (isText(node) && isProse(node.text)) {
        const line = lineAt(start);
        const prose = { file, line, kind: "string", words: node.text } as const;
        pieces.push({ at: start, prose: [prose] });
      }
    }
    ts.forEachChild(node, visit);
  }
  visit(source);
  for (const { start, end } of commentsOf(text, literals)) {
    const prose = ofComment(text.slice(start, end), {
      file,
      line: lineAt(start),
      isOfFunction: ofFunctions.has(start),
    });
    pieces.push({ at: start, prose });
  }
  const found = pieces.sort((a, b) => a.at - b.at)
    .flatMap(({ prose }) => prose);
  // Line comments that follow one another are one paragraph.
  return found.reduce<Prose[]>((all, prose) => {
    const last = all.at(-1);
    if (
      last?.kind === "comment" && prose.kind === "comment" &&
      prose.line === last.line + last.words.split("\n").length
    ) {
      all[all.length - 1] = { ...last, words: `${last.words}\n${prose.words}` };
    } else all.push(prose);
    return all;
  }, []).map((prose) => ({
    ...prose,
    words: prose.words.replace(/(?<!\n)\n(?!\n)/g, " "),
  }));
}

function isText(
  node: ts.Node,
): node is
  | ts.StringLiteral
  | ts.NoSubstitutionTemplateLiteral
  | ts.TemplateHead {
  return ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) ||
    ts.isTemplateHead(node) || ts.isTemplateMiddle(node) ||
    ts.isTemplateTail(node);
}

/** Returns `true` for a string of several words that is neither markup nor SQL. */
function isProse(text: string): boolean {
  return text.split(" ").length > 3 &&
    !/[<{]\/?\w|^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE)\b/.test(text);
}

/** Finds the comments of a source, which are outside of its literals. */
function* commentsOf(
  text: string,
  literals: readonly { readonly start: number; readonly end: number }[],
): Generator<{ readonly start: number; readonly end: number }> {
  const comment = /\/\/[^\n]*|\/\*[^]*?\*\//g;
  let next = 0;
  for (let match; (match = comment.exec(text)) !== null;) {
    const { index: start, 0: { length } } = match;
    while (next < literals.length && literals[next]!.end <= start) next++;
    const literal = literals[next];
    if (literal !== undefined && literal.start <= start) {
      comment.lastIndex = literal.end;
      continue;
    }
    yield { start, end: start + length };
  }
}

/** Returns the prose of a comment: the text, and that of each tag. */
function ofComment(
  raw: string,
  { file, line, isOfFunction }: {
    readonly file: string;
    readonly line: number;
    readonly isOfFunction: boolean;
  },
): Prose[] {
  if (!raw.startsWith("/**")) {
    const words = raw.startsWith("//")
      ? raw.replace(/^\/\/+\s?/, "")
      : raw.slice(2, -2);
    return /^\s*(?:deno-|@ts-|@ts)/.test(words)
      ? []
      : [{ file, line, kind: "comment", words: plain(words) }];
  }
  const found: Prose[] = [];
  const body = raw.slice(3, -2).replace(/^\s*\* ?/gm, "");
  const [main = "", ...tags] = body.split(/^(?=@\w+)/m);
  const summary = main.trim().startsWith("@") ? "" : plain(main);
  if (summary !== "") {
    const kind = isOfFunction ? "function" : "summary";
    found.push({ file, line, kind, words: summary });
  }
  for (const tag of main.trim().startsWith("@") ? [main, ...tags] : tags) {
    const [, name, rest = ""] = /^@(\w+)\s*([\s\S]*)$/.exec(tag) ?? [];
    if (
      name === undefined ||
      ["example", "see", "default", "module", "link"].includes(name)
    ) continue;
    const words = plain(
      rest.replace(/^\{[^}]*\}\s*/, "").replace(
        name === "param" ? /^\S+\s*/ : /^/,
        "",
      ),
    );
    if (words !== "") found.push({ file, line, kind: "tag", words });
  }
  return found;
}

function ofPage(file: string, source: string): Prose[] {
  let text = source.replace(
    /<!--[\s\S]*?-->/g,
    (all) => all.replace(/[^\n]/g, " "),
  );
  const prose: Prose[] = [];
  for (const { language, text: code, line } of codeBlocks(source)) {
    text = text.replace(code, () => code.replace(/[^\n]/g, " "));
    if (language !== "ts") continue;
    for (const piece of ofSource(file, code)) {
      prose.push({ ...piece, line: piece.line + line - 1 });
    }
  }
  let line = 1;
  for (const block of text.split(/(\n(?:\s*\n|(?=\s*(?:[-*|#]|\d+\.)\s)))/)) {
    const words = plain(block.replace(/^\s*(?:#+|[-*]|\d+\.|>)\s+/, ""));
    if (
      words !== "" && !block.trim().startsWith("```") &&
      !/^[|<]/.test(block.trim())
    ) {
      prose.push({
        file,
        line: line + (/^\n*/.exec(block)?.[0].length ?? 0),
        kind: "page",
        words: words.replace(/\s*\n\s*/g, " "),
      });
    } else if (block.trim().startsWith("|")) {
      for (const cell of block.split("|").map(plain)) {
        if (cell.includes(" ")) {
          prose.push({ file, line, kind: "string", words: cell });
        }
      }
    }
    line += block.split("\n").length - 1;
  }
  return prose;
}

/** Replaces code and links, which follow other rules, with plain words. */
function plain(text: string): string {
  return text
    .replace(/```[\s\S]*?```/g, "")
    .replace(
      /\{@link\w*\s+([^}|]+)(?:\|([^}]*))?\}/g,
      (_, target, label) => label ?? target,
    )
    .replace(/`[^`]*`/g, "`code`")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_]{1,2}([^*_]+)[*_]{1,2}/g, "$1")
    .trim();
}

/** Reads every source file and page below the given paths. */
export async function readProse(
  root: URL,
  paths: readonly string[],
): Promise<Prose[]> {
  const all: Prose[] = [];
  for (const path of paths) {
    for await (const file of filesBelow(root, path)) {
      all.push(...proseOf(file, await Deno.readTextFile(new URL(file, root))));
    }
  }
  return all;
}

async function* filesBelow(root: URL, path: string): AsyncGenerator<string> {
  if (/\.(?:ts|md)$/.test(path)) return yield path;
  for await (
    const { name, isDirectory } of Deno.readDir(new URL(`${path}/`, root))
  ) {
    if (isDirectory) yield* filesBelow(root, `${path}/${name}`);
    else if (/\.(?:ts|md)$/.test(name)) yield `${path}/${name}`;
  }
}

/** The number of times a word may occur in 1,000 words. */
export interface Density {
  readonly word: RegExp;
  readonly most: number;
  readonly better: string;
}

/** Words that are fine now and then. The Deno standard library has 0.2 to 1.6. */
export const DENSITIES: readonly Density[] = [
  { word: /\bwhat\b/gi, most: 3, better: "name the thing" },
  // Not the WHERE and the TEXT of statements.
  { word: /\b[Ww]here\b/g, most: 1.5, better: "if, when or unless" },
  { word: /\blists?\b/gi, most: 1.5, better: "array" },
  { word: /\b[Tt]exts?\b/g, most: 2.5, better: "string" },
];

/** Counts a word. */
export function countOf(prose: readonly Prose[], word: RegExp): number {
  return prose.reduce(
    (sum, { words }) => sum + (words.match(word)?.length ?? 0),
    0,
  );
}

/** Counts a word, per 1,000 words of prose. */
export function densityOf(prose: readonly Prose[], word: RegExp): number {
  const all = prose.flatMap(({ words }) => words.split(/\s+/)).length;
  return 1000 * countOf(prose, word) / all;
}

/** Returns the share of sentences with more than 25 words, from 0 to 1. */
export function shareOfLongSentences(prose: readonly Prose[]): number {
  const lengths = prose.filter(({ kind }) => kind !== "string")
    .flatMap(({ words }) => sentencesOf(words))
    .map((sentence) => sentence.split(/\s+/).length);
  return lengths.filter((length) => length > 25).length / lengths.length;
}

if (import.meta.main) {
  const root = new URL("../../", import.meta.url);
  const paths = Deno.args.map((path) => path.replace(/\/$/, ""));
  const prose = await readProse(root, paths);
  const findings = prose.flatMap((piece) => [
    ...findingsOf(piece),
    ...foreignWordsOf(piece),
    ...telegramsOf(piece),
  ]);
  for (const { file, line, rule, sentence } of findings) {
    const short = sentence.replace(/\s+/g, " ").slice(0, 160);
    console.log(`${file}:${line}\n  ${rule}\n  ${short}`);
  }
  console.log(`${findings.length} findings in ${prose.length} pieces of prose`);
  for (const { word, most, better } of DENSITIES) {
    const density = densityOf(prose, word).toFixed(1);
    console.log(
      `${word.source}: ${density} per 1,000 words, at most ${most} (${better})`,
    );
  }
  const share = 100 * shareOfLongSentences(prose);
  console.log(`${share.toFixed(1)} % of the sentences have more than 25 words`);
}
