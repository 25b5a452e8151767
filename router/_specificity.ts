import type { Component } from "./_components.ts";
import type { Part } from "./_parse.ts";
import { isOptional, isRepeated } from "./_segments.ts";

// What the groups of a segment are; where there are several, the last of these.
const STATIC = 0;
const MIXED = 1;
const REGEXP = 2;
const SEGMENT = 3;
const REPEATED = 4;
const WILDCARD = 5;

/** More fixed text than this in a segment does not count. */
const MAX_TEXT = 511;

/**
 * A key by which patterns sort from the most to the least specific: the path
 * segment by segment from the left, one character each, then the hostname, then
 * all else that a pattern asks of a URL. Patterns with the same key sort by
 * registration.
 */
export function specificity(components: readonly Component[]): string {
  let [path, host, others] = ["", 9, 9];
  for (const { name, parts } of components) {
    if (name === "pathname") path = pathKey(parts);
    else if (name === "hostname") host = hostRank(parts);
    else others--;
  }
  return path + String.fromCharCode(host, others);
}

function pathKey(parts: readonly Part[]): string {
  let key = "";
  let [text, group, optional] = [0, STATIC, 0];
  let begun = false;
  const addSegment = () => {
    const mixed = text > 0 && (group === REGEXP || group === SEGMENT);
    const literal = group === STATIC ? 0 : MAX_TEXT - Math.min(text, MAX_TEXT);
    key += String.fromCharCode(
      ((mixed ? MIXED : group) << 11 | literal << 2 |
        (mixed && group === SEGMENT ? 2 : 0) | optional) + 1,
    );
  };
  for (const part of parts) {
    const absent = isOptional(part) ? 1 : 0;
    const add = (added: string) => {
      for (let i = 0; i < added.length; i++) {
        if (added[i] === "/") {
          if (begun) addSegment();
          text = group = 0;
          optional = absent;
        } else {
          text++;
          optional |= absent;
        }
        begun = true;
      }
    };
    add(part.prefix);
    if (part.type === "text") continue;
    begun = true;
    group = Math.max(group, groupRank(part));
    optional |= absent;
    add(part.suffix);
  }
  addSegment();
  // Where all segments are equal the shorter pattern is the more specific
  // one, except behind what takes the rest of the path.
  return key + (group >= REPEATED ? "\uffff" : "\0");
}

function groupRank(part: Part): number {
  return part.type === "wildcard"
    ? WILDCARD
    : isRepeated(part)
    ? REPEATED
    : part.type === "regexp"
    ? REGEXP
    : SEGMENT;
}

function hostRank(parts: readonly Part[]): number {
  const groups = parts.filter(({ type }) => type !== "text").map(groupRank);
  const rank = Math.max(STATIC, ...groups);
  const mixed = groups.length < parts.length;
  return mixed && (rank === REGEXP || rank === SEGMENT) ? MIXED : rank;
}

/** A place in the order of specificity, shared by routes with the same key. */
export interface Rank {
  /** The key by which ranks sort. */
  readonly key: string;
  /** The number by which they compare, which changes as ranks are added. */
  number: number;
}

/** The ranks of the keys that occur. */
export class Ranks {
  readonly #known = new Map<string, Rank>();
  readonly #sorted: Rank[] = [];

  /** The rank of a key. Numbers of others change when a key is new. */
  get(key: string): Rank {
    let rank = this.#known.get(key);
    if (rank !== undefined) return rank;
    this.#known.set(key, rank = { key, number: 0 });
    const sorted = this.#sorted;
    let at = sorted.push(rank) - 1;
    for (; at > 0 && sorted[at - 1]!.key > key; at--) {
      sorted[at] = sorted[at - 1]!;
      sorted[at]!.number = at;
    }
    sorted[at] = rank;
    rank.number = at;
    return rank;
  }
}

/** What parts match, whatever the names of the groups. */
export function partsSignature(parts: readonly Part[]): string {
  return parts.map(({ type, prefix, source, suffix, modifier }) => {
    // No URL has a line feed.
    const group = type === "text" ? "" : `\n${type}${source}\n`;
    const all = prefix + group + suffix;
    return modifier === "" ? all : `\n{${all}\n}${modifier}`;
  }).join("");
}
