import { isPlain } from "./canonical_url.ts";
import type { Match } from "./matcher.ts";
import {
  DOT,
  END,
  KINDS,
  NO_PARAMS,
  PLAIN,
  SEPARATOR,
  SLASH,
} from "./_characters.ts";
import {
  bestOf,
  better,
  childOf,
  type Leaf,
  type Node,
  rivalOf,
  type Tree,
} from "./_tree.ts";

/** Start and end of each param. */
const marks: number[] = [];

/**
 * Finds the most specific leaf of a tree where that is simple: fixed text and
 * whole segments as params, nothing to decode, and at most one step back. Nearly
 * all requests are so. It is one loop, and makes no lists, to be quick.
 *
 * @param tree The tree, of text in its own case.
 * @param text A URL.
 * @param start Where its path begins.
 * @returns The match; `null` where the tree has none; `undefined` where it takes
 * a search to tell.
 */
export function matchStraight<Data>(
  { root, bytes }: Tree<Data>,
  text: string,
  start: number,
): Match<Data> | null | undefined {
  const { length } = text;
  let node = root;
  let at = start;
  let depth = 0;
  // The last node that could be left another way, and where that was.
  let fork: Node<Data> | null = null;
  let forkAt = 0;
  let forkDepth = 0;
  // No other leaf that may match is more specific, apart from the fork's.
  let rival: Leaf<Data> | null = null;
  while (at < length) {
    const code = text.charCodeAt(at);
    const child = childOf(node, code);
    differs: if (child !== null) {
      const { start: first, length: size } = child;
      if (at + size > length) break differs;
      for (let i = 1; i < size; i++) {
        if (bytes[first + i] !== text.charCodeAt(at + i)) break differs;
      }
      // It may be left by what else follows, or by its param.
      if (node.others !== null || (node.param !== null && code === SLASH)) {
        if (fork !== null) rival = better(rivalOf(fork)!, rival);
        fork = node;
        forkAt = at;
        forkDepth = depth;
      }
      at += size;
      node = child;
      continue;
    }
    let { param } = node;
    const { others } = node;
    if (others !== null) {
      for (const { toEnd, node } of others) {
        if (!toEnd) return undefined;
        rival = better(bestOf(node), rival);
      }
    }
    if (code !== SLASH || param === null) {
      if (KINDS[code] === END) break;
      if (fork === null) {
        if (rival !== null) return undefined;
        // Up to the last param it was looked at.
        const from = depth > 0 ? marks[depth - 1]! : start;
        return isPlain(text, from) ? null : undefined;
      }
      ({ param } = fork);
      if (param === null || fork.others !== null) return undefined;
      at = forkAt;
      depth = forkDepth;
      fork = null;
    }
    const end = segmentEnd(text, ++at);
    if (end < 0) return undefined;
    marks[depth++] = at;
    marks[depth++] = end;
    node = param;
    at = end;
  }
  const { leaf, others } = node;
  if (
    leaf === null || others !== null || leaf.next !== null ||
    leaf.guard !== null ||
    (fork !== null && better(leaf, rivalOf(fork)) !== leaf) ||
    better(leaf, rival) !== leaf
  ) return undefined;
  return { data: leaf.data, params: paramsOf(leaf.names, text) };
}

/** Where the segment of a param ends, or -1 if it takes a closer look. */
function segmentEnd(text: string, start: number): number {
  const { length } = text;
  let at = start;
  for (; at < length; at++) {
    const kind = KINDS[text.charCodeAt(at)];
    if (kind === PLAIN) continue;
    if (kind === SEPARATOR || kind === END) break;
    return -1;
  }
  return at === start || text.charCodeAt(at - 1) === DOT ? -1 : at;
}

/** The params between the marks. */
function paramsOf(
  names: readonly string[],
  text: string,
): Record<string, string> {
  if (names.length === 0) return NO_PARAMS;
  const params: Record<string, string> = Object.create(null);
  for (let i = 0; i < names.length; i++) {
    params[names[i]!] = text.slice(marks[i * 2], marks[i * 2 + 1]);
  }
  return params;
}
