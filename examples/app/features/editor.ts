import { Auth } from "@gatehouse/web/auth-middleware";
import { html, type Markup } from "@gatehouse/web/content";
import { flatten, string } from "@gatehouse/web/data-schema";
import { maxLength, minLength } from "@gatehouse/web/data-schema/checks";
import {
  field,
  formValues,
  object,
} from "@gatehouse/web/data-schema/form-data";
import {
  HTTPError,
  redirect,
  type RequestContext,
} from "@gatehouse/web/fetch-router";
import { validate, ValidForm } from "@gatehouse/web/middleware";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app.ts";
import type { Notice, Notices } from "../data/notices.ts";
import type { BoardAccounts } from "../definition.ts";
import { noticeForm } from "../pages/notice_form.ts";
import { page } from "../pages/layout.ts";
import { dayOf } from "../pages/time.ts";
import { routes } from "../routes.ts";

/** Options for {@linkcode addEditor}. */
export interface EditorOptions {
  readonly accounts: BoardAccounts;
  readonly notices: Notices;
}

const trimmed = string().transform((text) => text.trim());

const NoticeForm = object({
  title: field(trimmed.pipe(
    minLength(1, { message: "Title is required" }),
    maxLength(120, { message: "At most 120 characters" }),
  )),
  body: field(trimmed.pipe(
    minLength(1, { message: "Text is required" }),
    maxLength(5000, { message: "At most 5000 characters" }),
  )),
});

/** Checks the form of a notice, and shows it again with its errors. */
const checked = validate({ form: NoticeForm }, {
  maxBytes: 65_536,
  onInvalid({ issues, status }, context) {
    if (status !== 422) return context.createErrorResponse({ status });
    const values = formValues(context.get(FormData));
    return noticeForm(context, { values, errors: flatten(issues).fields });
  },
});

/** Adds the pages on which editors and admins write notices. */
export function addEditor(
  router: AppRouter,
  { accounts: { requireRole, requireUser }, notices }: EditorOptions,
): void {
  const { edit, index, remove } = routes.editor;
  const create = edit.index.href({ id: "new" });
  const middleware = [requireUser, requireRole("editor", "admin")] as const;

  router.get(index, { middleware }, async (context) => {
    const list = await notices.list();
    return page(context, {
      title: "Editor",
      content: html`
        <div class="heading">
          <h1>Editor</h1>
          <a class="button" href="${create}">New notice</a>
        </div>
        ${list.length === 0 && html`
          <p class="empty">There are no notices yet.</p>
        `}
        <ul class="rows">${list.map(row)}</ul>
      `,
    });
  });
  router.map(edit, {
    middleware,
    actions: {
      async index(context) {
        const { id } = context.params;
        if (id === "new") return noticeForm(context, {});
        const values = await notices.find(Number(id));
        if (values === null) throw new HTTPError(404);
        return noticeForm(context, { values });
      },
      action: {
        middleware: [checked],
        async handler(context) {
          const { id } = context.params;
          const notice = context.get(ValidForm);
          if (id === "new") {
            await notices.create(notice, context.get(Auth).name);
            return done(context, "The notice is published");
          }
          const isChanged = await notices.update(Number(id), notice);
          if (!isChanged) throw new HTTPError(404);
          return done(context, "The notice is saved");
        },
      },
    },
  });
  router.post(remove, { middleware }, async (context) => {
    const isGone = await notices.remove(Number(context.params.id));
    if (!isGone) throw new HTTPError(404);
    return done(context, "The notice is deleted");
  });
}

function done(context: RequestContext, message: string): Response {
  context.get(Session).flash("message", message);
  return redirect(routes.editor.index.href());
}

function row({ id, title, author, createdAt }: Notice): Markup {
  return html`
    <li>
      <div>
        <strong>${title}</strong>
        <p class="meta">${author}, ${dayOf(createdAt)}</p>
      </div>
      <div class="actions">
        <a class="button quiet" href="${routes.editor.edit.index.href({ id })}"
          aria-label="Edit ${title}">Edit</a>
        <form method="post" action="${routes.editor.remove.href({ id })}">
          <button class="danger" aria-label="Delete ${title}">Delete</button>
        </form>
      </div>
    </li>
  `;
}
