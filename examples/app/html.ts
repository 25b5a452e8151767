/**
 * Markup that {@linkcode html} created, so all its strings are escaped. The class
 * is private to this file: no other code can create one.
 */
class EscapedMarkup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** Markup that is safe to send. */
export type Markup = EscapedMarkup;

/** A value of a template: markup is inserted as it is, other values escaped. */
export type Child =
  | Markup
  | string
  | number
  | null
  | undefined
  | false
  | readonly Child[];

/**
 * Builds markup. Text is escaped for element content and for quoted attribute
 * values: write the quotes in the template. `null`, `undefined` and `false` are
 * left out, lists are joined.
 */
export function html(
  strings: TemplateStringsArray,
  ...children: Child[]
): Markup {
  let text = strings[0];
  for (const [index, child] of children.entries()) {
    text += render(child) + strings[index + 1];
  }
  return new EscapedMarkup(text);
}

function render(child: Child): string {
  if (child instanceof EscapedMarkup) return child.toString();
  if (child === null || child === undefined || child === false) return "";
  if (typeof child === "object") return child.map(render).join("");
  return String(child).replace(/[&<>"']/g, (char) => entities[char]);
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Creates the response of a page. */
export function htmlResponse(
  markup: Markup,
  init: ResponseInit = {},
): Response {
  const headers = new Headers(init.headers);
  headers.set("Content-Type", "text/html; charset=utf-8");
  return new Response(`<!doctype html>\n${markup}`, { ...init, headers });
}
