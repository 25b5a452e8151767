import { decodeValue } from "./_params.ts";
import {
  addToHash,
  isBetter,
  type Leaf,
  type Mixed,
  type Node,
  type Others,
  type Tree,
} from "./_tree.ts";

const HASH = 35;
const DOT = 46;
const SLASH = 47;
const QUESTION_MARK = 63;

// What a character of a path is.
const PLAIN = 0;
const SEPARATOR = 1;
const END = 2;
const ESCAPE = 3;
const ODD = 4;

/**
 * What the characters of ASCII are in text that may not be canonical. The odd
 * ones are for the URL parser.
 */
const KINDS: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (char === "/") return SEPARATOR;
  if (char === "?" || char === "#") return END;
  if (char === "%") return ESCAPE;
  return /[\w\-.~!$&'()*+,;=:@]/.test(char) ? PLAIN : ODD;
});

/** A route that matches a URL. */
export interface Match<Data> {
  /** What the route was added with. */
  readonly data: Data;
  /**
   * The params by name, percent-decoded, in an object without a prototype.
   * Those of optional parts that are not in the URL have no key.
   */
  readonly params: Record<string, string>;
}

const NO_MIXED: readonly Mixed<never>[] = [];

/** The params of all routes without params. */
const NO_PARAMS: Record<string, string> = Object.freeze(Object.create(null));

/** Finds the most specific leaf for a URL, in one tree or in several. */
export class Search<Data> {
  /** The most specific leaf so far. */
  leaf: Leaf<Data> | null = null;
  /** Whether the text is not canonical after all, so that nothing counts. */
  odd = false;

  #params = NO_PARAMS;
  #text = "";
  #shown = "";
  #start = 0;
  #length = 0;
  #canonical = false;
  /** Whether there may be escapes in the params. */
  #escaped = false;
  /** Up to where the text has been read as far as any walk went. */
  #reached = 0;
  /** The hash of the segment that was read last. */
  #hash = 0;
  /** Where the path ends, and from where on that was read. */
  #end = -1;
  #endFrom = Infinity;
  #url: URL | null = null;
  /** Start and end of each param. */
  readonly #marks: number[] = [];

  /**
   * Begins with another URL.
   *
   * @param text The URL, or the path alone.
   * @param start Where its path begins.
   * @param canonical Whether it is known to be in canonical form.
   * @param url The URL, where the text is not all of it.
   */
  begin(
    text: string,
    start: number,
    canonical: boolean,
    url: URL | null,
  ): void {
    this.leaf = null;
    this.odd = false;
    this.#text = this.#shown = text;
    this.#start = this.#reached = start;
    this.#length = text.length;
    this.#canonical = canonical;
    this.#escaped = false;
    this.#endFrom = Infinity;
    this.#url = url;
    if (text.charCodeAt(start) !== SLASH) {
      // An opaque path, which has no segments.
      this.#endFrom = start;
      this.#end = text.length;
      this.#escaped = true;
    }
  }

  /** Whether a tree has a better leaf than there was before. */
  run(tree: Tree<Data>): boolean {
    return this.#walk(tree.root, this.#start, 0) && !this.odd;
  }

  /** Searches a tree of lower-case text. The URL must be canonical. */
  runFolded(tree: Tree<Data>): boolean {
    this.#text = this.#shown.toLowerCase();
    const found = this.run(tree);
    this.#text = this.#shown;
    return found;
  }

