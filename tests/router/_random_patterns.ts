import type { Random } from "./_random.ts";

const WORDS = ["a", "b", "ab", "A", "x-y", "x.y", "users", "1", "20"];
const ODD_WORDS = [
  "é",
  "日本",
  "%41",
  "%c3%a9",
  "%C3%A9",
  "%2F",
  "%2e",
  ".",
  "..",
  ".a",
  "-",
  "_",
  "@",
  "~",
  "!",
  "$",
  "'",
  "|",
  "[",
  " ",
  "%",
  '"',
  "\\.",
  "\\:x",
  "\\*",
  "\\?",
  "\\#",
  "\\\\",
  "\\{",
  "<",
];
const NAMES = [":a", ":b", ":c", ":d", ":id", ":$e", ":_f"];
const REGEXPS = [
  "(\\d+)",
  "([a-z]+)",
  "(a|b|ab)",
  "([^-]*)",
  "(\\w{1,2})",
  "((?:x|y)+?)",
  "([A-Z]\\d*)",
  "([a-zA-Z0-9_]+)",
  "(.+)",
  "(.*)",
  "(.*?)",
  "(\\S*)",
];
/** Regexps that are harder to parse, or slow in some engines. */
const HARD_REGEXPS = [
  "(\\bab)",
  "([^/]+?)",
  "([a-z-]+)",
  "([\\w-]+\\b)",
  "((?:a|ab)*b?)",
  "((?:[a-z]+-?)+)",
  "((?:a{1,2}|b){2}?)",
  "([^\\d]+?)",
  "(x|\\p{L}*)",
  "([\\/a]*)",
];

/** Creates a random path pattern. It may be invalid because of a repeated name. */
export function randomPattern(random: Random): string {
  const names = new Set(NAMES);
  const segments = random.array(0, 4, () => randomSegment(random, names));
  const path = segments.join("") || "/";
  return random.chance(0.1) ? `${path}/` : path;
}

function randomSegment(random: Random, names: Set<string>): string {
  const slash = random.chance(0.05) ? "//" : "/";
  const kind = random.next();
  if (kind < 0.35) return slash + word(random);
  if (kind < 0.6) return slash + group(random, names, slash === "/");
  if (kind < 0.68) return `${slash}*`;
  if (kind < 0.8) {
    const content = random.chance(0.5) ? word(random) : group(random, names);
    return `{${slash}${content}}${random.pick(["?", "?", "*", "+", ""])}`;
  }
  return slash + random.array(2, 4, () => piece(random, names)).join("");
}

