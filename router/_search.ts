import { addParams, type Guard } from "./_guard.ts";
import type { Match } from "./_match.ts";
import {
  childOf,
  isBetter,
  type Leaf,
  type Node,
  type Others,
} from "./_node.ts";
import {
  DOT,
  END,
  ESCAPE,
  KINDS,
  NO_PARAMS,
  ODD,
  PLAIN,
  PLAIN_PATH,
  SLASH,
} from "./_path.ts";
import type { Tree } from "./_tree.ts";

const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);

const NOT_ASCII = /[^\0-\x7f]/;

/** Finds the most specific leaf for a URL, in one tree or in several. */
export class Search<Data> {
  /** The most specific leaf so far. */
  leaf: Leaf<Data> | null = null;
  /** Whether the text is not canonical after all, so that nothing counts. */
  odd = false;

  #params = NO_PARAMS;
  /** The text that is searched, and what it is in its own case. */
  #text = "";
  #shown = "";
  #start = 0;
  #url: URL | null = null;
  /** Whether there may be escapes in the params. */
  #escaped = false;
  /** Up to where walks have found nothing odd, at the end of a segment. */
  #reached = 0;
  /** Where the path ends; -1 as long as that is not known. */
  #end = -1;
  /** The fixed texts of the tree. */
  #bytes = NO_BYTES;
  /** Start and end of each param. */
  readonly #marks: number[] = [];

  /**
   * Begins with another URL.
   *
   * @param text The URL, or the path alone.
   * @param start Where its path begins.
   * @param url The URL, if its text is known to be canonical.
   */
  begin(text: string, start: number, url: URL | null): void {
    this.leaf = null;
    this.#shown = text;
    this.#start = start;
    this.#url = url;
    this.#escaped = false;
    this.#read(text);
  }

  /** Whether a tree has a better leaf than there was before. */
  run(tree: Tree<Data>): boolean {
    this.#bytes = tree.bytes;
    return this.#walk(tree.root, this.#start, 0) && !this.odd;
  }

  /** Searches a tree of lower-case text. */
  runFolded(tree: Tree<Data>): boolean {
    // Beyond ASCII, lower case is another letter than the canonical text has.
    if (this.#url === null && NOT_ASCII.test(this.#shown)) {
      this.odd = true;
      return false;
    }
    this.#read(this.#shown.toLowerCase());
    const found = this.run(tree);
    this.#read(this.#shown);
    return found;
  }

