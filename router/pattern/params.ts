/**
 * The params of a pattern, read from its source: names and, for wildcards and
 * unnamed groups, numbers from "0". Params of optional parts may be missing.
 */
export type Params<Pattern extends string> = string extends Pattern
  ? Record<string, string>
  : Pattern extends `${string}${"*" | "(" | "{" | "\\"}${string}`
    ? ParamsByName<
      Pattern extends `/${string}` ? ParamNames<Pattern>
        // Numbers start at "0" in each component of a URL.
        : Pattern extends `${infer Protocol}://${infer Host}/${infer Path}`
          ? OriginNames<Protocol> | OriginNames<Host> | ParamNames<Path>
        : ParamNames<Pattern> | OriginPath<Pattern>
    >
  : ParamsByName<PlainParamNames<Pattern> | OriginPath<Pattern>>;

/**
 * The param of the path if a pattern has only an origin, which matches any
 * path.
 */
export type OriginPath<Pattern extends string> = Pattern extends
  `${string}://${infer Host}`
  ? Host extends `${string}${"/" | "?" | "#"}${string}` ? never : "0"
  : never;

// The type takes only the names, so that patterns with equal names share a
// type.
/**
 * The params of these names.
 *
 * @typeParam Names The names; those that may be missing end with a question
 * mark.
 */
export type ParamsByName<Names extends string> =
  Extract<Names, `${string}?`> extends never
    ? { readonly [Name in Names]: string }
    : (
      & {
        readonly [
          Name in Names as Name extends `${string}?` ? never : Name
        ]: string;
      }
      & {
        readonly [
          Name in Names as Name extends `${infer Optional}?` ? Optional : never
        ]?: string;
      }
    ) extends infer All ? { [Name in keyof All]: All[Name] }
    : never;

/**
 * The names of the params of a plain pattern: one without wildcards, groups,
 * regexps and backslashes. Most patterns are plain and the compiler checks them
 * often, so this type reads them from colon to slash.
 */
export type PlainParamNames<Text extends string> = Text extends
  `${string}:${infer Segment}/${infer Rest}`
  ? ParamNames<`:${Segment}`> | PlainParamNames<Rest>
  : Text extends `${string}:${infer Segment}` ? ParamNames<`:${Segment}`>
  : never;

/** The names in a protocol or a host. A single wildcard has no name there. */
export type OriginNames<Text extends string> = Text extends "*" | `*:${number}`
  ? never
  : Text extends `${infer Host}:*` ? OriginNames<Host>
  : ParamNames<Text>;

/**
 * The names of a pattern's params, read character by character. Names that may
 * be missing end with a question mark.
 *
 * @typeParam Text The rest of the pattern.
 * @typeParam Found The names so far. Names in an open group begin with a brace,
 * and so does the start of the group.
 * @typeParam Count One element for each unnamed part so far.
 */
export type ParamNames<
  Text extends string,
  Found extends string = never,
  Count extends 0[] = [],
> = Text extends `${infer First}${infer Rest}`
  ? First extends ":" | "*" | "(" ? (First extends ":" ? ReadParam<Rest, "", []>
      : ReadParam<
        Rest,
        `${Count["length"]}`,
        First extends "*" ? "end" : [0]
      >) extends [infer Name extends string, infer After extends string]
      ? ParamNames<
        After,
        | Found
        | (Name extends `${string}?` ? Name
          : "{" extends Found ? `{${Name}`
          : Name),
        First extends ":" ? Count : [0, ...Count]
      >
    : never
  : First extends "{" ? ParamNames<Rest, Found | "{", Count>
  : First extends "}"
    ? Rest extends `${"?" | "*"}${infer After}`
      ? ParamNames<After, CloseGroup<Found, "?">, Count>
    : ParamNames<Rest, CloseGroup<Found, "">, Count>
  : First extends "\\"
    ? Rest extends `${string}${infer After}` ? ParamNames<After, Found, Count>
    : Found
  : First extends "?" | "#" ? Rest extends "*" ? Found : ParamNames<Rest, Found>
  : ParamNames<Rest, Found, Count>
  : string extends Text ? string
  // A group that is not closed is invalid.
  : Exclude<Found, `{${string}`>;

/**
 * The name of a param, and the rest of the pattern after its regexp and its
 * modifier.
 *
 * @typeParam Text The rest of the pattern.
 * @typeParam Name The name so far.
 * @typeParam Depth One element for each open parenthesis of the regexp; `"end"`
 * after it.
 */
export type ReadParam<
  Text extends string,
  Name extends string,
  Depth extends 0[] | "end",
> = Depth extends "end"
  ? Text extends `${"?" | "*"}${infer Rest}` ? [`${Name}?`, Rest] : [Name, Text]
  : Text extends `${infer First}${infer Rest}`
    ? Depth extends [0, ...infer Outer extends 0[]]
      ? First extends "\\"
        ? Rest extends `${string}${infer After}` ? ReadParam<After, Name, Depth>
        : [never, ""]
      : First extends "(" ? ReadParam<Rest, Name, [0, ...Depth]>
      : First extends ")"
        ? ReadParam<Rest, Name, Outer extends [] ? "end" : Outer>
      : ReadParam<Rest, Name, Depth>
      // A name ends at ASCII other than letters, digits, `_` and `$`.
    : First extends
      | ("/" | ":" | "*" | "+" | "?" | "(" | ")" | "{" | "}" | "\\")
      | ("-" | "." | "~" | "!" | "&" | "'" | "," | ";" | "=" | "@" | "%")
      | (" " | '"' | "#" | "<" | ">" | "[" | "]" | "^" | "`" | "|")
      ? Name extends "" ? [never, Text]
      : First extends "(" ? ReadParam<Rest, Name, [0]>
      : ReadParam<Text, Name, "end">
      // A colon before a digit is a literal, as in a port.
    : `${Name}${First}` extends `${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`
      ? [never, Rest]
    : ReadParam<Rest, `${Name}${First}`, []>
  : string extends Text ? [never, Text]
  : [Name extends "" ? never : Name, ""];

/** The names after a group in braces, which get its modifier. */
export type CloseGroup<Found extends string, Mark extends "?" | ""> =
  Found extends "{" ? never
    : Found extends `{${infer Name}` ? `${Name}${Mark}`
    : Found;
