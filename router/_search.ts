import { addParams } from "./_guard.ts";
import type { Match } from "./_match.ts";
import { SLASH } from "./_path.ts";
import { isBetter, isLower, type Leaf, type Node, type Tree } from "./_tree.ts";

const NO_BYTES = /* @__PURE__ */ new Uint8Array();

/** Finds the most specific leaf for a canonical URL, in one tree or in several. */
export class Search<Data> {
  /** The text that is searched, and what it is in its own case. */
  #text = "";
  #shown = "";
  #start = 0;
  /** Where the path ends. */
  #end = 0;
  #url: URL | null = null;
  /** The fixed texts of the tree. */
  #bytes = NO_BYTES;
  /** Start and end of each param. */
  readonly #marks: number[] = [];
  /** The most specific leaf so far, and its match. */
  #leaf: Leaf<Data> | null = null;
  #match: Match<Data> | null = null;

  /**
   * Begins with another URL.
   *
   * @param text The URL without a hash, or the path alone.
   * @param start Where its path begins.
   * @param url The URL, where it is parsed already.
   */
  begin(text: string, start: number, url: URL | null): void {
    this.#shown = text;
    this.#start = start;
    this.#url = url;
    const query = text.indexOf("?", start);
    this.#end = query < 0 ? text.length : query;
  }

  /** The most specific match in a tree, and in one of lower-case text. */
  find(exact: Tree<Data>, folded: Tree<Data> | null): Match<Data> | null {
    this.#leaf = this.#match = null;
    this.#findIn(exact, this.#shown);
    if (folded !== null) this.#findIn(folded, this.#shown.toLowerCase());
    return this.#match;
  }

  #findIn({ root, bytes }: Tree<Data>, text: string): void {
    this.#bytes = bytes;
    this.#text = text;
    this.#walk(root, this.#start, 0);
  }

  /** Goes on from a node, whose text ends at a position. */
  #walk(node: Node<Data>, at: number, depth: number): void {
    const code = this.#text.charCodeAt(at);
    let { child } = node;
    while (child !== null && child.first !== code) {
      child = isLower(code, child.first) ? child.low : child.high;
    }
    if (child !== null && this.#isBest(child.best!) && this.#isAt(child, at)) {
      this.#walk(child, at + child.length, depth);
    }
    const { param, others, leaf } = node;
    const marks = this.#marks;
    if (others !== null) {
      const end = this.#segmentEnd(at);
      for (const { matcher, node } of others.mixed) {
        if (!this.#isBest(node.best!)) continue;
        const behind = matcher(this.#text, at, end, marks, depth);
        if (behind >= 0) this.#walk(node, end, behind);
      }
    }
    if (param !== null && code === SLASH && this.#isBest(param.best!)) {
      const start = marks[depth] = at + 1;
      const end = marks[depth + 1] = this.#segmentEnd(start);
      if (end > start) this.#walk(param, end, depth + 2);
    }
    if (at === this.#end) this.#take(leaf, at, depth);
    if (others !== null) this.#take(others.rests, at, depth);
  }

  /** Whether a leaf is more specific than what was found. */
  #isBest(leaf: Leaf<Data>): boolean {
    return this.#leaf === null || isBetter(leaf, this.#leaf);
  }

  /** Where the segment ends that a position is in. */
  #segmentEnd(at: number): number {
    const slash = this.#text.indexOf("/", at);
    return slash < 0 || slash > this.#end ? this.#end : slash;
  }

  /** Whether the text of a node is at a position, where it begins right. */
  #isAt({ start, length }: Node<Data>, at: number): boolean {
    for (let i = 1; i < length; i++) {
      if (this.#bytes[start + i] !== this.#text.charCodeAt(at + i)) {
        return false;
      }
    }
    return true;
  }

  /** Makes those leaves the best one, one by one, that match and are better. */
  #take(first: Leaf<Data> | null, at: number, depth: number): void {
    const marks = this.#marks;
    for (let leaf = first; leaf !== null; leaf = leaf.next) {
      if (!this.#isBest(leaf)) continue;
      const { data, rest, guard, names } = leaf;
      if (rest && rest(this.#text, at, this.#end, marks, depth) < 0) continue;
      const params = guard === null
        ? Object.create(null)
        : guard(this.#url ??= new URL(this.#shown));
      if (params === null) continue;
      addParams(params, names, this.#shown, marks);
      this.#leaf = leaf;
      this.#match = { data, params };
    }
  }
}
