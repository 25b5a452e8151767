import {
  ArrayMatcher,
  type Match,
  RoutePattern,
} from "@gatehouse/web/fetch-router";
import { Oracle } from "./_oracle.ts";
import { escapeClasses, isQuirky } from "./_quirks.ts";
import { Random } from "./_random.ts";
import {
  randomInit,
  randomPath,
  randomPattern,
  randomUrl,
} from "./_random_patterns.ts";

/** The result of a comparison. */
export interface Comparison {
  /** The number of compared pairs of a pattern and a URL. */
  readonly pairs: number;
  /** The number of pairs that matched. */
  readonly matches: number;
  /** The differences, each with the data to reproduce it. */
  readonly differences: readonly string[];
}

/** Compares the matches and params of single patterns with native ones. */
export function comparePatterns(seed: number, count: number): Comparison {
  const random = new Random(seed);
  const differences: string[] = [];
  let [pairs, matches] = [0, 0];
  while (pairs < count) {
    const whole = random.chance(0.2);
    const input = whole ? randomInit(random) : randomPattern(random);
    const ignoreCase = random.chance(0.15);
    const shown = JSON.stringify(input) +
      (ignoreCase ? " (ignoring case)" : "");
    if (isQuirky(pathOf(input))) continue;
    const pattern = create(input, ignoreCase);
    if ((pattern !== null) !== isValid(input, ignoreCase)) {
      differences.push(`seed ${seed}: ${shown} is valid in one engine only`);
      continue;
    }
    if (pattern === null) continue;
    const matcher = new ArrayMatcher<null>();
    matcher.add("GET", pattern, null);
    const oracle = new Oracle<null>();
    oracle.add("GET", pattern, null);
    for (let i = 0; i < 8; i++) {
      const url = randomUrl(random, randomPath(random, pathOf(input)));
      if (isSlow(pattern, url)) continue;
      const expected = stringifyParams(
        oracle.match("GET", url)?.params ?? null,
      );
      const actual = stringifyParams(matcher.match("GET", url)?.params ?? null);
      pairs++;
      if (expected !== "null") matches++;
      if (actual === expected) continue;
      differences.push(
        `seed ${seed}: ${shown} on ${
          JSON.stringify(url)
        } gives ${actual}, natively ${expected}`,
      );
    }
  }
  return { pairs, matches, differences };
}

/** Compares the matching routes and their params with the oracle's. */
export function compareTables(seed: number, count: number): Comparison {
  const random = new Random(seed);
  const differences: string[] = [];
  let [pairs, matches] = [0, 0];
  while (pairs < count) {
    const { matcher, oracle, patterns } = randomTable(random);
    for (let i = 0; i < 12; i++) {
      const source = random.pick(patterns).urlPattern.pathname;
      const url = randomUrl(random, randomPath(random, source));
      if (patterns.some((pattern) => isSlow(pattern, url))) continue;
      const method = random.pick(["GET", "GET", "HEAD", "POST", "PUT"]);
      const expected = oracle.match(method, url);
      const actual = matcher.match(method, url);
      const allowed = oracle.allowedMethods(url).join();
      pairs += patterns.length;
      if (expected !== null) matches++;
      if (
        stringifyMatch(actual) === stringifyMatch(expected) &&
        matcher.allowedMethods(url).join() === allowed
      ) continue;
      differences.push(
        `seed ${seed}: ${method} ${JSON.stringify(url)} in ${
          JSON.stringify(patterns.map(String))
        } gives ${stringifyMatch(actual)} (${matcher.allowedMethods(url)}), ` +
          `natively ${stringifyMatch(expected)} (${allowed})`,
      );
    }
  }
  return { pairs, matches, differences };
}

function randomTable(random: Random) {
  const matcher = new ArrayMatcher<string>();
  const oracle = new Oracle<string>();
  const patterns: RoutePattern[] = [];
  while (patterns.length < 3) {
    for (let i = 0; i < 6; i++) {
      // Short patterns, so that several match the same URL.
      const input = random.chance(0.1)
        ? randomInit(random)
        : randomPattern(random).split("/").slice(0, 3).join("/") || "/";
      const ignoreCase = random.chance(0.1);
      if (isQuirky(pathOf(input))) continue;
      const pattern = create(input, ignoreCase);
      if (pattern === null) continue;
      const method = random.pick(["GET", "GET", "GET", "HEAD", "POST", "ANY"]);
      const data = `${method} ${pattern} ${patterns.length}`;
      try {
        matcher.add(method, pattern, data);
      } catch (error) {
        if (error instanceof RangeError) continue;
        throw error;
      }
      oracle.add(method, pattern, data);
      patterns.push(pattern);
      // The matcher must also find routes that are added after a match.
      const { pathname } = random.pick(patterns).urlPattern;
      matcher.match("GET", randomUrl(random, randomPath(random, pathname)));
    }
  }
  return { matcher, oracle, patterns };
}

function create(
  input: string | URLPatternInit,
  ignoreCase: boolean,
): RoutePattern | null {
  try {
    return new RoutePattern(input, { ignoreCase });
  } catch {
    return null;
  }
}

function isValid(input: string | URLPatternInit, ignoreCase: boolean): boolean {
  try {
    const init = typeof input === "string" ? {} : input;
    const pathname = escapeClasses(pathOf(input));
    new URLPattern({ ...init, pathname }, { ignoreCase });
    return true;
  } catch {
    return false;
  }
}

function pathOf(input: string | URLPatternInit): string {
  return typeof input === "string" ? input : input.pathname!;
}

/** Returns `true` if the native engine could backtrack for minutes. */
function isSlow({ urlPattern }: RoutePattern, url: string): boolean {
  const pattern = urlPattern.pathname;
  const { length } = URL.parse(url)?.pathname ?? "";
  // Repeats in a segment take exponential time.
  if (/[^/]:[\w$]+[*+]|[)}*][*+]/u.test(pattern)) return length > 20;
  const groups = pattern.match(/:[\w$]|\*|\(/g)?.length ?? 0;
  return length > [200, 200, 100, 50, 40][groups]! ||
    (groups > 4 && length > 25);
}

function stringifyMatch(match: Match<string> | null): string {
  return match === null
    ? "null"
    : `${match.data} ${stringifyParams(match.params)}`;
}

function stringifyParams(params: Record<string, string> | null): string {
  return params === null
    ? "null"
    : JSON.stringify(Object.entries(params).sort(([a], [b]) => a < b ? -1 : 1));
}
