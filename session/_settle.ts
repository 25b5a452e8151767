import { withHeaders } from "../router/mod.ts";
import { madePrivate, withCookies } from "./_cache_control.ts";
import type { Scope } from "./_scope.ts";
import { SessionConflictError } from "./errors.ts";

/** Saves the session and has the response tell the browser of it. */
export function settle(
  response: Response,
  scope: Scope,
  sweep: () => Promise<void>,
): Response | Promise<Response> {
  scope.close();
  return !scope.isUntouched && scope.journal.isDue
    ? saved(response, scope, sweep)
    : finish(response, scope);
}

async function saved(
  response: Response,
  scope: Scope,
  sweep: () => Promise<void>,
): Promise<Response> {
  let isOurs;
  try {
    isOurs = await save(scope);
  } catch (error) {
    drop(response);
    // Nobody gets the cookie of a login that was committed before.
    await scope.journal.abandon().catch(() => {});
    throw error;
  }
  if (scope.cookies.length > 0) await sweep();
  if (isOurs) return finish(response, scope);
  drop(response);
  return finish(conflict(), scope);
}

/** Has a stream that nobody is going to read come to its end. */
function drop(response: Response): void {
  response.body?.cancel().catch(() => {});
}

/** Saves what can be saved when a handler has thrown, and throws the same. */
export async function rescue(
  error: unknown,
  scope: Scope,
  sweep: () => Promise<void>,
): Promise<Response> {
  scope.close();
  if (error instanceof SessionConflictError) {
    return await saved(conflict(), scope, sweep);
  }
  if (scope.isUntouched) throw error;
  const { journal } = scope;
  try {
    // A save that the handler did not wait for can be that of a login.
    await journal.idle();
    // An id that no response can hand out must not replace the present one, and
    // one that has done so already leads nobody anywhere.
    if (scope.cookies.length > 0) await journal.abandon();
    else if (journal.destroyed || !journal.needsCookie) await journal.save();
  } catch {
    // The first error says what is wrong.
  }
  throw error;
}

/** Saves; tells whether everything that was taken was still there. */
async function save(scope: Scope): Promise<boolean> {
  for (let isOurs = true;; isOurs = false) {
    try {
      await scope.journal.save();
      return isOurs;
    } catch (error) {
      // What was lost, and all that came after, is out of the journal: what came
      // before can be saved.
      if (!(error instanceof SessionConflictError)) throw error;
    }
  }
}

function finish(response: Response, scope: Scope): Response {
  const { headers } = scope;
  const { hostCookies } = scope;
  const marked = scope.isUntouched && hostCookies.length === 0
    ? response
    : markSession(response, scope, hostCookies);
  if (headers === undefined || marked.status === 101) return marked;
  return withHeaders(marked, (own) => {
    for (const [name, value] of headers) own.set(name, value);
  });
}

/** Tells the browser of a new or an ended session, and caches of any. */
function markSession(
  response: Response,
  scope: Scope,
  hostCookies: readonly string[],
): Response {
  const cookies = [...scope.cookies, ...hostCookies];
  if (cookies.length > 0) return withCookies(response, cookies);
  return scope.journal.accessed ? madePrivate(response) : response;
}

function conflict(): Response {
  return new Response("Conflict", {
    status: 409,
    headers: { "Cache-Control": "no-store" },
  });
}
