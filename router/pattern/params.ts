/**
 * The params of a pattern, read from its source: names and, for wildcards and
 * unnamed groups, numbers from "0". Those of optional parts may be missing.
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

/** The param of the path if a pattern has only an origin: it matches any. */
export type OriginPath<Pattern extends string> = Pattern extends
  `${string}://${infer Host}`
  ? Host extends `${string}${"/" | "?" | "#"}${string}` ? never : "0"
  : never;

// Takes only the names, so that patterns with equal names share a type.
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
 * regexps and backslashes. Most patterns are plain, and the compiler checks them
 * often, so they are read from colon to slash.
 */
export type PlainParamNames<Text extends string> = Text extends
  `${string}:${infer Segment}/${infer Rest}`
  ? ParamNames<Segment, never, null, ""> | PlainParamNames<Rest>
  : Text extends `${string}:${infer Segment}`
    ? ParamNames<Segment, never, null, "">
  : never;

/** The names in a protocol or a host. A single wildcard has no name there. */
export type OriginNames<Text extends string> = Text extends "*" | `*:${number}`
  ? never
  : Text extends `${infer Host}:*` ? OriginNames<Host>
  : ParamNames<Text>;

/**
 * The names of a pattern's params, read character by character. Those that may
 * be missing end with a question mark.
 *
 * @typeParam Text The rest of the pattern.
 * @typeParam Found The names so far.
 * @typeParam Group The names in the open `{}` group, and `""`; or null.
 * @typeParam Name The current name, or null.
 * @typeParam Depth One element for each open parenthesis of a regexp.
 * @typeParam Count One element for each unnamed part so far.
 * @typeParam Ended `true` after a part, if its modifier may follow.
 */
export type ParamNames<
  Text extends string,
  Found extends string = never,
  Group extends string | null = null,
  Name extends string | null = null,
  Depth extends 0[] = [],
  Count extends 0[] = [],
  Ended extends boolean = false,
> = Ended extends true
  ? Text extends `${"?" | "*"}${infer Rest}`
    ? ParamNames<Rest, Found | `${Name}?`, Group, null, [], Count>
  : [Group] extends [string]
    ? ParamNames<Text, Found, Group | `${Name}`, null, [], Count>
  : ParamNames<Text, Found | `${Name}`, null, null, [], Count>
  : Text extends `${infer First}${infer Rest}`
    ? Depth extends [0, ...infer Outer extends 0[]]
      ? First extends "\\"
        ? Rest extends `${string}${infer After}`
          ? ParamNames<After, Found, Group, Name, Depth, Count>
        : Found
      : First extends "("
        ? ParamNames<Rest, Found, Group, Name, [0, ...Depth], Count>
      : First extends ")"
        ? Outer extends []
          ? ParamNames<Rest, Found, Group, Name, [], Count, true>
        : ParamNames<Rest, Found, Group, Name, Outer, Count>
      : ParamNames<Rest, Found, Group, Name, Depth, Count>
    : Name extends string
      // A name ends at ASCII other than letters, digits, `_` and `$`.
      ? First extends
        | ("/" | ":" | "*" | "+" | "?" | "(" | ")" | "{" | "}" | "\\")
        | ("-" | "." | "~" | "!" | "&" | "'" | "," | ";" | "=" | "@" | "%")
        | (" " | '"' | "#" | "<" | ">" | "[" | "]" | "^" | "`" | "|")
        ? Name extends "" ? ParamNames<Text, Found, Group, null, [], Count>
        : First extends "(" ? ParamNames<Rest, Found, Group, Name, [0], Count>
        : ParamNames<Text, Found, Group, Name, [], Count, true>
        // A colon before a digit is a literal, such as that of a port.
      : `${Name}${First}` extends `${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`
        ? ParamNames<Rest, Found, Group, null, [], Count>
      : ParamNames<Rest, Found, Group, `${Name}${First}`, [], Count>
    : First extends ":" ? ParamNames<Rest, Found, Group, "", [], Count>
    : First extends "*" ? ParamNames<
        Rest,
        Found,
        Group,
        `${Count["length"]}`,
        [],
        [0, ...Count],
        true
      >
    : First extends "(" ? ParamNames<
        Rest,
        Found,
        Group,
        `${Count["length"]}`,
        [0],
        [0, ...Count]
      >
    : First extends "{" ? ParamNames<Rest, Found, "", null, [], Count>
    : First extends "}"
      ? Rest extends `${"?" | "*"}${infer After}` ? ParamNames<
          After,
          Found | `${Exclude<Group, "" | null>}?`,
          null,
          null,
          [],
          Count
        >
      : ParamNames<
        Rest,
        Found | Exclude<Group, "" | null>,
        null,
        null,
        [],
        Count
      >
    : First extends "\\"
      ? Rest extends `${string}${infer After}`
        ? ParamNames<After, Found, Group, null, [], Count>
      : Found
    : First extends "?" | "#"
      ? Rest extends "*" ? Found : ParamNames<Rest, Found>
    : ParamNames<Rest, Found, Group, null, [], Count>
  : string extends Text ? string
  : Name extends null | "" ? Found
  : ParamNames<"", Found, Group, Name, [], Count, true>;
