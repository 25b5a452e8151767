import { Auth, requireRole } from "@gatehouse/web/auth-middleware";
import { html, type Markup } from "@gatehouse/web/content";
import { parseSafe } from "@gatehouse/web/data-schema";
import {
  HTTPError,
  redirect,
  type RequestContext,
} from "@gatehouse/web/fetch-router";
import { Session } from "@gatehouse/web/session";
import type { AppRouter } from "../app_middleware.ts";
import type { Notice } from "../data/notices.ts";
import { failed, NoticeForm } from "../forms.ts";
import {
  errorSummary,
  field,
  type FormState,
  method,
  textArea,
} from "../pages/form_fields.ts";
import { narrowPage, page } from "../pages/layout.ts";
import { time } from "../pages/time.ts";
import { routes } from "../routes.ts";
import type { Services } from "../services.ts";
import { requireLogin } from "./account.ts";

const fields = ["title", "body"];

/** Adds the pages on which editors and admins write notices. */
export function addEditor(router: AppRouter, { notices }: Services): void {
  router.map(routes.editor, {
    middleware: [requireLogin, requireRole("editor", "admin")],
    actions: {
      index: async (context) => listPage(context, await notices.list()),
      new: (context) => formPage(context, {}),
      async create(context) {
        const form = context.get(FormData);
        const result = parseSafe(NoticeForm, form);
        if (!result.success) {
          return formPage(context, failed(form, fields, result.issues));
        }
        await notices.create(result.value, context.get(Auth).name);
        return done(context, "The notice is published");
      },
      async edit(context) {
        const notice = await notices.find(Number(context.params.id));
        if (notice === null) throw new HTTPError(404);
        const { title, body } = notice;
        return formPage(context, { values: { title, body } }, notice.id);
      },
      async update(context) {
        const id = Number(context.params.id);
        const form = context.get(FormData);
        const result = parseSafe(NoticeForm, form);
        if (!result.success) {
          return formPage(context, failed(form, fields, result.issues), id);
        }
        if (!await notices.update(id, result.value)) throw new HTTPError(404);
        return done(context, "The notice is saved");
      },
      async destroy(context) {
        const isGone = await notices.remove(Number(context.params.id));
        if (!isGone) throw new HTTPError(404);
        return done(context, "The notice is deleted");
      },
    },
  });
}

function done(context: RequestContext, message: string): Response {
  context.get(Session).flash("message", message);
  return redirect(routes.editor.index.href());
}

function listPage(
  context: RequestContext,
  list: readonly Notice[],
): Response {
  return page(context, {
    title: "Editor",
    content: html`
      <div class="heading">
        <h1>Editor</h1>
        <a class="button" href="${routes.editor.new.href()}">New notice</a>
      </div>
      ${list.length === 0
        ? html`
          <p class="empty">There are no notices yet.</p>
        `
        : html`
          <ul class="rows">${list.map(row)}</ul>
        `}
    `,
  });
}

function row({ id, title, author, createdAt }: Notice): Markup {
  return html`
    <li>
      <div>
        <strong>${title}</strong>
        <p class="meta">${author}, ${time(createdAt)}</p>
      </div>
      <div class="actions">
        <a class="button quiet" href="${routes.editor.edit.href({ id })}"
          aria-label="Edit ${title}">Edit</a>
        <form method="post" action="${routes.editor.destroy.href({ id })}">
          ${method("DELETE")}
          <button class="danger" aria-label="Delete ${title}">
            Delete
          </button>
        </form>
      </div>
    </li>
  `;
}

function formPage(
  context: RequestContext,
  state: FormState,
  id?: number,
): Response {
  const { create, update, index } = routes.editor;
  const action = id === undefined ? create.href() : update.href({ id });
  const title = id === undefined ? "New notice" : "Edit notice";
  return narrowPage(context, {
    title,
    status: state.errors === undefined ? 200 : 422,
    content: html`
      ${errorSummary(state)}
      <form method="post" action="${action}" novalidate>
        ${id !== undefined && method("PUT")}
        ${field(
          { name: "title", label: "Title", autocomplete: "off" },
          state,
        )}
        ${textArea({ name: "body", label: "Text" }, state)}
        <p class="actions">
          <button>${id === undefined ? "Publish" : "Save"}</button>
          <a class="button quiet" href="${index.href()}">Cancel</a>
        </p>
      </form>
    `,
  });
}
