// Creates the request of a call.

import type { AnyRoute } from "../routes/route.ts";
import type { BytesBody, CallOptions, ClientOptions } from "./options.ts";

/** The input of a call without its types. */
export interface AnyInput extends CallOptions {
  readonly params?: Readonly<Record<string, string | number | undefined>>;
  readonly query?: object;
  readonly json?: unknown;
  readonly form?: object;
  readonly body?: BytesBody["body"] | undefined;
}

/** Creates a request. Throws if no request can carry the input. */
export async function createRequest(
  { method, operation, pattern }: AnyRoute,
  { params, query, json, form, body: bytes, headers, signal }: AnyInput,
  base: string,
  common: ClientOptions["headers"],
): Promise<Request> {
  const search = entriesOf(query).filter(isText);
  const path = pattern.href(params, new URLSearchParams(search));
  // A pattern with a host is a whole URL.
  const url = new URL(path[0] === "/" ? base + path : path);
  const sent = new Headers({ Accept: "application/json, */*;q=0.5" });
  const add = (more: HeadersInit | undefined) =>
    new Headers(more).forEach((value, name) => sent.set(name, value));
  if (url.href.startsWith(`${base}/`)) {
    add(typeof common === "function" ? await common() : common);
  }
  let body: BodyInit | null = null;
  if (form) body = bodyOf(form);
  else if (json !== undefined) {
    body = JSON.stringify(json);
    add({ "Content-Type": "application/json" });
  } else if (bytes !== undefined) {
    body = bytes;
    // A blob has its own type, and a list is a choice of the caller.
    const type = operation?.body;
    const isTyped = bytes instanceof Blob && bytes.type !== "";
    if (typeof type === "string" && !isTyped) add({ "Content-Type": type });
  }
  add(headers);
  const [first] = [method].flat();
  return new Request(url, {
    // A route for all methods gets the method that fits the body.
    method: first === "ANY" ? body === null ? "GET" : "POST" : first,
    headers: sent,
    body,
    // Following a redirect could send the headers to another origin.
    redirect: "manual",
    signal,
  });
}

/** Returns the form unchanged, or creates one, with parts only for files. */
function bodyOf(form: object): FormData | URLSearchParams {
  if (form instanceof FormData) return form;
  const entries = entriesOf(form);
  if (entries.every(isText)) return new URLSearchParams(entries);
  const data = new FormData();
  for (const [name, value] of entries) data.append(name, value);
  return data;
}

type Entry = [name: string, value: string | Blob];

function isText(entry: Entry): entry is [string, string] {
  return typeof entry[1] === "string";
}

/** Returns the fields of a form: nested ones have names such as `items[0].id`. */
function entriesOf(value: unknown, name = ""): Entry[] {
  if (value === undefined) return [];
  if (value instanceof URLSearchParams) return [...value];
  if (value instanceof Blob) return [[name, value]];
  if (!isNested(value)) {
    const text = value instanceof Date ? value.toISOString() : value ?? "";
    return [[name, String(text)]];
  }
  return Object.entries(value).flatMap(([key, item]) => {
    // The values of an array repeat the name, while objects in it get an index.
    const inner = Array.isArray(value)
      ? isNested(item) ? `${name}[${key}]` : name
      : name
      ? `${name}.${key}`
      : key;
    return entriesOf(item, inner);
  });
}

function isNested(value: unknown): value is object {
  return Object(value) === value &&
    !(value instanceof Blob || value instanceof Date);
}