  /** The match for the leaf. */
  match(): Match<Data> {
    return { data: this.leaf!.data, params: this.#params };
  }

  /** Whether the text is canonical as far as no walk has read it. */
  isCanonical(): boolean {
    return !this.odd && this.#pathEnd(this.#reached) >= 0;
  }

  /**
   * Goes on from a node, whose segment ends where the next one has its slash.
   * Tells whether a better leaf than there was before is at or below the node.
   */
  #walk(node: Node<Data>, at: number, depth: number): boolean {
    const text = this.#text;
    const length = this.#length;
    while (at < length && text.charCodeAt(at) === SLASH) {
      let end = at + 1;
      let hash = 0;
      let kind = END;
      while (end < length) {
        const code = text.charCodeAt(end);
        kind = KINDS[code]!;
        if (kind !== PLAIN) break;
        hash = addToHash(hash, code);
        end++;
      }
      // What is not in the table is odd, too.
      if (!(kind <= END) || text.charCodeAt(at + 1) === DOT) {
        end = this.#readSegment(at + 1);
        if (end < 0) return false;
        hash = this.#hash;
      }
      if (end > this.#reached) this.#reached = end;
      const { slots, param, others } = node;
      let child = slots === null ? null : slots[hash & slots.length - 1]!;
      while (child !== null && !isAt(child, hash, text, at + 1, end)) {
        child = child.chain;
      }
      if (child !== null) {
        if (param === null && others === null) {
          node = child;
          at = end;
          continue;
        }
        if (this.#isPromising(child) && this.#walk(child, end, depth)) {
          this.#walkOthers(node, at, end, depth);
          return true;
        }
        if (this.odd) return false;
      }
      if (others !== null) return this.#walkOthers(node, at, end, depth);
      if (param === null || end === at + 1) return false;
      if (!this.#isPromising(param)) return false;
      this.#marks[depth * 2] = at + 1;
      this.#marks[depth * 2 + 1] = end;
      depth++;
      node = param;
      at = end;
    }
    const found = node.leaf !== null && this.#accept(node.leaf);
    return node.others === null
      ? found
      : this.#walkRests(node.others, at, depth) || found;
  }

  /** Goes on from a node by all that is not fixed text. */
  #walkOthers(
    node: Node<Data>,
    at: number,
    end: number,
    depth: number,
  ): boolean {
    const { param, others } = node;
    let found = others !== null && this.#walkMixed(others, at, end, depth);
    if (param !== null && end > at + 1 && this.#isPromising(param)) {
      this.#marks[depth * 2] = at + 1;
      this.#marks[depth * 2 + 1] = end;
      found = this.#walk(param, end, depth + 1) || found;
    }
    return others !== null && this.#walkRests(others, at, depth) || found;
  }

  #walkMixed(
    { mixed }: Others<Data>,
    at: number,
    end: number,
    depth: number,
  ): boolean {
    let found = false;
    for (const { length, byText } of mixed) {
      const text = this.#text.slice(at + 1, Math.min(at + 1 + length, end));
      for (const { matcher, node } of byText.get(text) ?? NO_MIXED) {
        if (
          this.#isPromising(node) &&
          matcher.run(this.#text, at + 1, end, this.#marks, depth * 2)
        ) {
          found = this.#walk(node, end, depth + matcher.names.length) || found;
        }
      }
    }
    return found;
  }

  #walkRests({ rests }: Others<Data>, at: number, depth: number): boolean {
    let found = false;
    for (let leaf = rests; leaf !== null && !this.odd; leaf = leaf.next) {
      if (this.leaf !== null && !isBetter(leaf, this.leaf)) continue;
      if (this.#takesRest(leaf, at, depth)) found = this.#take(leaf) || found;
    }
    return found;
  }

  /** Whether anything below a node would be better than what was found. */
  #isPromising(node: Node<Data>): boolean {
    return this.leaf === null || isBetter(node.best!, this.leaf);
  }

  #takesRest(leaf: Leaf<Data>, at: number, depth: number): boolean {
    const end = this.#pathEnd(at);
    if (end < 0) return false;
    const text = this.#text;
    if (leaf.rest === "platform") return true;
    if (leaf.rest === "parts") {
      return leaf.program!.run(text, at, end, this.#marks, depth * 2);
    }
    const start = at + leaf.text.length;
    if (start > end || !text.startsWith(leaf.text, at)) return false;
    if (leaf.rest === "segments") {
      // None of the segments may be empty.
      if (start === end || text.charCodeAt(end - 1) === SLASH) return false;
      const empty = text.indexOf("//", at);
      if (empty >= 0 && empty < end) return false;
    }
    this.#marks[depth * 2] = start;
    this.#marks[depth * 2 + 1] = end;
    return true;
  }

