import type { Part } from "../pattern/parse.ts";
import { isOptional, isRepeated } from "../pattern/segments.ts";
import {
  add,
  type Emit,
  MARK,
  NOT_EMPTY,
  repeat,
  sequence,
  setOf,
  TEXT,
} from "../pattern/states.ts";

/**
 * The states of some parts, which do what the regular expression of URLPattern
 * does.
 *
 * @param delimiter What ends a segment, or "".
 * @see {@link https://urlpattern.spec.whatwg.org/#generate-a-regular-expression-and-name-list | URL Pattern, 2.1.4}
 */
export function emitParts(parts: readonly Part[], delimiter: string): Emit {
  let count = 0;
  return sequence(parts.map((part) => {
    const mark = count;
    if (part.type !== "text") count += 2;
    return emitPart(part, mark, delimiter);
  }));
}

function emitPart(part: Part, mark: number, delimiter: string): Emit {
  const { type, prefix, suffix, modifier } = part;
  const min = isOptional(part) ? 0 : 1;
  const max = isRepeated(part) ? Infinity : 1;
  if (type === "text") return repeat(fixed(prefix), min, max);
  const value = emitValue(part, delimiter);
  const isBare = prefix + suffix === "";
  // A group that repeats has one value, from its first to its last.
  const more = sequence([fixed(suffix + prefix), value]);
  const values = max === 1
    ? value
    : isBare
    ? repeat(value, min, max)
    : sequence([value, repeat(more, 0, max)]);
  const group = sequence([
    fixed(prefix),
    (next) => add(MARK, next, { mark }),
    values,
    // An optional group that would be empty counts as absent.
    (next) =>
      isBare && modifier === "?" ? add(NOT_EMPTY, next, { mark }) : next,
    (next) => add(MARK, next, { mark: mark + 1 }),
    fixed(suffix),
  ]);
  return isBare && max > 1 ? group : repeat(group, min, 1);
}

function emitValue({ type, regexp }: Part, delimiter: string): Emit {
  if (regexp !== null) return regexp.emit;
  if (type === "wildcard") return repeat(setOf("[^]"), 0, Infinity);
  const character = setOf(`[^${delimiter && `\\${delimiter}`}]`);
  return repeat(character, 1, Infinity, true);
}

function fixed(text: string): Emit {
  return (next) => text === "" ? next : add(TEXT, next, { text });
}
