import { groupMatcher } from "./_group_matcher.ts";
import type { Guard } from "./component_matcher.ts";
import { type Component, pathOf } from "../pattern/components.ts";
import type { Part } from "../pattern/parse.ts";
import type { GroupMatcher } from "./_program.ts";
import {
  namesOf,
  type PathForm,
  pathForms,
  staysInSegment,
} from "../pattern/segments.ts";
import { partsSignature, signatureOf, specificity } from "./specificity.ts";

/** A route, as the trees that find it take it. */
export interface TreeRoute<Data> {
  readonly data: Data;
  /** Orders routes that are equally specific. */
  readonly sequence: number;
  /** The text of the pattern, which is not kept: there are many. */
  readonly source: string;
  /** The components of the pattern, in lower case if it ignores case. */
  readonly components: readonly Component[];
  /** The names of the params, which patterns with the same ones share. */
  readonly names: readonly string[];
  /** What the pattern asks of the URL, apart from its path and its tree. */
  readonly guard: Guard | null;
}

/** The routes of a method. */
export interface Trees<Data> {
  readonly exact: Tree<Data>;
  /** Those that ignore case; `null` if there are none. */
  folded: Tree<Data> | null;
}

/** Routes for any method have sequences from here on. */
export const ANY_METHOD: number = 2 ** 40;

/** The end of a route, or of one form of it, in the tree. */
export interface Leaf<Data> {
  readonly data: Data;
  /** Sorts leaves from the most to the least specific. */
  readonly key: string;
  /** Orders leaves with the same key. */
  readonly sequence: number;
  /** The text of the pattern. */
  readonly source: string;
  /** What the pattern matches, apart from what the place in the tree says. */
  readonly signature: string;
  /** What else the pattern asks of the URL. */
  readonly guard: Guard | null;
  /** The names of the params in the order of the path. */
  readonly names: readonly string[];
  /** The next leaf at the same place. */
  next: Leaf<Data> | null;
}

/** What is neither fixed text nor a param that is a segment. */
interface Other<Data> {
  readonly signature: string;
  readonly matcher: GroupMatcher;
  /** Whether it takes the rest of the path, and not a segment. */
  readonly toEnd: boolean;
  readonly node: Node<Data>;
}

/** A node of the tree: some fixed text, and all that can follow it. */
export class Node<Data> {
  /** What follows a slash and a segment that is a param. */
  param: Node<Data> | null = null;
  /** What else follows, apart from fixed text. */
  others: Other<Data>[] | null = null;
  /** The nodes that follow and have fixed text: a tree by the first character. */
  child: Node<Data> | null = null;
  /** What that tree has at either side of this node. */
  low: Node<Data> | null = null;
  high: Node<Data> | null = null;
  /** The leaves of paths that end here. */
  leaf: Leaf<Data> | null = null;
  /** The most specific leaf at or below the node, once it was asked for. */
  best: Leaf<Data> | null = null;
  /** The same but for leaves behind fixed text, and its own. */
  rival: Leaf<Data> | null = null;

  /** Creates a node without leaves. */
  constructor(
    /** The first character of the text. */
    readonly first: number,
    /** Where the text is in the tree's bytes. */
    readonly start: number,
    /** The length of the text. */
    public length: number,
  ) {}

  /** Makes the node end after some of its text, before one with the rest. */
  split(length: number, bytes: Uint8Array): void {
    const start = this.start + length;
    const rest = new Node<Data>(bytes[start]!, start, this.length - length);
    rest.leaf = this.leaf;
    rest.child = this.child;
    rest.param = this.param;
    rest.others = this.others;
    this.length = length;
    this.rival =
      this.leaf =
      this.param =
      this.others =
        null;
    this.child = rest;
  }
}

/**
 * Whether a character belongs to the lower side of another. They are shuffled,
 * so that those that come in their order make no list of the tree.
 */
function isLower(code: number, first: number): boolean {
  return (code * 157 & 255) < (first * 157 & 255);
}

