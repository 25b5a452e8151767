import { isRegExp, pathForms, type Rest } from "./_forms.ts";
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
    rest.leaf = this.leaf;
    rest.slots = this.slots;
    rest.#count = this.#count;
    rest.param = this.param;
    rest.others = this.others;
    this.length = length;
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

/** The most forms that a path can have. */
export const MAX_FORMS = 16;

/** The paths of the routes of one method. */
export class Tree<Data> {
  /** Where all paths begin. */
  readonly root: Node<Data> = new Node(0, 0, 0);
  /** The fixed texts of all segments. */
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(256);
  #used = 0;
  /** The names of the params of the path that is added. */
  readonly #names: string[] = [];
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
    let index = 0;
    for (const { segments, rest } of pathForms(parts)) {
      const names = this.#names;
      names.length = 0;
      const leaf = this.#leafOf(route, index++, rest);
      let node = this.root;
      let text = "";
      improve(node, leaf);
      for (const segment of segments) {
        if (typeof segment === "string") {
          text += segment;
          continue;
        }
        if ("name" in segment) {
          node = this.#walk(node, text, leaf);
          node = node.param ??= new Node(0, 0, 0);
          names.push(segment.name);
        } else {
          const first = firstText(segment);
          node = this.#walk(node, `${text}/${first}`, leaf);
          node = this.#mixed(node, first === "" ? segment : segment.slice(1));
          for (const { name } of segment) if (name !== "") names.push(name);
        }
        text = "";
        improve(node, leaf);
      }
      node = this.#walk(node, text, leaf);
      if (leaf.program !== null) names.push(...leaf.program.names);
      else if (rest !== null && "name" in rest) names.push(rest.name);

      leaf.names = names.slice();
      leaf.next = rest === null ? node.leaf : othersOf(node).rests;
      const same = index === 1 ? findSame(leaf) : null;
      if (same !== null) return same;
      if (rest === null) node.leaf = leaf;
      else othersOf(node).rests = leaf;
    }
    return null;
  }

  #leafOf(
    { data, rank, sequence, source, signature, guard, platform }: NewRoute<
      Data
    >,
    index: number,
    rest: Rest | null,
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
      guard: kind === "platform" ? platform : guard,
      names: [],
      rest: kind,
      program,
      next: null,
    };
  }

  /** The node where fixed text ends that follows another node. */
  #walk(node: Node<Data>, given: string, leaf: Leaf<Data>): Node<Data> {
    const text = this.#folded ? given.toLowerCase() : given;
    for (let at = 0; at < text.length;) {
      const child = childOf(node, text.charCodeAt(at));
      if (child === null) {
        node.add(node = this.#newNode(text, at));
        improve(node, leaf);
        return node;
      }
      let length = 1;
      while (
        length < child.length &&
        this.bytes[child.start + length] === text.charCodeAt(at + length)
      ) length++;
      if (length < child.length) child.split(length, this.bytes);
      improve(child, leaf);
      node = child;
      at += length;
    }
    return node;
  }

  /** A node for the rest of a text. */
  #newNode(text: string, from: number): Node<Data> {
    const start = this.#used;
    this.#used += text.length - from;
    if (this.#used > this.bytes.length) {
      const old = this.bytes;
      this.bytes = new Uint8Array(this.#used * 2);
      this.bytes.set(old);
    }
    for (let at = from; at < text.length; at++) {
      this.bytes[start + at - from] = text.charCodeAt(at);
    }
    return new Node(text.charCodeAt(from), start, text.length - from);
  }

  /** The node behind parts of a segment, a new one if need be. */
  #mixed(node: Node<Data>, parts: readonly Part[]): Node<Data> {
    const { mixed } = othersOf(node);
    const signature = partsSignature(parts);
    let found = mixed.find((each) => each.signature === signature);
    if (found === undefined) {
      const matcher = matcherOf(parts, this.#folded);
      mixed.push(found = { signature, matcher, node: new Node(0, 0, 0) });
    }
    return found.node;
  }
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
      each.signature === leaf.signature && each.rest === leaf.rest
    ) return each;
  }
  return null;
}

function othersOf<Data>(node: Node<Data>): Others<Data> {
  return node.others ??= { mixed: [], rests: null };
}
