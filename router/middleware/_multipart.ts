// Parses multipart forms (RFC 7578) equally on all runtimes.

/** The maximum number of parts in a form. */
export interface PartLimits {
  /** The maximum number of parts, fields and files together. */
  readonly maxParts: number;
  /** The maximum number of files. */
  readonly maxFiles: number;
}

/** The longest header section of a part, in bytes. */
const MAX_HEADERS = 8_192;

/** The fields of the header section of a part. */
interface PartHeaders {
  readonly name: string;
  /** `undefined` for a field without a file. */
  readonly filename: string | undefined;
  readonly type: string;
}

/**
 * Parses a multipart body. Returns 400 if it is malformed or ambiguous, and 413 if
 * it has too many parts.
 *
 * @param bytes The body.
 * @param boundary The boundary of the parts.
 */
export function parseMultipart(
  bytes: Uint8Array<ArrayBuffer>,
  boundary: string,
  { maxParts, maxFiles }: PartLimits,
): FormData | 400 | 413 {
  const delimiter = `--${boundary}`;
  // Each character stands for one byte.
  const text = new TextDecoder("latin1").decode(bytes);
  const form = new FormData();
  let files = 0;
  let at = delimiter.length;
  if (!text.startsWith(delimiter)) return 400;
  for (let parts = 0;; parts++) {
    if (text.startsWith("--", at)) return isBlank(text, at + 2) ? form : 400;
    if (!text.startsWith("\r\n", at)) return 400;
    if (parts >= maxParts) return 413;
    const end = text.indexOf("\r\n\r\n", at);
    if (end < 0 || end - at > MAX_HEADERS) return 400;
    const headers = readHeaders(text.slice(at + 2, end));
    if (headers === null) return 400;
    // Some parsers read a delimiter right after the headers as the next part.
    const next = text.indexOf(`\r\n${delimiter}`, end + 2);
    if (next < end + 4) return 400;
    const content = bytes.subarray(end + 4, next);
    const { name, filename, type } = headers;
    if (filename === undefined) form.append(name, decode(content));
    else if (++files > maxFiles) return 413;
    else form.append(name, new File([content], filename, { type }));
    at = next + 2 + delimiter.length;
  }
}

/** Returns `true` if only line ends and spaces follow the last delimiter. */
function isBlank(text: string, start: number): boolean {
  return /^[ \t\r\n]*$/.test(text.slice(start));
}

/** Reads the header section of a part. Returns `null` if it is malformed. */
function readHeaders(section: string): PartHeaders | null {
  const values = new Map<string, string>();
  for (const line of section.split("\r\n")) {
    // Parsers in front of this one may read a control character differently: a
    // lone line feed, for example.
    const match = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t -~\u0080-\u00ff]*)$/
      .exec(line);
    const name = match?.[1]?.toLowerCase();
    if (!match || values.has(name!)) return null;
    values.set(name!, match[2]!.trimEnd());
  }
  const params = readDisposition(values.get("content-disposition") ?? "");
  const name = params?.get("name");
  if (params === null || name === undefined) return null;
  const filename = filenameOf(params);
  if (filename === null) return null;
  // The default type is `text/plain` (RFC 7578, section 4.4).
  const type = values.get("content-type") ?? "text/plain";
  return { name, filename, type };
}

/**
 * A parameter: its name, and its value as a quoted string or a token. The last
 * quote ends a name, because browsers do not escape a backslash before it. Each
 * backslash matches in one way only: otherwise a row of them without a quote at
 * the end would take exponential time.
 */
const PARAM =
  /[ \t]*;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\\\|\\"(?!$)|\\(?!["\\])|\\(?="$))*)"|([^\s";]+))/y;

/** Reads the parameters of `Content-Disposition`, each of which occurs once. */
function readDisposition(value: string): Map<string, string> | null {
  if (!/^form-data(?=[ \t;])/i.test(value)) return null;
  const params = new Map<string, string>();
  PARAM.lastIndex = "form-data".length;
  while (PARAM.lastIndex < value.length) {
    const match = PARAM.exec(value);
    const name = match?.[1]?.toLowerCase();
    if (!match || params.has(name!)) return null;
    const text = match[3] ?? match[2]!.replace(/\\(["\\])/g, "$1");
    params.set(name!, name!.endsWith("*") ? text : decodeName(text));
  }
  return params;
}

/**
 * Decodes a name as browsers encode it: they write UTF-8 with three percent
 * sequences.
 */
function decodeName(text: string): string {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  return decode(bytes)
    .replace(
      /%(22|0a|0d)/gi,
      (_, hex) => String.fromCharCode(parseInt(hex, 16)),
    );
}

/**
 * Returns the name of the file, `undefined` without one, or `null` if it is
 * malformed. Clients must not send `filename*`, but some send only that.
 */
function filenameOf(params: Map<string, string>): string | undefined | null {
  const plain = params.get("filename");
  const extended = params.get("filename*");
  if (plain !== undefined || extended === undefined) return plain;
  const encoded = /^utf-8'[\w-]*'(.*)$/i.exec(extended)?.[1];
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

/** Decodes UTF-8, and keeps a byte order mark, which is a part of the value. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
