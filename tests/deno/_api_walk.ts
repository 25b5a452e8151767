/** Calls every route of the example's API through the client. */
import { assert, assertEquals } from "@std/assert";
import { createClient } from "@gatehouse/web/client";
import { createTestClient } from "@gatehouse/web/testing";
import { definition } from "../../examples/app/definition.ts";
import { routes } from "../../examples/app/routes.ts";

/** A browser of a user, without its rendering. */
export interface Poster {
  /** Sends a form, and returns the page, which may follow a redirect. */
  post(path: string, form: Record<string, string>): Promise<string>;
}

/** Creates a browser that logs in with a password. */
export async function logInToApp(
  baseURL: string,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<Poster> {
  const browser = createTestClient(
    { fetch: (request) => fetch(request, { redirect: "manual" }) },
    { origin: baseURL },
  );
  async function post(
    path: string,
    form: Record<string, string>,
  ): Promise<string> {
    const response = await browser.fetch(path, {
      method: "POST",
      headers: { Origin: baseURL },
      body: new URLSearchParams(form),
    });
    const page = await response.text();
    const next = response.headers.get("Location");
    assert(next !== null || response.ok, `${path}: ${response.status}`);
    return next === null ? page : await (await browser.fetch(next)).text();
  }
  await post(definition.routes.login.action.href(), { email, password });
  return { post };
}

/** Publishes a notice, creates an API key, and calls the API with it. */
export async function walkThroughAPI(
  baseURL: string,
  admin: Poster,
): Promise<void> {
  const title = `Tea ${crypto.randomUUID()}`;
  await admin.post("/editor/new", { title, body: "All welcome" });
  const page = await admin.post("/account/keys", {
    "name": "Client",
    "scope-notices:read": "on",
    "scope-notices:delete": "on",
    "days": "90",
  });
  const [, key] = />(board_key_\w+)</.exec(page)!;
  const { api } = createClient(routes, {
    baseUrl: baseURL,
    headers: () => ({ Authorization: `Bearer ${key}` }),
  });

  const me = await api.me();
  assert(me.ok, JSON.stringify(me.problem));
  assertEquals((me.body as { role: string }).role, "admin");

  const list = await api.notices.index();
  assert(list.ok);
  const { notices } = list.body as {
    notices: { id: number; title: string; body: string }[];
  };
  const notice = notices.find((notice) => notice.title === title);
  assert(notice !== undefined);
  assertEquals(notice.body, "All welcome");

  const params = { id: notice.id };
  const shown = await api.notices.show({ params });
  assertEquals<unknown>(shown.ok && shown.body, notice);
  const removed = await api.notices.destroy({ params });
  assertEquals([removed.ok, removed.status, removed.body], [
    true,
    204,
    undefined,
  ]);
  const missing = await api.notices.show({ params });
  assertEquals([missing.ok, missing.status], [false, 404]);

  const stranger = createClient(routes, { baseUrl: baseURL });
  const refused = await stranger.api.me();
  assert(!refused.ok);
  assertEquals(refused.problem.title, "Unauthorized");
  // The routes of pages redirect browsers, and the client asks for JSON.
  const editor = await stranger.editor.index();
  assertEquals(editor.ok, false);
}
