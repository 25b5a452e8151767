import { isPlain } from "./canonical_url.ts";
import { addParams } from "./component_matcher.ts";
import type { Match } from "./matcher.ts";
import { NO_PARAMS, SLASH } from "./_characters.ts";
import {
  ANY_METHOD,
  bestOf,
  better,
  childOf,
  type Leaf,
  type Node,
  type Tree,
  type Trees,
} from "./_tree.ts";

// One search is on at a time: nothing in it waits.
/** The text that is searched, and what it is in its own case. */
let text = "";
let shown = "";
/** Where the path begins and ends. */
let pathStart = 0;
let pathEnd = 0;
let url: URL | null = null;
/** The fixed texts of the tree. */
let bytes: Uint8Array;
/** Start and end of each param. */
const marks: number[] = [];
/** The most specific leaf so far, and its match. */
let best: Leaf<unknown> | null = null;
let match: Match<unknown> | null = null;

/**
 * Begins a search for the canonical form of a URL.
 *
 * @param given The URL.
 * @param start Where its path begins; -1 where that is not known.
 * @returns Whether the URL is valid.
 */
export function beginSearch(given: string, start: number): boolean {
  shown = given;
  pathStart = start;
  url = null;
  if (!isPlain(given, start)) {
    url = URL.parse(given);
    if (url === null) return false;
    shown = url.pathname;
    pathStart = 0;
  }
  const query = shown.indexOf("?", pathStart);
  pathEnd = query < 0 ? shown.length : query;
  return true;
}

/** The hostname of the URL. */
export function searchedHost(): string {
  if (url !== null) return url.hostname;
  return shown.slice(shown.indexOf("//") + 2, pathStart).replace(/:\d+$/, "");
}

/**
 * Finds the most specific match for the URL in a tree, and in one of lower-case
 * text.
 *
 * @param others More trees, such as those of the host.
 */
export function search<Data>(
  trees: Trees<Data> | undefined,
  others: Trees<Data> | undefined,
): Match<Data> | null {
  best = match = null;
  if (others !== undefined) searchTrees(others);
  if (trees !== undefined) searchTrees(trees);
  return match;
}

/** `true` if the last search found a route for any method. */
export function isForAny(): boolean {
  return best !== null && best.sequence >= ANY_METHOD;
}

function searchTrees({ exact, folded }: Trees<unknown>): void {
  searchTree(exact, shown);
  if (folded !== null) searchTree(folded, shown.toLowerCase());
}

function searchTree(tree: Tree<unknown>, given: string): void {
  text = given;
  bytes = tree.bytes;
  walk(tree.root, pathStart, 0);
}

/** Goes on from a node, whose text ends at a position. */
function walk(node: Node<unknown>, at: number, depth: number): void {
  const code = text.charCodeAt(at);
  const child = childOf(node, code);
  if (child !== null && mayLead(child) && isAt(child, at)) {
    walk(child, at + child.length, depth);
  }
  const { param, others, leaf } = node;
  if (param !== null && code === SLASH && mayLead(param)) {
    const start = marks[depth] = at + 1;
    const end = marks[depth + 1] = segmentEnd(start);
    if (end > start) walk(param, end, depth + 2);
  }
  if (at === pathEnd) take(leaf);
  if (others === null) return;
  for (const { matcher, toEnd, node } of others) {
    if (!mayLead(node)) continue;
    const end = toEnd ? pathEnd : segmentEnd(at);
    const behind = matcher(text, at, end, marks, depth);
    if (behind >= 0) walk(node, end, behind);
  }
}

/** Whether a more specific leaf than what was found can be below a node. */
function mayLead(node: Node<unknown>): boolean {
  return best === null || better(bestOf(node), best) !== best;
}

/** Where the segment ends that a position is in. */
function segmentEnd(at: number): number {
  const slash = text.indexOf("/", at);
  return slash < 0 || slash > pathEnd ? pathEnd : slash;
}

/** Whether the text of a node is at a position, where it begins right. */
function isAt({ start, length }: Node<unknown>, at: number): boolean {
  for (let i = 1; i < length; i++) {
    if (bytes[start + i] !== text.charCodeAt(at + i)) return false;
  }
  return true;
}

/** Makes those leaves the best one, one by one, that match and are better. */
function take(first: Leaf<unknown> | null): void {
  for (let leaf = first; leaf !== null; leaf = leaf.next) {
    if (better(leaf, best) !== leaf) continue;
    const { data, guard, names } = leaf;
    const params = guard === null
      ? names.length === 0 ? NO_PARAMS : Object.create(null)
      : guard(url ??= new URL(shown));
    if (params === null) continue;
    addParams(params, names, shown, marks);
    best = leaf;
    match = { data, params };
  }
}
