import { addParams } from "./_guard.ts";
import type { Match } from "./_match.ts";
import { NO_PARAMS, SLASH } from "./_path.ts";
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
  /** The most specific leaf so far, and its params. */
  #leaf: Leaf<Data> | null = null;
  #params = NO_PARAMS;

  /**
   * Begins with another URL.
   *
   * @param text The URL, or the path alone.
   * @param start Where its path begins.
   * @param url The URL, where it is parsed already.
   */
  begin(text: string, start: number, url: URL | null): void {
    this.#text = this.#shown = text;
    this.#start = start;
    this.#url = url;
    const hash = text.indexOf("#", start);
    const end = hash < 0 ? text.length : hash;
    const query = text.indexOf("?", start);
    this.#end = query < 0 || query > end ? end : query;
  }

  /** The most specific match in a tree, and in one of lower-case text. */
  find(exact: Tree<Data>, folded: Tree<Data> | null): Match<Data> | null {
    this.#leaf = null;
    this.#findIn(exact);
    if (folded !== null) {
      this.#text = this.#shown.toLowerCase();
      this.#findIn(folded);
      this.#text = this.#shown;
    }
    const leaf = this.#leaf as Leaf<Data> | null;
    return leaf && { data: leaf.data, params: this.#params };
  }

  #findIn({ root, bytes }: Tree<Data>): void {
    this.#bytes = bytes;
    this.#walk(root, this.#start, 0);
  }

  /** Goes on from a node, whose text ends at a position. */
  #walk(node: Node<Data>, at: number, depth: number): void {
    const code = this.#text.charCodeAt(at);
    let { child } = node;
    while (child !== null && child.first !== code) {
      child = isLower(code, child.first) ? child.low : child.high;
    }
    if (child !== null && this.#isPromising(child) && this.#isAt(child, at)) {
      this.#walk(child, at + child.length, depth);
    }
    const { param, others, leaf } = node;
    if (others !== null) {
      const end = this.#segmentEnd(at);
      for (const { matcher, node } of others.mixed) {
        if (!this.#isPromising(node)) continue;
        const behind = matcher(this.#text, at, end, this.#marks, depth);
        if (behind >= 0) this.#walk(node, end, behind);
      }
    }
    if (param !== null && code === SLASH && this.#isPromising(param)) {
      const end = this.#segmentEnd(at + 1);
      this.#mark(depth, at + 1, end);
      if (end > at + 1) this.#walk(param, end, depth + 2);
    }
    if (at === this.#end) this.#take(leaf, at, depth);
    if (others !== null) this.#take(others.rests, at, depth);
  }

  /** Whether anything below a node would be better than what was found. */
  #isPromising({ best }: Node<Data>): boolean {
    return this.#leaf === null || isBetter(best!, this.#leaf);
  }

  #mark(depth: number, start: number, end: number): void {
    this.#marks[depth] = start;
    this.#marks[depth + 1] = end;
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

  /** Whether segments follow of which none is empty, and nothing else. */
  #hasSegments(at: number): boolean {
    const text = this.#text;
    const empty = text.indexOf("//", at);
    return text.charCodeAt(at) === SLASH &&
      text.charCodeAt(this.#end - 1) !== SLASH &&
      (empty < 0 || empty >= this.#end);
  }

  /** Makes those leaves the best one, one by one, that match and are better. */
  #take(first: Leaf<Data> | null, at: number, depth: number): void {
    for (let leaf = first; leaf !== null; leaf = leaf.next) {
      if (this.#leaf !== null && !isBetter(leaf, this.#leaf)) continue;
      const { rest, guard, names } = leaf;
      if (rest === "anything") this.#mark(depth, at, this.#end);
      else if (rest === "segments") {
        if (!this.#hasSegments(at)) continue;
        this.#mark(depth, at + 1, this.#end);
      } else if (
        typeof rest !== "string" &&
        rest(this.#text, at, this.#end, this.#marks, depth) < 0
      ) continue;
      const params = guard === null
        ? names.length === 0 ? NO_PARAMS : Object.create(null)
        : guard(this.#url ??= new URL(this.#shown));
      if (params === null) continue;
      // What the platform has matched is complete.
      if (rest !== "platform") {
        addParams(params, names, this.#shown, this.#marks);
      }
      this.#leaf = leaf;
      this.#params = params;
    }
  }
}
