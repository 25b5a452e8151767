import { html, type Markup } from "@gatehouse/web/content";
import type { RequestContext } from "@gatehouse/web/fetch-router";
import { routes } from "../routes.ts";
import { page } from "./layout.ts";

/** The values of the form, and the errors of its fields. */
export interface FormState {
  readonly values?: { readonly title?: string; readonly body?: string };
  readonly errors?: Readonly<Record<string, readonly string[] | undefined>>;
}

/** Creates the page with the form of a notice, which posts to its own URL. */
export function noticeForm(
  context: RequestContext,
  { values = {}, errors }: FormState,
): Response {
  const isNew = context.params.id === "new";
  const heading = isNew ? "New notice" : "Edit notice";
  const { title = "", body = "" } = values;
  return page(context, {
    title: heading,
    status: errors === undefined ? 200 : 422,
    content: html`
      <div class="card">
        <h1>${heading}</h1>
        ${errors !== undefined && html`
          <p class="problem" role="alert">Please correct the fields below.</p>
        `}
        <form method="post" novalidate>
          ${field("title", "Title", errors, (invalid) =>
            html`
              <input id="title" name="title" autocomplete="off" required
                value="${title}" ${invalid}>
            `)}
          ${field("body", "Text", errors, (invalid) =>
            // Browsers drop one line break at the start of the text.
            html`
              <textarea id="body" name="body" rows="6" required
                ${invalid}>${`\n${body}`}</textarea>
            `)}
          <p class="actions">
            <button>${isNew ? "Publish" : "Save"}</button>
            <a class="button quiet" href="${routes.editor.index
              .href()}">Cancel</a>
          </p>
        </form>
      </div>
    `,
  });
}

/** Creates a labeled field. Screen readers read its error with it. */
function field(
  name: string,
  label: string,
  errors: FormState["errors"],
  control: (invalid: Markup | false) => Markup,
): Markup {
  const [error] = errors?.[name] ?? [];
  return html`
    <div class="field">
      <label for="${name}">${label}</label>
      ${error && html`<p class="error" id="${name}-error">${error}</p>`}
      ${control(
        error !== undefined &&
          html`aria-describedby="${name}-error" aria-invalid="true"`,
      )}
    </div>
  `;
}
