import { html, type Markup } from "@gatehouse/web/content";

/** The values of a form, and their errors. */
export interface FormState {
  /** The values of fields, by name. Never a password. */
  readonly values?: Readonly<Record<string, string>>;
  /** The errors, by the name of the field. */
  readonly errors?: Readonly<Record<string, string>>;
  /** An error that belongs to no single field. */
  readonly error?: string;
}

/** Options for {@linkcode field}. */
export interface FieldOptions {
  readonly name: string;
  readonly label: string;
  /** @default {"text"} */
  readonly type?: "text" | "email" | "password";
  /** The kind of value that browsers may fill in. */
  readonly autocomplete: string;
  /** A help text. */
  readonly hint?: string;
  /** The keyboard of phones. */
  readonly inputMode?: "numeric";
}

/**
 * Creates a labeled field. Its error comes right before it, and screen readers
 * read both together.
 */
export function field(options: FieldOptions, state: FormState): Markup {
  const { name, label, type = "text", autocomplete, hint } = options;
  const { inputMode } = options;
  const error = state.errors?.[name];
  return html`
    <div class="field">
      <label for="${name}">${label}</label>
      ${hint !== undefined && html`
        <p class="hint" id="${name}-hint">${hint}</p>
      `}
      ${fieldError(name, error)}
      <input id="${name}" name="${name}" type="${type}"
        autocomplete="${autocomplete}" value="${valueOf(options, state)}"
        ${type === "email" && html`autocapitalize="none" spellcheck="false"`}
        ${inputMode !== undefined && html`inputmode="${inputMode}"`}
        required${describedBy(name, hint, error)}>
    </div>
  `;
}

/** Creates a labeled field with several lines. */
export function textArea(
  { name, label }: { readonly name: string; readonly label: string },
  state: FormState,
): Markup {
  const error = state.errors?.[name];
  const description = describedBy(name, undefined, error);
  // Browsers drop one line break at the start, which may be part of the text.
  const text = `\n${state.values?.[name] ?? ""}`;
  return html`
    <div class="field">
      <label for="${name}">${label}</label>
      ${fieldError(name, error)}
      <textarea id="${name}" name="${name}" rows="6" required${description}>${text}</textarea>
    </div>
  `;
}

/**
 * Creates the list of errors at the top of a form, with links to the fields.
 * Screen readers announce it when the page opens.
 */
export function errorSummary(state: FormState): Markup | false {
  const errors = Object.entries(state.errors ?? {});
  if (state.error === undefined && errors.length === 0) return false;
  return html`
    <div class="problem" role="alert">
      ${state.error !== undefined
        ? html`
          <p>${state.error}</p>
        `
        : html`
          <p>Please correct ${errors.length === 1 ? "this" : "these"}:</p>
        `}
      ${errors.length > 0 && html`
        <ul>
          ${errors.map(([name, text]) =>
            html`
              <li><a href="#${name}">${text}</a></li>
            `
          )}
        </ul>
      `}
    </div>
  `;
}

/** Creates the hidden field that makes a POST a PUT or a DELETE. */
export function method(name: "PUT" | "DELETE"): Markup {
  return html`
    <input type="hidden" name="_method" value="${name}">
  `;
}

function valueOf(
  { name, type }: FieldOptions,
  { values }: FormState,
): string {
  return type === "password" ? "" : values?.[name] ?? "";
}

function fieldError(name: string, error: string | undefined): Markup | false {
  return error !== undefined &&
    html`
      <p class="error" id="${name}-error">${error}</p>
    `;
}

function describedBy(
  name: string,
  hint: string | undefined,
  error: string | undefined,
): Markup | false {
  const ids = [
    hint !== undefined && `${name}-hint`,
    error !== undefined && `${name}-error`,
  ].filter((id) => id !== false);
  if (ids.length === 0) return false;
  return html`
    aria-describedby="${ids.join(" ")}"${error !== undefined && html`
      aria-invalid="true"
    `}
  `;
}