/** The node behind another whose text begins with a character. */
export function childOf<Data>(
  node: Node<Data>,
  code: number,
): Node<Data> | null {
  let { child } = node;
  while (child !== null && child.first !== code) {
    child = isLower(code, child.first) ? child.low : child.high;
  }
  return child;
}

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

  /** Adds a route, unless the tree has an equivalent one, which it returns. */
  add(
    { data, sequence, source, components, guard, names }: TreeRoute<Data>,
  ): Leaf<Data> | null {
    const forms = pathForms(pathOf(components));
    const isOptional = forms.length > 1;
    // A path with one form is told apart by its place in the tree.
    const isPlaced = !isOptional && components.length === 1;
    const signature = (sequence < ANY_METHOD ? "" : "ANY") +
      (isPlaced ? "" : signatureOf(components));
    for (const [index, form] of forms.entries()) {
      // A copy costs time where thousands of routes are added.
      const path = isPlaced && form.every((part) => "type" in part)
        ? form as readonly Part[]
        : form.flat();
      const node = this.#place(form);
      const leaf: Leaf<Data> = {
        data,
        key: specificity(components, path, isOptional),
        sequence: sequence + index,
        source,
        signature,
        guard,
        names: isPlaced ? names : namesOf(path),
        next: node.leaf,
      };
      // Other forms may be equivalent to one of the same route.
      const same = index === 0 ? findSame(leaf) : null;
      if (same !== null) return same;
      node.leaf = leaf;
    }
    return null;
  }

  /** The node where a form of a path ends. */
  #place(form: PathForm): Node<Data> {
    let node = this.root;
    for (const segment of form) {
      if ("type" in segment && segment.type === "text") {
        node = this.#walk(node, segment.prefix);
        continue;
      }
      node.rival = null;
      node = "type" in segment
        ? node.param ??= new Node(0, 0, 0)
        : this.#other(node, segment);
      node.best = null;
    }
    return node;
  }

  /** The node where fixed text ends that follows another node. */
  #walk(from: Node<Data>, text: string): Node<Data> {
    let node = from;
    for (let at = 0; at < text.length;) {
      const code = text.charCodeAt(at);
      let before: Node<Data> | null = null;
      let child = node.child;
      while (child !== null && child.first !== code) {
        before = child;
        child = isLower(code, child.first) ? child.low : child.high;
      }
      if (child === null) {
        child = this.#newNode(text, at);
        if (before === null) node.child = child;
        else if (isLower(code, before.first)) before.low = child;
        else before.high = child;
        return child;
      }
      let length = 1;
      while (
        length < child.length &&
        this.bytes[child.start + length] === text.charCodeAt(at + length)
      ) length++;
      if (length < child.length) child.split(length, this.bytes);
      child.best = null;
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

  /** What goes on from a node by a segment that is in part fixed, or by the rest. */
  #other(node: Node<Data>, parts: readonly Part[]): Node<Data> {
    const others = node.others ??= [];
    const signature = partsSignature(parts);
    let found = others.find((each) => each.signature === signature);
    if (found === undefined) {
      const toEnd = !parts.every(staysInSegment);
      const matcher = groupMatcher(parts, toEnd, this.#folded);
      found = { signature, matcher, toEnd, node: new Node(0, 0, 0) };
      // What takes the rest is less specific, and tried last.
      if (toEnd) others.push(found);
      else others.unshift(found);
    }
    return found.node;
  }
}

/** The most specific leaf at or below a node. */
export function bestOf<Data>(node: Node<Data>): Leaf<Data> {
  if (node.best === null) {
    let best = bestAmong(node.child, rivalOf(node));
    for (let { leaf } = node; leaf !== null; leaf = leaf.next) {
      best = better(leaf, best);
    }
    node.best = best;
  }
  return node.best!;
}

/** The most specific leaf behind a node's param, or behind what else follows. */
export function rivalOf<Data>(node: Node<Data>): Leaf<Data> | null {
  if (node.rival === null) {
    const { param, others } = node;
    let rival = param && bestOf(param);
    for (const { node } of others ?? []) rival = better(bestOf(node), rival);
    node.rival = rival;
  }
  return node.rival;
}

/** The most specific leaf of a tree of nodes, or the one that is given. */
function bestAmong<Data>(
  child: Node<Data> | null,
  given: Leaf<Data> | null,
): Leaf<Data> | null {
  if (child === null) return given;
  const best = bestAmong(child.low, better(bestOf(child), given));
  return bestAmong(child.high, best);
}

/** The more specific one of two leaves, where there are two. */
export function better<Data>(
  leaf: Leaf<Data>,
  other: Leaf<Data> | null,
): Leaf<Data> {
  return other === null || leaf.key < other.key ||
      (leaf.key === other.key && leaf.sequence < other.sequence)
    ? leaf
    : other;
}

/** The leaf at the same place that matches the same URLs. */
function findSame<Data>({ signature, next }: Leaf<Data>): Leaf<Data> | null {
  for (let leaf = next; leaf !== null; leaf = leaf.next) {
    if (leaf.signature === signature) return leaf;
  }
  return null;
}
