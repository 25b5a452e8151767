/**
 * A value of a template. Markup is inserted unchanged, and other values are
 * escaped.
 */
export type HTMLValue =
  | Markup
  | string
  | number
  | bigint
  | null
  | undefined
  | false
  | readonly HTMLChild[];

/** A value of a template, or a promise or iterable of such values. */
export type HTMLChild =
  | HTMLValue
  | Promise<HTMLValue>
  | AsyncIterable<HTMLValue>;

/** HTML that {@linkcode html} has created. */
export interface Markup {
  /**
   * Returns the source.
   *
   * @returns The source.
   * @throws {TypeError} If the markup contains a promise.
   */
  toString(): string;
}

/** The class is private to this file: no other code can create markup. */
class EscapedMarkup implements Markup {
  readonly parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }

  toString(): string {
    const [source = "", ...others] = this.parts;
    if (others.length === 0 && typeof source === "string") return source;
    throw new TypeError("Cannot convert markup: it contains a promise");
  }
}

/** A piece of source, or a value that is still to come. */
type Part = string | Promise<HTMLValue> | AsyncIterable<HTMLValue>;

/**
 * Creates markup from a template. Strings are escaped for element content and for
 * quoted attribute values. `null`, `undefined` and `false` are omitted, arrays are
 * joined.
 *
 * A promise or an async iterable is inserted when {@linkcode htmlResponse} sends
 * the page, so the browser gets the part before it first.
 *
 * Trust: write the quotes of attributes in the template, and check the scheme of
 * links. Do not insert values into scripts and styles.
 *
 * @example A list
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { html } from "@gatehouse/web/content";
 *
 * const items = ["Milk", "<Bread>"].map((item) => html`<li>${item}</li>`);
 * assertEquals(
 *   String(html`<ul>${items}</ul>`),
 *   "<ul><li>Milk</li><li>&lt;Bread&gt;</li></ul>",
 * );
 * ```
 *
 * @param strings The source of the template.
 * @param children The values.
 * @returns The markup.
 */
export function html(
  strings: TemplateStringsArray,
  ...children: readonly HTMLChild[]
): Markup {
  const parts: Part[] = [strings[0]!];
  for (const [index, child] of children.entries()) {
    append(parts, child);
    appendSource(parts, strings[index + 1]!);
  }
  return new EscapedMarkup(parts);
}

/**
 * Creates markup from a string without escaping it, such as the output of a
 * Markdown library.
 *
 * Trust: the string must not contain scripts of other users. You must sanitize
 * it first.
 *
 * @example The output of a library
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { html, unsafeHTML } from "@gatehouse/web/content";
 *
 * const source = "<em>Hello</em>"; // of your Markdown library
 * assertEquals(String(html`<p>${unsafeHTML(source)}</p>`), "<p><em>Hello</em></p>");
 * ```
 *
 * @param source The source.
 * @returns The markup.
 */
export function unsafeHTML(source: string): Markup {
  return new EscapedMarkup([String(source)]);
}

/**
 * Creates the response of a page, with a doctype and the type `text/html`.
 *
 * Markup with promises is streamed. If one of them rejects, the error is printed
 * and the response ends, because its status was sent before.
 *
 * @example A page
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { html, htmlResponse } from "@gatehouse/web/content";
 *
 * const response = htmlResponse(html`<h1>Hello</h1>`, { status: 201 });
 * assertEquals(response.status, 201);
 * assertEquals(await response.text(), "<!doctype html>\n<h1>Hello</h1>");
 * ```
 *
 * @param markup The page, without a doctype.
 * @param init The status and the headers.
 * @returns The response.
 */
export function htmlResponse(
  markup: Markup,
  init: ResponseInit = {},
): Response {
  const page = html`<!doctype html>\n${markup}` as EscapedMarkup;
  const headers = new Headers(init.headers);
  headers.set("Content-Type", "text/html; charset=utf-8");
  const body = page.parts.length === 1 ? String(page) : streamOf(page);
  return new Response(body, { ...init, headers });
}

/** Appends the source of a value, or the value if it is still to come. */
function append(parts: Part[], child: HTMLChild): void {
  if (child === null || child === undefined || child === false) return;
  if (child instanceof EscapedMarkup) {
    for (const part of child.parts) {
      if (typeof part === "string") appendSource(parts, part);
      else parts.push(part);
    }
  } else if (Array.isArray(child)) {
    for (const each of child) append(parts, each);
  } else if (isLate(child)) {
    // A rejection before the child's turn would be unhandled without this.
    if (child instanceof Promise) child.catch(() => {});
    parts.push(child);
  } else appendSource(parts, escape(String(child)));
}

function isLate(
  child: HTMLChild,
): child is Promise<HTMLValue> | AsyncIterable<HTMLValue> {
  return child instanceof Promise ||
    typeof child === "object" && child !== null &&
      Symbol.asyncIterator in child;
}

function appendSource(parts: Part[], source: string): void {
  const last = parts.at(-1);
  if (typeof last === "string") parts[parts.length - 1] = last + source;
  else parts.push(source);
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ENTITIES[char]!);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Yields the source of markup, with the values that are still to come. */
async function* sourcesOf({ parts }: EscapedMarkup): AsyncGenerator<string> {
  for (const part of parts) {
    if (typeof part === "string") yield part;
    else if (part instanceof Promise) {
      yield* sourcesOf(html`${await part}` as EscapedMarkup);
    } else {
      for await (const child of part) {
        yield* sourcesOf(html`${child}` as EscapedMarkup);
      }
    }
  }
}

function streamOf(page: EscapedMarkup): ReadableStream<Uint8Array> {
  const sources = sourcesOf(page);
  const encoder = new TextEncoder();
  let isCanceled = false;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await sources.next();
        if (isCanceled) return;
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        console.error(error);
        controller.error(error);
      }
    },
    cancel() {
      isCanceled = true;
      // The response does not wait for the end of the source, so a rejection
      // would be unhandled.
      sources.return(undefined).catch((error) => console.error(error));
    },
  }, { highWaterMark: 0 });
}
