import type { Guard } from "./_guard.ts";
import type { Rest } from "./_forms.ts";
import type { GroupMatcher } from "./_program.ts";
import type { Rank } from "./_specificity.ts";

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

/** The end of a route, or of one form of it, in the tree. */
export interface Leaf<Data> extends NewLeaf<Data> {
  /** The names of the params in the order of the path. */
  names: readonly string[];
  /** How the rest of a path is matched. */
  readonly rest: Rest["kind"] | "none";
  /** What matches the rest, where its kind is "parts". */
  readonly program: GroupMatcher | null;
  /** The next leaf at the same place. */
  next: Leaf<Data> | null;
}

/** The rest of a segment that is neither fixed text nor a param alone. */
export interface Mixed<Data> {
  readonly signature: string;
  readonly matcher: GroupMatcher;
  readonly node: Node<Data>;
}

/** What goes on from a node apart from fixed text and a param. */
export interface Others<Data> {
  readonly mixed: Mixed<Data>[];
  rests: Leaf<Data> | null;
}

/** A node of the tree: some fixed text, and all that can follow it. */
export class Node<Data> {
  /** No leaf at or below the node is more specific. */
  best: Leaf<Data> | null = null;
  /** No leaf behind its param, or behind what else follows, is more specific. */
  rival: Leaf<Data> | null = null;
  /** The leaves of paths that end here. */
  leaf: Leaf<Data> | null = null;
  /** The nodes that follow, by the first character of their text. */
  slots: (Node<Data> | null)[] | null = null;
  /** What follows a slash and a segment that is a param. */
  param: Node<Data> | null = null;
  /** What else follows. */
  others: Others<Data> | null = null;
  /** The next node in the same slot. */
  chain: Node<Data> | null = null;
  /** How many nodes the slots hold. */
  #count = 0;
  /** The first character of the text. */
  readonly first: number;
  /** Where the text is in the tree's bytes. */
  readonly start: number;
  /** The length of the text. */
  length: number;

  /** Creates a node without leaves. */
  constructor(first: number, start: number, length: number) {
    this.first = first;
    this.start = start;
    this.length = length;
  }

  /** Adds a node that follows and has fixed text. */
  add(child: Node<Data>): void {
    const old = this.slots ??= [null];
    if (++this.#count > old.length) {
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
    const at = node.first & slots.length - 1;
    node.chain = slots[at]!;
    slots[at] = node;
  }

  /** Makes the node end after some of its text, before one with the rest. */
  split(length: number, bytes: Uint8Array): void {
    const start = this.start + length;
    const rest = new Node<Data>(bytes[start]!, start, this.length - length);
    rest.best = this.best;
    rest.rival = this.rival;
    rest.leaf = this.leaf;
    rest.slots = this.slots;
    rest.#count = this.#count;
    rest.param = this.param;
    rest.others = this.others;
    this.length = length;
    this.rival =
      this.leaf =
      this.slots =
      this.param =
      this.others =
        null;
    this.#count = 0;
    this.add(rest);
  }
}

/** Whether a leaf is more specific than another. */
export function isBetter(a: Leaf<unknown>, b: Leaf<unknown>): boolean {
  const difference = a.rank.number - b.rank.number;
  return difference < 0 || (difference === 0 && a.sequence < b.sequence);
}

/** The node that follows and whose text begins with a character. */
export function childOf<Data>(
  { slots }: Node<Data>,
  first: number,
): Node<Data> | null {
  let node = slots === null ? null : slots[first & slots.length - 1]!;
  while (node !== null && node.first !== first) node = node.chain;
  return node;
}

/** The more specific one of two leaves, where there are two. */
export function better<Data>(
  leaf: Leaf<Data>,
  other: Leaf<Data> | null,
): Leaf<Data> {
  return other === null || isBetter(leaf, other) ? leaf : other;
}

/** What goes on from a node, made where there is nothing yet. */
export function othersOf<Data>(node: Node<Data>): Others<Data> {
  return node.others ??= { mixed: [], rests: null };
}
