import type { Component } from "./_components.ts";
import type { Part } from "./_parse.ts";
import type { Rank } from "./_tree.ts";

const STATIC = "0";
const MIXED = "1";
const REGEXP = "2";
const SEGMENT = "3";
const REPEATED = "4";
const WILDCARD = "5";

/** What stands between two slashes of a pattern. */
interface Segment {
  text: number;
  group: string;
  optional: boolean;
}

/**
 * A key by which patterns sort from the most to the least specific: the path
 * segment by segment from the left, then the hostname, then all else that a
 * pattern asks of a URL. Patterns with the same key sort by registration.
 */
export function specificity(components: readonly Component[]): string {
  const find = (name: string) => components.find((c) => c.name === name);
  const path = pathKey(find("pathname")?.parts ?? []);
  const host = find("hostname");
  const others = components.length - (host === undefined ? 0 : 1);
  return `${path} ${host === undefined ? "9" : hostKey(host.parts)}${
    9 - others
  }`;
}

function pathKey(parts: readonly Part[]): string {
  const segments: Segment[] = [];
  let segment: Segment = { text: 0, group: STATIC, optional: false };
  let first = true;
  const addText = (text: string, optional: boolean) => {
    for (const char of text) {
      if (char === "/") {
        if (!first) segments.push(segment);
        segment = { text: 0, group: STATIC, optional };
      } else {
        segment.text++;
        segment.optional ||= optional;
      }
      first = false;
    }
  };
  for (const part of parts) {
    const optional = part.modifier === "?" || part.modifier === "*";
    addText(part.prefix, optional);
    if (part.type !== "text") {
      first = false;
      segment.group = max(segment.group, groupRank(part));
      segment.optional ||= optional;
      addText(part.suffix, optional);
    }
  }
  segments.push(segment);
  const last = segments.at(-1)!.group;
  // Where all segments are equal the shorter pattern is the more specific
  // one, except behind what takes the rest of the path.
  return segments.map(segmentKey).join("") + (last >= REPEATED ? "~" : "");
}

function segmentKey({ text, group, optional }: Segment): string {
  const mixed = text > 0 && (group === REGEXP || group === SEGMENT);
  const rank = mixed ? MIXED : group;
  const literal = group === STATIC
    ? ""
    : String.fromCharCode(0xffff - Math.min(text, 0x7fff));
  return rank + literal + (mixed ? group : "") + (optional ? "1" : "0");
}

function groupRank({ type, modifier }: Part): string {
  if (type === "wildcard") return WILDCARD;
  if (modifier === "*" || modifier === "+") return REPEATED;
  return type === "regexp" ? REGEXP : SEGMENT;
}

function hostKey(parts: readonly Part[]): string {
  let group = STATIC;
  let text = false;
  for (const part of parts) {
    if (part.type === "text") text = true;
    else group = max(group, groupRank(part));
  }
  return group === REGEXP || group === SEGMENT ? (text ? MIXED : group) : group;
}

function max(a: string, b: string): string {
  return a > b ? a : b;
}

/** The ranks of the keys that occur. */
export class Ranks {
  readonly #known = new Map<string, Rank>();
  readonly #sorted: Rank[] = [];

  /** The rank of a key. Numbers of others change when a key is new. */
  get(key: string): Rank {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const rank = { key, number: 0 };
    this.#known.set(key, rank);
    const sorted = this.#sorted;
    let at = sorted.length;
    sorted.push(rank);
    for (; at > 0 && sorted[at - 1]!.key > key; at--) {
      sorted[at] = sorted[at - 1]!;
      sorted[at]!.number = at;
    }
    sorted[at] = rank;
    rank.number = at;
    return rank;
  }
}

/**
 * What a pattern matches, whatever the names of the params. It is "" where the
 * place of the pattern in the tree says it.
 */
export function signatureOf(components: readonly Component[]): string {
  const plain = components.length === 1 &&
    components[0]!.parts.every(({ type, modifier }, index, { length }) =>
      modifier === "" && (type !== "wildcard" || index === length - 1)
    );
  if (plain) return "";
  return components.map(({ name, parts }) => name + partsSignature(parts))
    .join();
}

/** What parts match, whatever the names of the groups. */
export function partsSignature(parts: readonly Part[]): string {
  return parts.map((part) =>
    JSON.stringify([
      part.type,
      part.prefix,
      part.source,
      part.suffix,
      part.modifier,
    ])
  ).join();
}
