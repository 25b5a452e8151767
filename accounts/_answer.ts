import { redirect, withHeaders } from "../router/internal.ts";
import type { RequestContext } from "../router/mod.ts";
import { tooManyRequests } from "../auth/internal.ts";
import { Session } from "../session/mod.ts";
import {
  type Call,
  type Done,
  type Failed,
  hasLongPath,
  type Input,
  type Outcome,
  refused,
  RequestInput,
  type Shown,
} from "./actions/call.ts";
import { finishStep } from "./hooks/held_login.ts";
import type { Services } from "./actions/services.ts";
import { LIMITS, readInput } from "./_input.ts";
import { wantsJSON } from "./guards.ts";
import { messagesOf } from "./messages/languages.ts";
import type { FormState } from "./pages/fields.ts";
import { recoveryCodesView } from "./pages/security_pages.ts";
import { type Layout, MESSAGE, renderPage, type View } from "./pages/page.ts";

/** The arguments of an action, with the parts that its page needs. */
export interface ViewCall extends Call {
  readonly layout: Layout | undefined;
  readonly scriptPolicy: string;
}

/** The parts of pages that come from the options. */
export interface Frame {
  readonly layout: Layout | undefined;
  readonly scriptPolicy: string;
}

/** Creates the page of a form. */
export type ViewOf = (
  call: ViewCall,
  state: FormState,
) => View | Response | Promise<View | Response>;

/** The parts of a form that only some pages have. */
export interface FormExtras {
  /** Creates the page that shows secrets once. */
  readonly shown?: (call: ViewCall, values: Shown) => View;
  /** Returns the values of the page, for scripts. */
  readonly json?: (call: ViewCall) => Promise<object>;
}

/** The handlers of a form: one shows it, the other handles it. */
export interface FormHandlers {
  readonly index: (context: RequestContext) => Promise<Response>;
  readonly action: (context: RequestContext) => Promise<Response>;
}

/** The names of inputs that no page shows again. */
const SECRET_INPUTS: readonly string[] = [
  "password",
  "passkey",
  "code",
  "token",
];

/** Creates the handlers of forms and JSON requests from actions. */
export class Answers {
  readonly #ready: () => Promise<Services>;
  readonly #frame: Frame;

  constructor(
    ready: () => Promise<Services>,
    frame: Frame,
  ) {
    this.#ready = ready;
    this.#frame = frame;
  }

  /** Creates the handlers of a page and its form. */
  form(
    view: ViewOf,
    act: (call: Call) => Outcome | Promise<Outcome>,
    { json, shown }: FormExtras = {},
  ): FormHandlers {
    return {
      index: async (context) => {
        const call = await this.#callOf(context, new Map());
        return json !== undefined && wantsJSON(context)
          ? Response.json(await json(call))
          : await show(call, view, {});
      },
      action: this.action(act, view, shown),
    };
  }

  /** Creates the handler of a page without a form. */
  page(
    view: ViewOf,
    json?: NonNullable<FormExtras["json"]>,
  ): FormHandlers["index"] {
    return this.form(view, () => refused(""), { ...json && { json } }).index;
  }

  /** Creates the handler of an action. */
  action(
    act: (call: Call) => Outcome | Promise<Outcome>,
    view?: ViewOf,
    shown?: FormExtras["shown"],
  ): (context: RequestContext) => Promise<Response> {
    return async (context) => {
      const services = await this.#ready();
      const input = await readInput(context, services.names);
      if (typeof input === "number") {
        return await context.createErrorResponse({ status: input });
      }
      context.set(RequestInput, input);
      const call = await this.#callOf(context, input);
      const outcome = hasLongPath(context)
        ? refused(call.messages.longPath, 414)
        : await act(call);
      if (wantsJSON(context)) return await answerJSON(context, outcome);
      if (outcome.ok && outcome.recoveryCodes !== undefined) {
        const { location, recoveryCodes } = outcome;
        return renderPage(
          call,
          recoveryCodesView(call, recoveryCodes, location),
        );
      }
      if (outcome.ok) {
        return shown !== undefined && outcome.shown !== undefined
          ? renderPage(call, shown(call, outcome.shown))
          : goOn(context, outcome);
      }
      return await showFailed(call, outcome, view);
    };
  }

