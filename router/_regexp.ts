/** The characters of ASCII that a position accepts, one byte for each. */
export type CharacterSet = Uint8Array;

/** A regular expression that needs no backtracking engine. */
export type SimpleRegExp =
  | { readonly kind: "set"; readonly set: CharacterSet }
  | { readonly kind: "sequence"; readonly items: readonly SimpleRegExp[] }
  | { readonly kind: "choice"; readonly items: readonly SimpleRegExp[] }
  | {
    readonly kind: "repeat";
    readonly item: SimpleRegExp;
    readonly min: number;
    readonly max: number;
    readonly lazy: boolean;
  };

/** The set of the characters that a test accepts. */
export function characterSet(accepts: (code: number) => boolean): CharacterSet {
  return Uint8Array.from({ length: 128 }, (_, code) => accepts(code) ? 1 : 0);
}

/** Every character. URLs have no line ends, which a dot would leave out. */
export const ANY: CharacterSet = characterSet(() => true);

const CLASSES: Readonly<Record<string, CharacterSet>> = {
  d: characterSet((code) => code >= 48 && code <= 57),
  w: characterSet((code) => /\w/.test(String.fromCharCode(code))),
  s: characterSet((code) => /\s/.test(String.fromCharCode(code))),
};

/** How many characters and signs an expression may have with `{n,m}` written out. */
const MAX_SIZE = 1000;

/**
 * Parses the source of a regexp group, if it is one that means the same under
 * all flags and needs no backtracking: characters, classes, quantifiers,
 * alternatives, `(?:…)`. Returns `null` for anything else, valid or not.
 */
export function parseSimpleRegExp(source: string): SimpleRegExp | null {
  const reader = new Reader(source);
  const result = reader.choice();
  return reader.done() && result !== null && sizeOf(result) <= MAX_SIZE
    ? result
    : null;
}

class Reader {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  done(): boolean {
    return this.#at === this.#source.length;
  }

  choice(): SimpleRegExp | null {
    const items: SimpleRegExp[] = [];
    do {
      const item = this.#sequence();
      if (item === null) return null;
      items.push(item);
    } while (this.#skip("|"));
    return items.length === 1 ? items[0]! : { kind: "choice", items };
  }

  #skip(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #sequence(): SimpleRegExp | null {
    const items: SimpleRegExp[] = [];
    while (!this.done() && !/[|)]/.test(this.#source[this.#at]!)) {
      const atom = this.#atom();
      const item = atom === null ? null : this.#quantified(atom);
      if (item === null) return null;
      items.push(item);
    }
    return { kind: "sequence", items };
  }

  #atom(): SimpleRegExp | null {
    if (this.#skip("(?:")) {
      if (++this.#depth > 20) return null;
      const item = this.choice();
      this.#depth--;
      return this.#skip(")") ? item : null;
    }
    const set = this.#skip("[") ? this.#class() : this.#character();
    return set === null ? null : { kind: "set", set };
  }

  #character(): CharacterSet | null {
    const char = this.#source[this.#at++]!;
    if (char === ".") return ANY;
    if (char === "\\") return this.#escape();
    return /[\^$*+?(){}[\]]/.test(char) ? null : only(char);
  }

  #escape(): CharacterSet | null {
    const char = this.#source[this.#at++] ?? "";
    const set = CLASSES[char.toLowerCase()];
    if (set !== undefined) return char in CLASSES ? set : invert(set);
    return /^[\^$\\.*+?()[\]{}|/]$/.test(char) ? only(char) : null;
  }

  #class(): CharacterSet | null {
    const inverted = this.#skip("^");
    const result = new Uint8Array(128);
    while (!this.#skip("]")) {
      const first = this.#classItem();
      if (first === null) return null;
      if (!this.#skip("-")) {
        first.forEach((one, code) => result[code]! |= one);
        continue;
      }
      const last = this.#classItem();
      if (last === null || count(first) !== 1 || count(last) !== 1) return null;
      const [from, to] = [first.indexOf(1), last.indexOf(1)];
      if (from > to) return null;
      result.fill(1, from, to + 1);
    }
    return inverted ? invert(result) : result;
  }

  #classItem(): CharacterSet | null {
    const char = this.#source[this.#at++] ?? "";
    if (char === "\\") {
      return this.#skip("-") ? only("-") : this.#escape();
    }
    // Other signs mean different things under the flags u and v.
    return /^[\w.~@%+,:=]$/.test(char) &&
        !this.#source.startsWith(char + char, this.#at - 1)
      ? only(char)
      : null;
  }

  #quantified(item: SimpleRegExp): SimpleRegExp | null {
    const rest = this.#source.slice(this.#at);
    const [text, sign, from, comma, to] =
      /^(?:([*+?])|\{(\d{1,3})(,?)(\d{0,3})\})/.exec(rest) ?? [];
    if (text === undefined) return item;
    this.#at += text.length;
    const lazy = this.#skip("?");
    // Repeating what can be empty has rules of its own.
    if (canBeEmpty(item)) return null;
    if (sign !== undefined) {
      const [min, max] = [sign === "+" ? 1 : 0, sign === "?" ? 1 : Infinity];
      return { kind: "repeat", item, min, max, lazy };
    }
    const min = Number(from);
    const max = to ? Number(to) : comma ? Infinity : min;
    return min > max ? null : { kind: "repeat", item, min, max, lazy };
  }
}

function only(char: string): CharacterSet {
  return characterSet((code) => code === char.charCodeAt(0));
}

function invert(set: CharacterSet): CharacterSet {
  return set.map((one) => 1 - one);
}

function count(set: CharacterSet): number {
  return set.reduce((sum, one) => sum + one, 0);
}

/** Whether the empty text matches. */
export function canBeEmpty(regexp: SimpleRegExp): boolean {
  if (regexp.kind === "set") return false;
  if (regexp.kind === "choice") return regexp.items.some(canBeEmpty);
  if (regexp.kind === "sequence") return regexp.items.every(canBeEmpty);
  return regexp.min === 0 || canBeEmpty(regexp.item);
}

function sizeOf(regexp: SimpleRegExp): number {
  if (regexp.kind === "set") return 1;
  if (regexp.kind === "repeat") {
    const { item, min, max } = regexp;
    return sizeOf(item) * (max === Infinity ? min + 1 : max) + 1;
  }
  return regexp.items.reduce((sum, item) => sum + sizeOf(item) + 2, 0);
}

/** Whether a text that the expression matches can have a character. */
export function canMatch(regexp: SimpleRegExp, code: number): boolean {
  if (regexp.kind === "set") return regexp.set[code] === 1;
  if (regexp.kind === "repeat") return canMatch(regexp.item, code);
  return regexp.items.some((item) => canMatch(item, code));
}