  #read(text: string): void {
    this.odd = false;
    this.#text = text;
    this.#reached = this.#start;
    this.#end = -1;
    if (text.charCodeAt(this.#start) === SLASH) return;
    // An opaque path has no segments.
    this.#end = text.length;
    this.#escaped = true;
  }

  /** Whether the text is canonical. */
  isCanonical(): boolean {
    return !this.odd && this.#pathEnd() >= 0;
  }

  /** The match for the leaf. */
  match(): Match<Data> {
    return { data: this.leaf!.data, params: this.#params };
  }

  /** Where the segment ends that a position is in, or -1 if it is odd. */
  #segmentEnd(start: number): number {
    const text = this.#text;
    const { length } = text;
    let at = start;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      const kind = code < 128 ? KINDS[code]! : ODD;
      if (kind === PLAIN) continue;
      if (kind < ESCAPE) break;
      if (!this.#accepts(kind, at)) return -1;
    }
    // What is before the position is fixed text, or a slash.
    if (text.charCodeAt(at - 1) === DOT && this.#url === null) {
      const first = text.lastIndexOf("/", at - 1) + 1;
      this.odd ||= at < first + 3 && text.charCodeAt(first) === DOT;
    }
    return this.odd ? -1 : at;
  }

  /** Whether an escape or an odd character can be in canonical text. */
  #accepts(kind: number, at: number): boolean {
    if (kind === ESCAPE) this.#escaped = true;
    this.odd = this.#url === null &&
      (kind === ODD || /^%2e/i.test(this.#text.slice(at, at + 3)));
    return !this.odd;
  }

  /** Where the path ends, or -1 if the text is odd. */
  #pathEnd(): number {
    if (this.#end >= 0) return this.#end;
    const text = this.#text;
    // Fixed text before may have escapes.
    this.#escaped ||= text.indexOf("%", this.#start) >= 0;
    let at = PLAIN_PATH.lastIndex = this.#reached;
    if (PLAIN_PATH.test(text)) return this.#end = PLAIN_PATH.lastIndex;
    while (text.charCodeAt(at) === SLASH) {
      at = this.#segmentEnd(at + 1);
      if (at < 0) return -1;
    }
    return this.#end = at;
  }

  /**
   * Goes on from a node, whose text ends at a position. Tells whether a better
   * leaf than there was before is at or below the node.
   */
  #walk(node: Node<Data>, at: number, depth: number): boolean {
    const text = this.#text;
    const { length } = text;
    while (at < length) {
      const code = text.charCodeAt(at);
      const child = childOf(node, code);
      const { param, others } = node;
      if (child !== null && this.#isAt(child, at)) {
        const next = at + child.length;
        if (param === null && others === null) {
          node = child;
          at = next;
          continue;
        }
        if (this.#isPromising(child) && this.#walk(child, next, depth)) {
          const more = others !== null || this.#isPromising(param!);
          if (more) this.#walkOthers(node, at, depth);
          return true;
        }
      }
      // Fixed text is canonical where it is all of its segments.
      if (code === SLASH && at > this.#reached) this.#reached = at;
      if (code !== SLASH || others !== null) break;
      if (param === null || !this.#isPromising(param)) return false;
      const end = this.#segmentEnd(++at);
      if (end <= at) return false;
      this.#marks[depth * 2] = at;
      this.#marks[depth * 2 + 1] = end;
      depth++;
      node = param;
      at = end;
    }
    const found = node.leaf !== null && this.#isEnd(at) &&
      this.#takeAll(node.leaf, at, depth);
    return node.others !== null && this.#walkOthers(node, at, depth) || found;
  }

  #isEnd(at: number): boolean {
    if (at === this.#text.length) return true;
    return at === this.#end || KINDS[this.#text.charCodeAt(at)] === END;
  }

  /** Whether the text of a node is at a position, where it begins right. */
  #isAt({ start, length }: Node<Data>, at: number): boolean {
    const text = this.#text;
    const bytes = this.#bytes;
    if (at + length > text.length) return false;
    for (let i = 1; i < length; i++) {
      if (bytes[start + i] !== text.charCodeAt(at + i)) return false;
    }
    return true;
  }

  /** Goes on from a node by all that is not fixed text. */
  #walkOthers(
    { param, others }: Node<Data>,
    at: number,
    depth: number,
  ): boolean {
    let found = others !== null && this.#walkMixed(others, at, depth);
    if (
      param !== null && this.#text.charCodeAt(at) === SLASH &&
      this.#isPromising(param)
    ) {
      const end = this.#segmentEnd(at + 1);
      if (end > at + 1) {
        this.#marks[depth * 2] = at + 1;
        this.#marks[depth * 2 + 1] = end;
        found = this.#walk(param, end, depth + 1) || found;
      }
    }
    return others !== null && this.#takeAll(others.rests, at, depth) || found;
  }

  #walkMixed({ mixed }: Others<Data>, at: number, depth: number): boolean {
    let found = false;
    for (const { matcher, node } of mixed) {
      if (!this.#isPromising(node)) continue;
      const end = this.#segmentEnd(at);
      if (end < 0) return false;
      if (matcher.run(this.#text, at, end, this.#marks, depth * 2)) {
        found = this.#walk(node, end, depth + matcher.names.length) || found;
      }
    }
    return found;
  }

  /** Makes those leaves the best one, one by one, that match and are better. */
  #takeAll(first: Leaf<Data> | null, at: number, depth: number): boolean {
    let found = false;
    for (let leaf = first; leaf !== null; leaf = leaf.next) {
      if (this.leaf !== null && !isBetter(leaf, this.leaf)) continue;
      if (this.#takesRest(leaf, at, depth)) found = this.#take(leaf) || found;
    }
    return found;
  }

  /** Whether anything below a node would be better than what was found. */
  #isPromising(node: Node<Data>): boolean {
    return this.leaf === null || isBetter(node.best!, this.leaf);
  }

  #takesRest(
    { rest, program }: Leaf<Data>,
    at: number,
    depth: number,
  ): boolean {
    if (rest === "none") return true;
    const text = this.#text;
    const end = this.#pathEnd();
    if (end < 0) return false;
    if (rest === "platform") return true;
    if (program !== null) {
      return program.run(text, at, end, this.#marks, depth * 2);
    }
    if (rest === "segments") {
      // None of the segments may be empty.
      const empty = text.indexOf("//", at - 1);
      if (at === end || text.charCodeAt(end - 1) === SLASH) return false;
      if (empty >= 0 && empty < end) return false;
    }
    this.#marks[depth * 2] = at;
    this.#marks[depth * 2 + 1] = end;
    return true;
  }

  /** Makes a leaf whose path matches the best one, if all else matches too. */
  #take(leaf: Leaf<Data>): boolean {
    const { names, guard } = leaf;
    let params = NO_PARAMS;
    if (guard !== null) {
      const found = this.#guarded(guard);
      if (found === null) return false;
      params = found;
    } else if (names.length > 0) {
      params = Object.create(null);
    }
    // What the platform has matched is complete.
    if (leaf.rest !== "platform") {
      addParams(params, names, this.#shown, this.#marks, this.#escaped);
    }
    this.leaf = leaf;
    this.#params = params;
    return true;
  }

  #guarded(guard: Guard): Record<string, string> | null {
    return guard(this.#url ??= new URL(this.#shown));
  }
}
