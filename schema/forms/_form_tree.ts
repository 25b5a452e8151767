// Reads a form with nested names once: `a.b`, `a[b]`, `a[0].b`, `a[]`.

/** The deepest nesting of names. */
export const MAX_DEPTH = 5;
/** The maximum number of values in a form with nested names. */
export const MAX_FIELDS = 1000;
/** The bound of indexes: each index must be smaller. */
const MAX_INDEX = 1000;

/** The values of a name, and the names below it. */
export class FormTree {
  readonly values: FormDataEntryValue[] = [];
  readonly children = new Map<string, FormTree>();

  /** Returns the tree below a name, or `undefined` if the form has no such name. */
  at(path: readonly string[]): FormTree | undefined {
    const [key, ...rest] = path;
    if (key === undefined) return this;
    return this.children.get(key)?.at(rest);
  }

  /**
   * Returns the items below the indexes, in order. Returns `undefined` if there
   * are other names, or if an index is missing.
   */
  items(): FormTree[] | undefined {
    const items: FormTree[] = [];
    for (let index = 0; index < this.children.size; index++) {
      const item = this.children.get(String(index));
      if (item === undefined || index >= MAX_INDEX) return undefined;
      items.push(item);
    }
    return items;
  }
}

/** Reads a form into a tree. Returns `undefined` if it has too many values. */
export function readTree(
  form: Iterable<readonly [string, FormDataEntryValue]>,
): FormTree | undefined {
  const root = new FormTree();
  let count = 0;
  for (const [name, value] of form) {
    if (++count > MAX_FIELDS) return undefined;
    const path = splitName(name);
    if (path === undefined) continue;
    let tree = root;
    for (const key of path) {
      let child = tree.children.get(key);
      if (child === undefined) tree.children.set(key, child = new FormTree());
      tree = child;
    }
    tree.values.push(value);
  }
  return root;
}

const FORBIDDEN = /* @__PURE__ */ new Set([
  "__proto__",
  "constructor",
  "prototype",
]);

/** Splits a name into keys. Returns `undefined` if it is malformed or forbidden. */
export function splitName(name: string): readonly string[] | undefined {
  if (name.length > 256) return undefined;
  const keys: string[] = [];
  let rest = name;
  while (rest !== "") {
    const match = keys.length === 0
      ? /^[^.[\]]+/.exec(rest)
      : /^(?:\.([^.[\]]+)|\[([^.[\]]*)\])/.exec(rest);
    if (match === null) return undefined;
    const key = match[1] ?? match[2] ?? match[0];
    rest = rest.slice(match[0].length);
    if (key === "" && rest === "") break;
    keys.push(key);
    if (key === "" || FORBIDDEN.has(key) || keys.length > MAX_DEPTH) {
      return undefined;
    }
  }
  return keys.length > 0 ? keys : undefined;
}