function piece(random: Random, names: Set<string>): string {
  const kind = random.next();
  if (kind < 0.4) return word(random);
  if (kind < 0.75) return group(random, names);
  if (kind < 0.8) return `${word(random)}*`;
  const inner = random.array(0, 1, () => word(random)).join("") +
    (random.chance(0.6) ? group(random, names) : "") +
    random.array(0, 1, () => word(random)).join("");
  // Nested repeats take URLPattern exponential time.
  const repeatable = !/^(?::[$\w]|[(*])/.test(inner);
  return `{${inner}}${repeatable ? modifier(random) : random.pick(["?", ""])}`;
}

/** Creates a group. Some modifiers are only valid in a segment with one group. */
function group(
  random: Random,
  names: Set<string>,
  segment = false,
): string {
  const name = random.pick([...names]) ?? "";
  names.delete(name);
  const kind = random.next();
  const regexp = kind < 0.15
    ? random.pick(REGEXPS)
    : kind < 0.2
    ? random.pick(HARD_REGEXPS)
    : "";
  const named = regexp !== "" && random.chance(0.3) ? "" : name;
  const sign = random.chance(0.2) ? modifier(random) : "";
  const repeatable = sign === "?" || (segment && regexp === "");
  return (named + regexp || "*") + (repeatable ? sign : "");
}

function modifier(random: Random): string {
  return random.pick(["?", "?", "*", "+", ""]);
}

function word(random: Random): string {
  return random.pick(random.chance(0.85) ? WORDS : ODD_WORDS);
}

const VALUES = [
  "a",
  "b",
  "A",
  "ab",
  "7",
  "x-y",
  "x.y",
  "é",
  "%C3%A9",
  "%2F",
  "%zz",
  "%ff",
  "a%20b",
  "-",
  ".",
  "..",
  "%2e",
  "%2E%2e",
  ".a",
  "@",
  "xyx",
  "users",
  "",
  "日本",
  "A1",
  "a+b",
];

/** Creates a random pattern with other URL components. */
export function randomInit(random: Random): URLPatternInit {
  const init: URLPatternInit = { pathname: randomPattern(random) };
  for (const [name, patterns] of Object.entries(OTHER_COMPONENTS)) {
    if (random.chance(0.3)) {
      init[name as keyof typeof OTHER_COMPONENTS] = random.pick(patterns);
    }
  }
  return init;
}

const OTHER_COMPONENTS = {
  protocol: ["https", "http{s}?", ":s", "(https?)", "http:x?"],
  hostname: [
    "example.com",
    ":t.example.com",
    ":t.:u.com",
    "*.example.com",
    "{:t.}?example.com",
    "EXAMPLE.com",
    "(a|b).:u.com",
    "[\\:\\:1]",
    "127.0.0.1",
    ":t",
  ],
  port: ["", "8000", ":p", "(80\\d*)", "{8080}?"],
  search: ["", "q=:q", "*", ":k=*", "{q=1/2}?", "a[]=:v", "(q=.*)"],
  hash: ["", "top", ":h", "*"],
};

/** Creates a random path that a pattern matches, or almost matches. */
export function randomPath(random: Random, pattern: string): string {
  if (random.chance(0.1)) {
    return random.array(0, 4, () => `/${random.pick(VALUES)}`).join("") || "/";
  }
  let path = pattern;
  // From the inside out: regexp groups, names, wildcards, then braces.
  path = path.replace(/:[\w$]+(?=[({]?)/g, (name) => name + " ")
    .replace(
      /(?::[\w$]+ )?\((?:[^()\\]|\\.|\([^()]*\))*\)/g,
      () => value(random),
    )
    .replace(/:[\w$]+ /g, () => value(random))
    .replace(/(^|[^\\}\]])\*/g, (_, before) => before + rest(random));
  for (let i = 0; i < 3; i++) {
    path = path.replace(/\{([^{}]*)\}([?*+]?)/g, (_, text, sign) => {
      const least = sign === "" || sign === "+" ? 1 : 0;
      const most = sign === "" || sign === "?" ? 1 : 3;
      return text.repeat(least + random.below(most - least + 1));
    });
  }
  path = path.replace(/[?+]/g, "").replace(/\\(.)/g, "$1");
  return random.chance(0.3) ? mutate(random, path) : path;
}

function value(random: Random): string {
  return random.pick(random.chance(0.7) ? VALUES.slice(0, 7) : VALUES);
}

function rest(random: Random): string {
  return random.array(0, 3, () => value(random)).join("/");
}

function mutate(random: Random, path: string): string {
  const at = random.below(path.length + 1);
  const [start, end] = [path.slice(0, at), path.slice(at)];
  switch (random.below(9)) {
    case 0:
      return `${start}/${end}`;
    case 1:
      return `${start}/../${end}`;
    case 2:
      return `${start}/.${end}`;
    case 3:
      return `${start}%2e${end}`;
    case 4:
      return `${start}\\${end}`;
    case 5:
      return start + end.toUpperCase();
    case 6:
      return start + end.slice(1);
    case 7:
      return start + random.pick(["\t", "é", "|", "^", " ", "%", "\n"]) + end;
    default:
      return `${start}/`;
  }
}

/** Creates an absolute URL of a path, with a random origin, query and hash. */
export function randomUrl(random: Random, path: string): string {
  const origin = random.pick(ORIGINS);
  const query = random.pick(["", "", "", "?", "?q=1/2", "?a[]=é", "?x=%zz#y"]);
  return origin + path + query + (random.chance(0.05) ? "#top" : "");
}

const ORIGINS = [
  "https://example.com",
  "https://example.com",
  "http://localhost:8000",
  "https://a.example.com",
  "http://127.0.0.1",
  "HTTPS://Example.COM:443",
  "http://example.com:80",
  "http://ex%61mple.com",
  "http:\\\\example.com",
  "http://user:pass@example.com",
  "http://[::1]:8080",
  "http://exa mple.com",
  "ws://example.com",
  "",
];
