/** The template function of the guide's page on HTML. */
export const HTML = `/** Markup that \`html\` created. */
export class Markup {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  toString(): string {
    return this.#source;
  }
}

type Child = Markup | string | number | readonly Child[] | null | undefined;

/** Creates markup and escapes all values that are not markup. */
export function html(
  strings: TemplateStringsArray,
  ...children: Child[]
): Markup {
  return new Markup(String.raw({ raw: strings }, ...children.map(render)));
}

function render(child: Child): string {
  if (child instanceof Markup) return child.toString();
  if (child === null || child === undefined) return "";
  if (typeof child === "object") return child.map(render).join("");
  return String(child)
    .replace(/[&<>"']/g, (char) => \`&#\${char.charCodeAt(0)};\`);
}
`;
