import { type Component, pathOf } from "../pattern/components.ts";
import type { Part } from "../pattern/parse.ts";
import {
  namesOf,
  type PathForm,
  pathForms,
  staysInSegment,
} from "../pattern/segments.ts";
import type { ComponentMatcher } from "../pattern/component_matcher.ts";
import { createGroupMatcher } from "./_group_matcher.ts";
import type { GroupMatcher } from "../pattern/linear_matcher.ts";
import {
  partsSignature,
  signatureOf,
  specificity,
} from "../pattern/specificity.ts";

export const SLASH = 47;

/** A route that is added to a tree. */
export interface TreeRoute<Data> {
  readonly data: Data;
  /** Orders routes that are equally specific. */
  readonly sequence: number;
  /**
   * The source of the pattern. The pattern itself is not stored, because there
   * are many routes.
   */
  readonly source: string;
  /** The components of the pattern, in lower case if it ignores case. */
  readonly components: readonly Component[];
  /** The names of the params, an array that equal patterns share. */
  readonly names: readonly string[];
  /** Matches the rest of the URL, apart from the path and a literal host. */
  readonly matchComponents: ComponentMatcher | null;
}

/** The routes of a method. */
export interface RouteTrees<Data> {
  readonly exact: RouteTree<Data>;
  /** Those that ignore case; `null` if no route does. */
  folded: RouteTree<Data> | null;
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
  /** The source of the pattern. */
  readonly source: string;
  /** A key of the URLs that match, apart from the place in the tree. */
  readonly signature: string;
  /** Matches the rest of the URL. */
  readonly matchComponents: ComponentMatcher | null;
  /** The names of the params in the order of the path. */
  readonly names: readonly string[];
  /** The next leaf at the same place. */
  next: Leaf<Data> | null;
}

/** A group that is neither a literal nor a param that is a whole segment. */
interface GroupBranch<Data> {
  readonly signature: string;
  readonly match: GroupMatcher;
  /** `true` if it matches the rest of the path, not a segment. */
  readonly toEnd: boolean;
  readonly node: Node<Data>;
}

/** A node of the tree: a literal, and all that can follow it. */
export class Node<Data> {
  /** The node after a slash and a param. */
  param: Node<Data> | null = null;
  /** Other groups that can follow. */
  branches: GroupBranch<Data>[] | null = null;
  /** The nodes that follow with a literal: a tree by the first character. */
  child: Node<Data> | null = null;
  /** The nodes at both sides of this one in the tree of its parent. */
  low: Node<Data> | null = null;
  high: Node<Data> | null = null;
  /** The leaves of paths that end here. */
  leaf: Leaf<Data> | null = null;
  /** The most specific leaf at or below the node, once it was computed. */
  best: Leaf<Data> | null = null;
  /** The same, but only after the param and the branches. */
  bestDynamic: Leaf<Data> | null = null;

  /** Creates a node without leaves. */
  constructor(
    /** The first character of the literal. */
    readonly first: number,
    /** The start of the literal in the tree's bytes. */
    readonly start: number,
    /** The length of the literal. */
    public length: number,
  ) {}

  /** Splits the literal: the rest and all that follows go to a new child. */
  split(length: number, bytes: Uint8Array): void {
    const start = this.start + length;
    const rest = new Node<Data>(bytes[start]!, start, this.length - length);
    rest.leaf = this.leaf;
    rest.child = this.child;
    rest.param = this.param;
    rest.branches = this.branches;
    this.length = length;
    this.bestDynamic =
      this.leaf =
      this.param =
      this.branches =
        null;
    this.child = rest;
  }
}

/**
 * Returns `true` if a character belongs to the low side of another. They are
 * shuffled, because literals in alphabetical order would degrade the tree.
 */
function isLow(code: number, first: number): boolean {
  return (code * 157 & 255) < (first * 157 & 255);
}

