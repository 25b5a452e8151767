import { isRegExp, pathForms, type Rest, type Segment } from "./_forms.ts";
import { Glob } from "./_glob.ts";
import type { Guard } from "./_guard.ts";
import type { Part } from "./_parse.ts";
import { type GroupMatcher, Program } from "./_program.ts";
import { SegmentRegExp } from "./_segment_regexp.ts";
import { partsSignature, type Rank } from "./_specificity.ts";

/** What a route is to a tree. */
export interface NewLeaf<Data> {
  readonly data: Data;
  readonly rank: Rank;
  /** Orders leaves of one rank. */
  readonly sequence: number;
  /** The text of the pattern. */
  readonly source: string;
  /** What the pattern matches, unless the place in the tree says it all. */
  readonly signature: string;
  /** What else the pattern asks of the URL. */
  readonly guard: Guard | null;
}

/** What a route adds to a tree. */
export interface NewRoute<Data> extends NewLeaf<Data> {
  /** What decides where the path can't. */
  readonly platform: Guard | null;
}

/** The end of a route, or of one form of it, in the tree. */
export interface Leaf<Data> extends NewLeaf<Data> {
  /** The names of the params in the order of the path. */
  readonly names: readonly string[];
  /** How the rest of a path is matched. */
  readonly rest: Rest["kind"] | "none";
  /** The text that the rest begins with. */
  readonly text: string;
  /** What matches the rest, where its kind is "parts". */
  readonly program: GroupMatcher | null;
  /** The next leaf at the same place. */
  next: Leaf<Data> | null;
}

/** A segment that is neither fixed text nor a param alone. */
export interface Mixed<Data> {
  readonly signature: string;
  readonly matcher: GroupMatcher;
  readonly node: Node<Data>;
}

/** The mixed segments that begin with fixed text of one length, by that text. */
export interface MixedGroup<Data> {
  readonly length: number;
  readonly byText: Map<string, Mixed<Data>[]>;
}

/** What goes on from a node apart from fixed text and a param. */
export interface Others<Data> {
  readonly mixed: MixedGroup<Data>[];
  rests: Leaf<Data> | null;
}

/** A node of the tree: a segment, and all that can follow it. */
export class Node<Data> {
  /** No leaf at or below the node is more specific. */
  best: Leaf<Data> | null = null;
  /** The leaves of paths that end here. */
  leaf: Leaf<Data> | null = null;
  /** The segments of fixed text that follow, by their hashes. */
  slots: (Node<Data> | null)[] | null = null;
  /** The segment that follows and is a param. */
  param: Node<Data> | null = null;
  /** What else follows. */
  others: Others<Data> | null = null;
  /** The next node in the same slot. */
  chain: Node<Data> | null = null;
  /** How many nodes the slots hold. */
  count = 0;
  /** Where the text of the segment is in the tree's bytes, if it is fixed. */
  readonly start: number;
  /** The length of the text. */
  readonly length: number;
  /** The hash of the text. */
  readonly hash: number;

  /** Creates a node without leaves. */
  constructor(start: number, length: number, hash: number) {
    this.start = start;
    this.length = length;
    this.hash = hash;
  }

  /** Adds a node that follows and has fixed text. */
  add(child: Node<Data>): void {
    const old = this.slots ??= [null];
    if (++this.count > old.length / 2) {
      this.slots = new Array(old.length * 2).fill(null);
      for (const slot of old) {
        for (let node = slot; node !== null;) {
          const { chain }: Node<Data> = node;
          this.#put(node);
          node = chain;
        }
      }
    }
    this.#put(child);
  }

  #put(node: Node<Data>): void {
    const slots = this.slots!;
    const at = node.hash & slots.length - 1;
    node.chain = slots[at]!;
    slots[at] = node;
  }
}

/** Adds a character to the hash of the text before it: a small integer. */
export function addToHash(hash: number, code: number): number {
  return Math.imul(hash, 31) + code & 0x3fffffff;
}

/** Whether a leaf is more specific than another. */
export function isBetter(a: Leaf<unknown>, b: Leaf<unknown>): boolean {
  const difference = a.rank.number - b.rank.number;
  return difference < 0 || (difference === 0 && a.sequence < b.sequence);
}

/** The most forms that a path can have. */
export const MAX_FORMS = 16;

/** The paths of the routes of one method. */
export class Tree<Data> {
  /** Where all paths begin. */
  readonly root: Node<Data> = new Node(0, 0, 0);
  /** The fixed texts of all segments. */
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(256);
  #used = 0;
  readonly #folded: boolean;

  /**
   * Creates a tree without paths.
   *
   * @param folded Whether it is searched with lower-case text.
   */
  constructor(folded: boolean) {
    this.#folded = folded;
  }

