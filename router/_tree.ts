import { isRegExp, pathForms, type Rest, type Segment } from "./_forms.ts";
import { Glob } from "./_glob.ts";
import type { Guard } from "./_guard.ts";
import type { Part } from "./_parse.ts";
import { type GroupMatcher, Program } from "./_program.ts";
import { SegmentRegExp } from "./_segment_regexp.ts";
import { partsSignature } from "./_specificity.ts";
import {
  better,
  childOf,
  type Leaf,
  type NewLeaf,
  Node,
  othersOf,
} from "./_node.ts";

/** What a route adds to a tree. */
export interface NewRoute<Data> extends NewLeaf<Data> {
  /** What decides where the path can't. */
  readonly platform: Guard | null;
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
      if (segments.some(hasDotSegment)) continue;
      const names = this.#names;
      names.length = 0;
      const leaf = this.#leafOf(route, index++, rest);
      let node = this.root;
      let text = "";
      node.best = better(leaf, node.best);
      for (const segment of segments) {
        if (typeof segment === "string") {
          text += segment;
          continue;
        }
        if ("name" in segment) {
          node = this.#walk(node, text, leaf);
          node.rival = better(leaf, node.rival);
          node = node.param ??= new Node(0, 0, 0);
          names.push(segment.name);
        } else {
          const first = firstText(segment);
          node = this.#walk(node, `${text}/${first}`, leaf);
          node.rival = better(leaf, node.rival);
          node = this.#mixed(node, first === "" ? segment : segment.slice(1));
          for (const { name } of segment) if (name !== "") names.push(name);
        }
        text = "";
        node.best = better(leaf, node.best);
      }
      node = this.#walk(node, text, leaf);
      if (leaf.program !== null) names.push(...leaf.program.names);
      else if (rest !== null && "name" in rest) names.push(rest.name);

      leaf.names = names.slice();
      leaf.next = rest === null ? node.leaf : othersOf(node).rests;
      const same = index === 1 ? findSame(leaf) : null;
      if (same !== null) return same;
      if (rest === null) node.leaf = leaf;
      else {
        node.rival = better(leaf, node.rival);
        othersOf(node).rests = leaf;
      }
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
        node.best = better(leaf, node.best);
        return node;
      }
      let length = 1;
      while (
        length < child.length &&
        this.bytes[child.start + length] === text.charCodeAt(at + length)
      ) length++;
      if (length < child.length) child.split(length, this.bytes);
      child.best = better(leaf, child.best);
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

/** Whether fixed text is in no canonical path. */
function hasDotSegment(segment: Segment): boolean {
  return typeof segment === "string" &&
    /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(segment);
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