/** Returns the child whose literal begins with a character. */
export function childOf<Data>(
  node: Node<Data>,
  code: number,
): Node<Data> | null {
  let { child } = node;
  while (child !== null && child.first !== code) {
    child = isLow(code, child.first) ? child.low : child.high;
  }
  return child;
}

/** The paths of the routes of one method. */
export class RouteTree<Data> {
  /** The node at the start of all paths. */
  readonly root: Node<Data> = new Node(0, 0, 0);
  /** The literals of all nodes. */
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(256);
  #used = 0;
  readonly #folded: boolean;

  /**
   * Creates a tree without paths.
   *
   * @param folded `true` if it is searched with lower-case paths.
   */
  constructor(folded: boolean) {
    this.#folded = folded;
  }

  /** Adds a route, unless the tree has an equivalent one, which it returns. */
  add(route: TreeRoute<Data>): Leaf<Data> | null {
    const { components, sequence, matchComponents } = route;
    const forms = pathForms(pathOf(components));
    const isOptional = forms.length > 1;
    // The place in the tree already distinguishes the paths that have one form
    // only.
    const isPlaced = !isOptional && components.length === 1;
    const signature = (sequence < ANY_METHOD ? "" : "ANY") +
      (isPlaced ? "" : signatureOf(components));
    for (const [index, form] of forms.entries()) {
      // The form is not copied, which saves memory with thousands of routes.
      const path = isPlaced && form.every((part) => "type" in part)
        ? form as readonly Part[]
        : form.flat();
      const node = this.#addForm(form);
      const leaf: Leaf<Data> = {
        data: route.data,
        key: specificity(components, path, isOptional),
        sequence: sequence + index,
        source: route.source,
        signature,
        matchComponents,
        names: isPlaced ? route.names : namesOf(path),
        next: node.leaf,
      };
      // Later forms of a route may be equivalent to an earlier one.
      const same = index === 0 ? findSame(leaf) : null;
      if (same !== null) return same;
      node.leaf = leaf;
    }
    return null;
  }

  /** Adds the nodes of a form of a path, and returns the last one. */
  #addForm(form: PathForm): Node<Data> {
    let node = this.root;
    for (const segment of form) {
      if ("type" in segment && segment.type === "text") {
        node = this.#addLiteral(node, segment.prefix);
        continue;
      }
      node.bestDynamic = null;
      node = "type" in segment
        ? node.param ??= new Node(0, 0, 0)
        : this.#addGroups(node, segment);
      node.best = null;
    }
    return node;
  }

  /** Adds a literal after a node, and returns the node of its end. */
  #addLiteral(from: Node<Data>, text: string): Node<Data> {
    let node = from;
    for (let at = 0; at < text.length;) {
      const code = text.charCodeAt(at);
      let before: Node<Data> | null = null;
      let child = node.child;
      while (child !== null && child.first !== code) {
        before = child;
        child = isLow(code, child.first) ? child.low : child.high;
      }
      if (child === null) {
        child = this.#newNode(text, at);
        if (before === null) node.child = child;
        else if (isLow(code, before.first)) before.low = child;
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

  /** Creates a node for the rest of a literal. */
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

  /** Adds the groups of a segment, or of the rest of the path, after a node. */
  #addGroups(node: Node<Data>, parts: readonly Part[]): Node<Data> {
    const branches = node.branches ??= [];
    const signature = partsSignature(parts);
    let found = branches.find((each) => each.signature === signature);
    if (found === undefined) {
      const toEnd = !parts.every(staysInSegment);
      const match = createGroupMatcher(parts, toEnd, this.#folded);
      found = { signature, match, toEnd, node: new Node(0, 0, 0) };
      // A group that matches the rest is less specific, so the search tries it
      // last.
      if (toEnd) branches.push(found);
      else branches.unshift(found);
    }
    return found.node;
  }
}

/** Returns the leaf at the same place that matches the same URLs. */
function findSame<Data>({ signature, next }: Leaf<Data>): Leaf<Data> | null {
  for (let leaf = next; leaf !== null; leaf = leaf.next) {
    if (leaf.signature === signature) return leaf;
  }
  return null;
}