  /**
   * Adds the path of a route, or nothing where the tree has an equivalent one,
   * which it returns.
   */
  add(parts: readonly Part[], route: NewRoute<Data>): Leaf<Data> | null {
    for (const [index, { segments, rest }] of pathForms(parts).entries()) {
      const names: string[] = [];
      const leaf = this.#leafOf(route, index, rest, names);
      let node = this.root;
      improve(node, leaf);
      for (const segment of segments) {
        node = this.#next(node, segment, names);
        improve(node, leaf);
      }
      if (leaf.program !== null) names.push(...leaf.program.names);
      else if (rest !== null && "name" in rest) names.push(rest.name);

      leaf.next = rest === null ? node.leaf : othersOf(node).rests;
      const same = index === 0 ? findSame(leaf) : null;
      if (same !== null) return same;
      if (rest === null) node.leaf = leaf;
      else othersOf(node).rests = leaf;
    }
    return null;
  }

  #leafOf(
    { data, rank, sequence, source, signature, ...route }: NewRoute<Data>,
    index: number,
    rest: Rest | null,
    names: readonly string[],
  ): Leaf<Data> {
    const kind = rest === null ? "none" : rest.kind;
    const program = rest?.kind === "parts"
      ? new Program(rest.parts, "/", this.#folded)
      : null;
    return {
      data,
      rank,
      sequence: sequence + index,
      source,
      signature,
      guard: kind === "platform" ? route.platform : route.guard,
      names,
      rest: kind,
      text: rest?.kind === "anything" ? this.#fold(rest.text) : "/",
      program,
      next: null,
    };
  }

  /** The node of fixed text that follows another, a new one if need be. */
  #child(parent: Node<Data>, text: string): Node<Data> {
    const { length } = text;
    const start = this.#used;
    if (start + length > this.bytes.length) {
      const old = this.bytes;
      this.bytes = new Uint8Array((start + length) * 2);
      this.bytes.set(old);
    }
    const { bytes } = this;
    let hash = 0;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      bytes[start + i] = code;
      hash = addToHash(hash, code);
    }
    const { slots } = parent;
    let node = slots === null ? null : slots[hash & slots.length - 1]!;
    while (node !== null && !isSame(node, hash, bytes, bytes, start, length)) {
      node = node.chain;
    }
    if (node !== null) return node;
    this.#used += length;
    parent.add(node = new Node(start, length, hash));
    return node;
  }

  #fold(text: string): string {
    return this.#folded ? text.toLowerCase() : text;
  }

  /** The node of a segment that follows another, a new one if need be. */
  #next(node: Node<Data>, segment: Segment, names: string[]): Node<Data> {
    if (typeof segment === "string") {
      return this.#child(node, this.#fold(segment));
    }
    if ("name" in segment) {
      names.push(segment.name);
      return node.param ??= new Node(0, 0, 0);
    }
    const { mixed } = othersOf(node);
    const text = this.#fold(firstText(segment));
    let group = mixed.find(({ length }) => length === text.length);
    if (group === undefined) {
      mixed.push(group = { length: text.length, byText: new Map() });
    }
    const list = group.byText.getOrInsertComputed(text, () => []);
    const signature = partsSignature(segment);
    let found = list.find((each) => each.signature === signature);
    if (found === undefined) {
      const matcher = matcherOf(segment, this.#folded);
      list.push(found = { signature, matcher, node: new Node(0, 0, 0) });
    }
    for (const { name } of segment) if (name !== "") names.push(name);
    return found.node;
  }
}

/** Whether a node has a text, whose hash is known. */
export function isSame(
  node: Node<unknown>,
  hash: number,
  known: Uint8Array,
  bytes: Uint8Array,
  start: number,
  length: number,
): boolean {
  if (node.hash !== hash || node.length !== length) return false;
  for (let i = 0; i < length; i++) {
    if (known[node.start + i] !== bytes[start + i]) return false;
  }
  return true;
}

/** Makes a leaf the best one at or below a node, if it is. */
function improve<Data>(node: Node<Data>, leaf: Leaf<Data>): void {
  if (node.best === null || isBetter(leaf, node.best)) node.best = leaf;
}

/** The fixed text at the beginning of a segment. */
function firstText(parts: readonly Part[]): string {
  const { type, prefix, modifier } = parts[0]!;
  return type === "text" && modifier === "" ? prefix : "";
}

function matcherOf(parts: readonly Part[], folded: boolean): GroupMatcher {
  if (parts.some(isRegExp)) return new SegmentRegExp(parts, folded);
  return parts.some(({ modifier }) => modifier !== "")
    ? new Program(parts, "/", folded)
    : new Glob(parts, folded);
}

/** The leaf at the same place that matches the same URLs. */
function findSame<Data>(leaf: Leaf<Data>): Leaf<Data> | null {
  for (let each = leaf.next; each !== null; each = each.next) {
    if (
      each.signature === leaf.signature && each.rest === leaf.rest &&
      each.text === leaf.text
    ) return each;
  }
  return null;
}

function othersOf<Data>(node: Node<Data>): Others<Data> {
  return node.others ??= { mixed: [], rests: null };
}
