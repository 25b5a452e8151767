import { isPlain } from "./canonical_url.ts";
import { addParams } from "../pattern/component_matcher.ts";
import { type Match, NO_PARAMS } from "./matcher.ts";
import {
  ANY_METHOD,
  childOf,
  type Leaf,
  type Node,
  type RouteTree,
  type RouteTrees,
  SLASH,
} from "./_route_tree.ts";
import { bestOf, moreSpecific } from "./_ranking.ts";

/** Searches trees for the most specific route of a URL. */
export class Search<Data> {
  /** The URL, or only its path if it had to be parsed. */
  readonly #shown: string;
  readonly #pathStart: number;
  readonly #pathEnd: number;
  #url: URL | null;
  /** The path in the case of the tree that is searched. */
  #path = "";
  #bytes: Uint8Array = NO_BYTES;
  /** Start and end of each param. */
  readonly #marks: number[] = [];
  #best: Leaf<Data> | null = null;
  #match: Match<Data> | null = null;

  private constructor(shown: string, start: number, url: URL | null) {
    const query = shown.indexOf("?", start);
    this.#shown = shown;
    this.#pathStart = start;
    this.#pathEnd = query < 0 ? shown.length : query;
    this.#url = url;
  }

  /**
   * Starts a search, or returns `null` if the URL is invalid.
   *
   * @param start The index of the path in the URL; -1 if it is unknown.
   */
  static start<Data>(given: string, start: number): Search<Data> | null {
    if (isPlain(given, start)) return new Search(given, start, null);
    const url = URL.parse(given);
    return url && new Search(url.pathname, 0, url);
  }

  /** The hostname of the URL. */
  get host(): string {
    if (this.#url !== null) return this.#url.hostname;
    const start = this.#shown.indexOf("//") + 2;
    return this.#shown.slice(start, this.#pathStart).replace(/:\d+$/, "");
  }

  /** `true` if the last match is a route for any method. */
  get isForAny(): boolean {
    return this.#best !== null && this.#best.sequence >= ANY_METHOD;
  }

  /** Finds the most specific route of some trees. */
  find(trees: RouteTrees<Data> | undefined): Match<Data> | null {
    this.#best = this.#match = null;
    if (trees === undefined) return null;
    this.#searchTree(trees.exact, this.#shown);
    if (trees.folded !== null) {
      this.#searchTree(trees.folded, this.#shown.toLowerCase());
    }
    return this.#match;
  }

  #searchTree(tree: RouteTree<Data>, path: string): void {
    this.#path = path;
    this.#bytes = tree.bytes;
    this.#visit(tree.root, this.#pathStart, 0);
  }

  /** Continues from a node that matches the path up to a position. */
  #visit(node: Node<Data>, at: number, depth: number): void {
    const code = this.#path.charCodeAt(at);
    const child = childOf(node, code);
    if (child !== null && this.#canImprove(child) && this.#isAt(child, at)) {
      this.#visit(child, at + child.length, depth);
    }
    const { param, branches, leaf } = node;
    if (param !== null && code === SLASH && this.#canImprove(param)) {
      const start = this.#marks[depth] = at + 1;
      const end = this.#marks[depth + 1] = this.#segmentEnd(start);
      if (end > start) this.#visit(param, end, depth + 2);
    }
    if (at === this.#pathEnd) this.#compare(leaf);
    if (branches === null) return;
    for (const { match, toEnd, node } of branches) {
      if (!this.#canImprove(node)) continue;
      const end = toEnd ? this.#pathEnd : this.#segmentEnd(at);
      const behind = match(this.#path, at, end, this.#marks, depth);
      if (behind >= 0) this.#visit(node, end, behind);
    }
  }

  /** Returns `true` if a node may lead to a better leaf than the best so far. */
  #canImprove(node: Node<Data>): boolean {
    const best = this.#best;
    return best === null || moreSpecific(bestOf(node), best) !== best;
  }

  #segmentEnd(at: number): number {
    const slash = this.#path.indexOf("/", at);
    return slash < 0 || slash > this.#pathEnd ? this.#pathEnd : slash;
  }

  /** Compares the literal of a node. Its first character is known to match. */
  #isAt({ start, length }: Node<Data>, at: number): boolean {
    for (let i = 1; i < length; i++) {
      if (this.#bytes[start + i] !== this.#path.charCodeAt(at + i)) {
        return false;
      }
    }
    return true;
  }

  /** Keeps the best of the leaves that match. */
  #compare(first: Leaf<Data> | null): void {
    for (let leaf = first; leaf !== null; leaf = leaf.next) {
      if (moreSpecific(leaf, this.#best) !== leaf) continue;
      const { data, matchComponents, names } = leaf;
      const params = matchComponents === null
        ? names.length === 0 ? NO_PARAMS : Object.create(null)
        : matchComponents(this.#url ??= new URL(this.#shown));
      if (params === null) continue;
      addParams(params, names, this.#shown, this.#marks);
      this.#best = leaf;
      this.#match = { data, params };
    }
  }
}

const NO_BYTES = /* @__PURE__ */ new Uint8Array(0);
