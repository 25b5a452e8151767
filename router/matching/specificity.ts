import type { Component } from "../pattern/components.ts";
import type { Part } from "../pattern/parse.ts";
import { SLASH } from "./_characters.ts";
import { isOptional, isRepeated } from "../pattern/segments.ts";

// What the groups of a segment are; where there are several, the last of these.
const STATIC = 0;
const MIXED = 1;
const REGEXP = 2;
const SEGMENT = 3;
const REPEATED = 4;
const WILDCARD = 5;

/** More fixed text than this in a segment does not count. */
const MAX_TEXT = 511;

/** How many bits of a segment's character are about its text. */
const RANK_SHIFT = 11;

/**
 * Returns a key by which the forms of patterns sort from the most to the least
 * specific: those that name a host, a protocol or a port, then the path segment
 * by segment from the left, one character each, then the hostname, then all
 * else that a pattern asks of a URL.
 *
 * @param path The parts of one form of the path.
 * @param isOptional `true` if the path has other forms.
 */
export function specificity(
  components: readonly Component[],
  path: readonly Part[],
  isOptional: boolean,
): string {
  let [origin, host, others] = [1, 9, 9];
  for (const { name, parts } of components) {
    if (name === "pathname") continue;
    if (/^(?:protocol|hostname|port)$/.test(name)) origin = 0;
    // What its groups are, and not how much text it has.
    if (name === "hostname") host = pathKey(parts).charCodeAt(0) >> RANK_SHIFT;
    else others--;
  }
  return String.fromCharCode(origin) + pathKey(path) +
    String.fromCharCode(host, others, Number(isOptional));
}

function pathKey(parts: readonly Part[]): string {
  let key = "";
  let [text, group, optional] = [0, STATIC, 0];
  let begun = false;
  for (const part of parts) {
    const { type, prefix, suffix } = part;
    const absent = isOptional(part) ? 1 : 0;
    const shape = type === "text" ? prefix : `${prefix}\0${suffix}`;
    for (let i = 0; i < shape.length; i++) {
      const code = shape.charCodeAt(i);
      if (code === SLASH) {
        if (begun) key += segmentKey(text, group, optional);
        text = group = optional = 0;
      } else if (code === 0) group = Math.max(group, groupRank(part));
      else text++;
      optional |= absent;
      begun = true;
    }
  }
  // Where all segments are equal the shorter pattern is the more specific
  // one, except behind what takes the rest of the path.
  const end = group >= REPEATED ? "\uffff" : "\0";
  return key + segmentKey(text, group, optional) + end;
}

function segmentKey(text: number, group: number, optional: number): string {
  const isMixed = text > 0 && (group === REGEXP || group === SEGMENT);
  const rank = isMixed ? MIXED : group;
  const literal = group === STATIC ? 0 : MAX_TEXT - Math.min(text, MAX_TEXT);
  const isLast = isMixed && group === SEGMENT ? 2 : 0;
  return String.fromCharCode(
    (rank << RANK_SHIFT | literal << 2 | isLast | optional) + 1,
  );
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

/** What components match, whatever the names of the groups. */
export function signatureOf(components: readonly Component[]): string {
  return components.map(({ name, parts }) => name + partsSignature(parts))
    .join();
}

/** What parts match, whatever the names of the groups. */
export function partsSignature(parts: readonly Part[]): string {
  return JSON.stringify(parts.map((part) => ({ ...part, name: 0 })));
}