  /** Creates the handler of a file. A failure shows the page of its form. */
  file(
    read: (call: Call) => Promise<Response | Failed>,
    view: ViewOf,
  ): (context: RequestContext) => Promise<Response> {
    return async (context) => {
      const call = await this.#callOf(context, new Map());
      const result = await read(call);
      if (result instanceof Response) return result;
      return wantsJSON(context)
        ? await answerJSON(context, result)
        : await showFailed(call, result, view);
    };
  }

  /** Creates the handler of options, which only the script of passkeys reads. */
  options(
    read: (context: RequestContext, services: Services) => Promise<Response>,
  ): (context: RequestContext) => Promise<Response> {
    return async (context) => await read(context, await this.#ready());
  }

  async #callOf(context: RequestContext, input: Input): Promise<ViewCall> {
    return {
      context,
      input,
      services: await this.#ready(),
      messages: messagesOf(context),
      ...this.#frame,
    };
  }
}

export { LIMITS };

/** Creates the function that continues a login, in routes of the application. */
export function createFinishStep(
  ready: () => Promise<Services>,
): (context: RequestContext) => Promise<Response> {
  return async (context) => {
    const services = await ready();
    const messages = messagesOf(context);
    const input = context.get(RequestInput);
    const outcome = await finishStep({ context, services, messages, input });
    const location = services.routes.login.index.href();
    const response = wantsJSON(context)
      ? await answerJSON(context, outcome)
      // The application's page cannot show the refusal.
      : goOn(
        context,
        outcome.ok
          ? outcome
          : { ok: true, next: "login", location, message: outcome.error ?? "" },
      );
    return await noStore(context, () => Promise.resolve(response));
  };
}

async function show(
  call: ViewCall,
  view: ViewOf,
  state: FormState,
): Promise<Response> {
  const result = await view(call, state);
  if (result instanceof Response) return result;
  const status = state.failed?.status ?? result.status ?? 200;
  return renderPage(call, { ...result, status });
}

/** Shows the page of a form with its errors. */
async function showFailed(
  call: ViewCall,
  failed: Failed,
  view: ViewOf | undefined,
): Promise<Response> {
  const { context, input } = call;
  const page = view === undefined
    ? await context.createErrorResponse({ status: failed.status })
    : await show(call, view, { failed, values: valuesOf(input) });
  return await withStatus(context, page, failed);
}

function goOn(context: RequestContext, outcome: Done): Response {
  const { location, message, notice } = outcome;
  if (message !== undefined) context.get(Session).flash(MESSAGE, message);
  if (notice === undefined) return redirect(location, 303);
  const separator = location.includes("?") ? "&" : "?";
  return redirect(`${location}${separator}notice=${notice}`, 303);
}

async function answerJSON(
  context: RequestContext,
  outcome: Outcome,
): Promise<Response> {
  if (outcome.ok) {
    const { location, next, recoveryCodes, shown } = outcome;
    return Response.json({ ...shown, next, location, recoveryCodes });
  }
  const { status, error, errors, retryAfter } = outcome;
  const headers = new Headers();
  if (retryAfter !== undefined) headers.set("Retry-After", String(retryAfter));
  const problem = { status, detail: error, ...errors && { errors } };
  return await context.createErrorResponse(problem, headers);
}

async function withStatus(
  context: RequestContext,
  page: Response,
  { retryAfter }: Failed,
): Promise<Response> {
  if (retryAfter === undefined) return page;
  const { body, headers } = page;
  const init = { ...body && { body }, headers };
  return await tooManyRequests(context, retryAfter, init);
}

/** Returns the values that the form shows again, without secrets. */
function valuesOf(input: Input): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of input) {
    if (SECRET_INPUTS.includes(name)) continue;
    if (typeof value === "string" || typeof value === "boolean") {
      values[name] = String(value);
    }
  }
  return values;
}

/** Makes every response uncacheable that sets no `Cache-Control` itself. */
export async function noStore(
  _context: RequestContext,
  next: () => Promise<Response>,
): Promise<Response> {
  return withHeaders(await next(), (headers) => {
    if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  });
}
