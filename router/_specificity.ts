import type { Component } from "./_components.ts";
import { isOptional } from "./_segments.ts";
import type { Part } from "./_parse.ts";

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
 * segment by segment from the left, one number each, then the hostname, then
 * all else that a pattern asks of a URL. Patterns with the same key sort by
 * registration. The next call overwrites it.
 */
export function specificity(
  components: readonly Component[],
): readonly number[] {
  let host = 9;
  let others = 9;
  for (const { name, parts } of components) {
    if (name === "pathname") addPath(parts);
    else if (name === "hostname") host = hostRank(parts);
    else others--;
  }
  codes.push(host, others);
  return codes;
}

function addPath(parts: readonly Part[]): void {
  codes.length =
    text =
    group =
    optional =
      0;
  begun = false;
  for (const part of parts) {
    const isAbsent = isOptional(part) ? 1 : 0;
    addText(part.prefix, isAbsent);
    if (part.type === "text") continue;
    begun = true;
    group = Math.max(group, groupRank(part));
    optional |= isAbsent;
    addText(part.suffix, isAbsent);
  }
  addSegment();
  // Where all segments are equal the shorter pattern is the more specific
  // one, except behind what takes the rest of the path.
  codes.push(group >= REPEATED ? 0xffff : 0);
}

// What the key of a path is made from, one path after the other.
const codes: number[] = [];
let [text, group, optional] = [0, STATIC, 0];
let begun = false;

function addText(added: string, isOptional: number): void {
  const add = (length: number) => {
    if (length === 0) return;
    text += length;
    optional |= isOptional;
    begun = true;
  };
  let start = 0;
  for (let at = 0; (at = added.indexOf("/", start)) >= 0; start = at + 1) {
    add(at - start);
    if (begun) addSegment();
    begun = true;
    text = group = 0;
    optional = isOptional;
  }
  add(added.length - start);
}

function addSegment(): void {
  const mixed = text > 0 && (group === REGEXP || group === SEGMENT);
  const rank = mixed ? MIXED : group;
  const literal = group === STATIC ? 0 : MAX_TEXT - Math.min(text, MAX_TEXT);
  const last = mixed && group === SEGMENT ? 2 : 0;
  codes.push((rank << 11 | literal << 2 | last | optional) + 1);
}

function groupRank({ type, modifier }: Part): number {
  if (type === "wildcard") return WILDCARD;
  if (modifier === "*" || modifier === "+") return REPEATED;
  return type === "regexp" ? REGEXP : SEGMENT;
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
  readonly key: readonly number[];
  /** The number by which they compare, which changes as ranks are added. */
  number: number;
}

/** The ranks of the keys that occur. */
export class Ranks {
  /** By a hash of the key, or by the next number that is free. */
  readonly #known = new Map<number, Rank>();
  readonly #sorted: Rank[] = [];

  /** The rank of a key. Numbers of others change when a key is new. */
  get(key: readonly number[]): Rank {
    let hash = 0;
    for (const code of key) hash = Math.imul(hash, 31) + code | 0;
    let rank: Rank | undefined;
    while ((rank = this.#known.get(hash)) !== undefined) {
      if (compare(rank.key, key) === 0) return rank;
      hash++;
    }
    this.#known.set(hash, rank = { key: key.slice(), number: 0 });
    const sorted = this.#sorted;
    let at = sorted.push(rank) - 1;
    for (; at > 0 && compare(sorted[at - 1]!.key, key) > 0; at--) {
      sorted[at] = sorted[at - 1]!;
      sorted[at]!.number = at;
    }
    sorted[at] = rank;
    rank.number = at;
    return rank;
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) {
    const difference = a[i]! - (b[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/**
 * What a pattern matches, whatever the names of the params. It is "" where the
 * place of the pattern in the tree says it.
 */
export function signatureOf(components: readonly Component[]): string {
  if (components.length === 1 && components[0]!.parts.every(isPlaced)) {
    return "";
  }
  return components.map(({ name, parts }) => name + partsSignature(parts))
    .join();
}

/** Whether the place in the tree says what a part matches. */
function isPlaced(
  { type, modifier }: Part,
  index: number,
  { length }: readonly Part[],
): boolean {
  return modifier === "" && type !== "regexp" &&
    (type !== "wildcard" || index === length - 1);
}

/** What parts match, whatever the names of the groups. */
export function partsSignature(parts: readonly Part[]): string {
  return JSON.stringify(parts.map((part) => ({ ...part, name: 0 })));
}
