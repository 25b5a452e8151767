import { withHeaders } from "../router/mod.ts";
import { madePrivate, withCookies } from "./_cache_control.ts";
import type { Scope } from "./_scope.ts";
import { SessionConflictError } from "./errors.ts";

/** Saves the session and has the response tell the browser of it. */
export function settle(
  response: Response,
  scope: Scope,
  sweep: () => void,
): Response | Promise<Response> {
  scope.close();
  return !scope.isUntouched && scope.journal.isDue
    ? saved(response, scope, sweep)
    : finish(response, scope);
}

async function saved(
  response: Response,
  scope: Scope,
  sweep: () => void,
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
  if (scope.cookies.length > 0) sweep();
  if (isOurs) return finish(response, scope);
  drop(response);
  return finish(new SessionConflictError("taken").toResponse(), scope);
}

/** Has a stream that nobody is going to read come to its end. */
function drop(response: Response): void {
  response.body?.cancel().catch(() => {});
}

/**
 * Finishes the response to an error: saves nothing more, but sends the cookie of
 * what was committed before. A session that was destroyed ends all the same: a
 * logout must not fail because of what comes after it.
 */
export async function finishError(
  response: Response,
  scope: Scope,
): Promise<Response> {
  scope.close();
  if (scope.isUntouched) return finish(response, scope);
  const { journal } = scope;
  // A commit that the handler did not wait for is still a commit.
  await journal.idle();
  if (journal.destroyed) {
    // The error that is being answered says what is wrong.
    await journal.save().catch(() => {});
  }
  return finish(response, scope);
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