  #accept(first: Leaf<Data>): boolean {
    let found = false;
    for (let leaf: Leaf<Data> | null = first; leaf !== null; leaf = leaf.next) {
      if (this.leaf !== null && !isBetter(leaf, this.leaf)) continue;
      found = this.#take(leaf) || found;
    }
    return found;
  }

  /** Makes a leaf whose path matches the best one, if all else matches too. */
  #take(leaf: Leaf<Data>): boolean {
    const { names, guard, platform } = leaf;
    if (guard !== null || platform !== null) return this.#takeGuarded(leaf);
    let params = NO_PARAMS;
    if (names.length > 0) {
      params = Object.create(null);
      this.#addParams(params, names);
    }
    this.leaf = leaf;
    this.#params = params;
    return true;
  }

  #takeGuarded(leaf: Leaf<Data>): boolean {
    const { names, guard, platform } = leaf;
    let params: Record<string, string> | null = Object.create(null);
    if (guard !== null) {
      const groups = guard.match(this.#url ??= new URL(this.#shown));
      if (groups === null) return false;
      for (const [i, name] of guard.names.entries()) {
        const value = groups[i];
        if (value !== undefined) params![name] = decodeValue(value);
      }
    }
    if (platform !== null) {
      params = platform.match(this.#url ??= new URL(this.#shown));
      if (params === null) return false;
    } else {
      this.#addParams(params!, names);
    }
    this.leaf = leaf;
    this.#params = params!;
    return true;
  }

  #addParams(params: Record<string, string>, names: readonly string[]): void {
    const marks = this.#marks;
    for (let i = 0; i < names.length; i++) {
      const start = marks[i * 2]!;
      if (start < 0) continue;
      const value = this.#shown.slice(start, marks[i * 2 + 1]);
      params[names[i]!] = this.#escaped ? decodeValue(value) : value;
    }
  }

  /** Where a segment ends that may have escapes, or -1 if the text is odd. */
  #readSegment(start: number): number {
    const text = this.#text;
    let hash = 0;
    let at = start;
    for (; at < this.#length; at++) {
      const code = text.charCodeAt(at);
      const kind = KINDS[code] ?? ODD;
      if (kind === SEPARATOR || kind === END) break;
      if (kind !== PLAIN && !this.#accepts(kind, at)) return -1;
      hash = addToHash(hash, code);
    }
    this.#hash = hash;
    if (this.#canonical || !isDotSegment(text, start, at)) return at;
    this.odd = true;
    return -1;
  }

  /** Where the path ends, or -1 if the text from a slash on is odd. */
  #pathEnd(slash: number): number {
    if (slash >= this.#endFrom) return this.#end;
    let at = slash;
    while (at < this.#length && this.#text.charCodeAt(at) === SLASH) {
      at = this.#readSegment(at + 1);
      if (at < 0) return -1;
    }
    this.#endFrom = slash;
    return this.#end = at;
  }

  /** Whether an escape or an odd character can be in canonical text. */
  #accepts(kind: number, at: number): boolean {
    if (kind === ESCAPE) this.#escaped = true;
    if (this.#canonical) return true;
    const escape = this.#text.slice(at, at + 3);
    if (kind === ESCAPE && escape !== "%2e" && escape !== "%2E") return true;
    this.odd = true;
    return false;
  }
}

/** Whether a node has the text of a segment, whose hash is known. */
function isAt<Data>(
  node: Node<Data>,
  hash: number,
  text: string,
  start: number,
  end: number,
): boolean {
  if (node.hash !== hash || node.text.length !== end - start) return false;
  for (let i = start; i < end; i++) {
    if (node.text.charCodeAt(i - start) !== text.charCodeAt(i)) return false;
  }
  return true;
}

function isDotSegment(text: string, start: number, end: number): boolean {
  return end > start && end < start + 3 && text.charCodeAt(start) === DOT &&
    text.charCodeAt(end - 1) === DOT;
}
