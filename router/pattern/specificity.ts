import type { Component } from "./components.ts";
import type { Part } from "./parse.ts";
import { isLiteral, isOptional, isRepeated } from "./segments.ts";

// These are the kinds of segments. A segment with several groups has the last
// of their kinds.
const LITERAL = 0;
const MIXED = 1;
const REGEXP = 2;
const SEGMENT = 3;
const REPEATED = 4;
const WILDCARD = 5;

// These are the origins of patterns, from the most to the least specific.
const LITERAL_HOST = 0;
const SOME_ORIGIN = 1;
const ANY_ORIGIN = 2;

/** The most literal characters of a segment that count. */
const MAX_LITERAL = 511;

/** The number of bits of a segment's character below its kind. */
const KIND_SHIFT = 11;

/**
 * Returns a key by which the forms of patterns sort from the most to the least
 * specific. The key has the origin: a literal host, another host, protocol or
 * port, or any. Then come the segments of the path from the left, one character
 * each, the kind of the host, and the number of other components.
 *
 * @param path The parts of one form of the path.
 * @param isOptional `true` if the path has other forms.
 */
export function specificity(
  components: readonly Component[],
  path: readonly Part[],
  isOptional: boolean,
): string {
  let [origin, host, others] = [ANY_ORIGIN, 9, 9];
  for (const { name, parts } of components) {
    if (name === "pathname") continue;
    if (name === "protocol" || name === "port") {
      origin = Math.min(origin, SOME_ORIGIN);
    }
    if (name === "hostname") {
      origin = parts.every(isLiteral) ? LITERAL_HOST : SOME_ORIGIN;
      // Only the kind counts, not the number of literal characters.
      host = pathKey(parts).charCodeAt(0) >> KIND_SHIFT;
    } else others--;
  }
  return String.fromCharCode(origin) + pathKey(path) +
    String.fromCharCode(host, others, Number(isOptional));
}

function pathKey(parts: readonly Part[]): string {
  let key = "";
  let [literal, kind, optional] = [0, LITERAL, 0];
  let hasBegun = false;
  for (const part of parts) {
    const { type, prefix, suffix } = part;
    const isAbsent = isOptional(part) ? 1 : 0;
    const shape = type === "text" ? prefix : `${prefix}\0${suffix}`;
    for (let i = 0; i < shape.length; i++) {
      const char = shape[i];
      if (char === "/") {
        if (hasBegun) key += segmentKey(literal, kind, optional);
        literal = kind = optional = 0;
      } else if (char === "\0") kind = Math.max(kind, kindOf(part));
      else literal++;
      optional |= isAbsent;
      hasBegun = true;
    }
  }
  // If all segments are equal, the shorter pattern is the more specific one,
  // except after a group that matches the rest of the path.
  const end = kind >= REPEATED ? "\uffff" : "\0";
  return key + segmentKey(literal, kind, optional) + end;
}

function segmentKey(literal: number, kind: number, optional: number): string {
  const isMixed = literal > 0 && (kind === REGEXP || kind === SEGMENT);
  const rank = isMixed ? MIXED : kind;
  const length = kind === LITERAL
    ? 0
    : MAX_LITERAL - Math.min(literal, MAX_LITERAL);
  const isLast = isMixed && kind === SEGMENT ? 2 : 0;
  return String.fromCharCode(
    (rank << KIND_SHIFT | length << 2 | isLast | optional) + 1,
  );
}

function kindOf(part: Part): number {
  return part.type === "wildcard"
    ? WILDCARD
    : isRepeated(part)
    ? REPEATED
    : part.type === "regexp"
    ? REGEXP
    : SEGMENT;
}

/** Returns a key of the URLs that components match, whatever their names. */
export function signatureOf(components: readonly Component[]): string {
  return components.map(({ name, parts }) => name + partsSignature(parts))
    .join();
}

/** Returns a key of the strings that parts match, whatever their names. */
export function partsSignature(parts: readonly Part[]): string {
  return JSON.stringify(parts.map((part) => ({ ...part, name: 0 })));
}
