import { pathForms, type Rest, type Segment } from "./_forms.ts";
import { Glob } from "./_glob.ts";
import type { Guard, PlatformCheck } from "./_guard.ts";
import type { Part } from "./_parse.ts";
import { partsSignature } from "./_specificity.ts";
import { type GroupMatcher, Program } from "./_program.ts";

/** A place in the order of specificity, shared by routes with the same key. */
export interface Rank {
  /** The key by which ranks sort. */
  readonly key: string;
  /** The number by which they compare, which changes as ranks are added. */
  number: number;
}

/** How the rest of a path is matched. */
export type LeafRest = "none" | "anything" | "segments" | "parts" | "platform";

/** The end of a route, or of one form of it, in the tree. */
export interface Leaf<Data> {
  readonly data: Data;
  readonly rank: Rank;
  /** Orders leaves of one rank. */
  readonly sequence: number;
  /** The names of the params in the order of the path. */
  readonly names: readonly string[];
  /** The text of the pattern. */
  readonly source: string;
  /** What the pattern matches, unless the place in the tree says it all. */
  readonly signature: string;
  readonly rest: LeafRest;
  /** The text that the rest begins with. */
  readonly text: string;
  /** What matches the rest, where its kind is "parts". */
  readonly program: GroupMatcher | null;
  /** What else the pattern asks of the URL. */
  readonly guard: Guard | null;
  /** The pattern, where the platform has to decide. */
  readonly platform: PlatformCheck | null;
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
  /** The most specific leaf at or below the node. */
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
  /** The text of the segment, if it is fixed. */
  readonly text: string;
  /** The hash of the text. */
  readonly hash: number;
  /** How many nodes the slots hold. */
  #count = 0;

  /** Creates a node without leaves. */
  constructor(text = "") {
    this.text = text;
    this.hash = hashOf(text);
  }

  /** The node of a segment that follows, a new one where there is none yet. */
  child(text: string): Node<Data> {
    const hash = hashOf(text);
    const slots = this.slots ??= [null];
    let node = slots[hash & slots.length - 1]!;
    while (node !== null && node.text !== text) node = node.chain!;
    if (node !== null) return node;
    node = new Node(text);
    if (++this.#count > slots.length / 2) this.#grow();
    this.#put(node);
    return node;
  }

  #put(node: Node<Data>): void {
    const slots = this.slots!;
    const at = node.hash & slots.length - 1;
    node.chain = slots[at]!;
    slots[at] = node;
  }

  #grow(): void {
    const old = this.slots!;
    this.slots = new Array(old.length * 2).fill(null);
    for (const slot of old) {
      for (let node = slot; node !== null;) {
        const next: Node<Data> | null = node.chain;
        this.#put(node);
        node = next;
      }
    }
  }
}

/** Adds a character to the hash of the text before it. */
export function addToHash(hash: number, code: number): number {
  return Math.imul(hash, 31) + code | 0;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) {
    hash = addToHash(hash, text.charCodeAt(i));
  }
  return hash;
}

/** Whether a leaf is more specific than another. */
export function isBetter(a: Leaf<unknown>, b: Leaf<unknown>): boolean {
  const difference = a.rank.number - b.rank.number;
  return difference < 0 || (difference === 0 && a.sequence < b.sequence);
}

/** The most forms that a path can have. */
export const MAX_FORMS = 16;

/** What a route adds to a tree. */
export type NewLeaf<Data> = Omit<
  Leaf<Data>,
  "names" | "rest" | "text" | "program" | "next"
>;

/** The paths of the routes of one method. */
export class Tree<Data> {
  /** Where all paths begin. */
  readonly root: Node<Data> = new Node();
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
   *
   * @param intern Makes lists of names that are equal the same.
   */
  add(
    parts: readonly Part[],
    route: NewLeaf<Data>,
    intern: (names: string[]) => readonly string[],
  ): Leaf<Data> | null {
    for (const [index, { segments, rest }] of pathForms(parts).entries()) {
      const path = [this.root];
      const names: string[] = [];
      for (const segment of segments) this.#addSegment(path, names, segment);
      const node = path.at(-1)!;
      const leaf: Leaf<Data> = {
        ...route,
        sequence: route.sequence + index,
        ...this.#restOf(rest, names),
        names: intern(names),
        next: rest === null ? node.leaf : othersOf(node).rests,
      };
      const same = index === 0 ? findSame(leaf) : null;
      if (same !== null) return same;
      if (rest === null) node.leaf = leaf;
      else othersOf(node).rests = leaf;
      for (const each of path) {
        if (each.best === null || isBetter(leaf, each.best)) each.best = leaf;
      }
    }
    return null;
  }

  #addSegment(path: Node<Data>[], names: string[], segment: Segment): void {
    const node = path.at(-1)!;
    if (segment.kind === "fixed") {
      const { text } = segment;
      path.push(node.child(this.#folded ? text.toLowerCase() : text));
    } else if (segment.kind === "param") {
      names.push(segment.name);
      path.push(node.param ??= new Node());
    } else {
      for (const { name } of segment.parts) if (name !== "") names.push(name);
      path.push(this.#mixed(node, segment.parts).node);
    }
  }

  #mixed(node: Node<Data>, parts: readonly Part[]): Mixed<Data> {
    const { mixed } = othersOf(node);
    const text = this.#folded
      ? firstText(parts).toLowerCase()
      : firstText(parts);
    let group = mixed.find(({ length }) => length === text.length);
    if (group === undefined) {
      mixed.push(group = { length: text.length, byText: new Map() });
    }
    const list = group.byText.get(text) ?? [];
    group.byText.set(text, list);
    const signature = partsSignature(parts);
    let found = list.find((each) => each.signature === signature);
    if (found === undefined) {
      const matcher = isGlob(parts)
        ? new Glob(parts, this.#folded)
        : new Program(parts, "/", this.#folded);
      list.push(found = { signature, matcher, node: new Node() });
    }
    return found;
  }

  #restOf(
    rest: Rest | null,
    names: string[],
  ): Pick<Leaf<Data>, "rest" | "text" | "program"> {
    if (rest === null) return { rest: "none", text: "", program: null };
    const { kind } = rest;
    if (kind === "platform") return { rest: kind, text: "", program: null };
    if (kind === "parts") {
      const program = new Program(rest.parts, "/", this.#folded);
      names.push(...program.names);
      return { rest: kind, text: "", program };
    }
    names.push(rest.name);
    const text = kind === "anything" ? rest.text : "/";
    return {
      rest: kind,
      text: this.#folded ? text.toLowerCase() : text,
      program: null,
    };
  }
}

/** The fixed text at the beginning of a segment. */
function firstText(parts: readonly Part[]): string {
  let text = "";
  for (const { type, prefix, modifier } of parts) {
    if (type !== "text" || modifier !== "") break;
    text += prefix;
  }
  return text;
}

function isGlob(parts: readonly Part[]): boolean {
  return parts.some(({ type }) => type === "segment") &&
    parts.every(({ type, modifier }) =>
      modifier === "" && (type === "text" || type === "segment")
    );
}

/** The leaf at the same place that matches the same URLs. */
function findSame<Data>(leaf: Leaf<Data>): Leaf<Data> | null {
  for (let each = leaf.next; each !== null; each = each.next) {
    if (
      each.signature === leaf.signature && each.rest === leaf.rest &&
      each.text === leaf.text
    ) {
      return each;
    }
  }
  return null;
}

function othersOf<Data>(node: Node<Data>): Others<Data> {
  return node.others ??= { mixed: [], rests: null };
}
