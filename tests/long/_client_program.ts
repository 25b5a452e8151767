/** The program of a browser that calls an API through the client. */
import { createClient } from "@gatehouse/web/client";
import {
  array,
  instanceof_,
  number,
  object,
  string,
} from "@gatehouse/web/data-schema";
import { fromObject } from "@gatehouse/web/data-schema/form-data";
import { get, post, route } from "@gatehouse/web/fetch-router/routes";
import { turns } from "../_wait.ts";

const Note = object({ id: number(), text: string() });
const Upload = object({ title: string(), files: array(instanceof_(File)) });

/** The routes, which the server imports as well. */
export const routes = route("api", {
  login: post("/login", {
    json: object({ name: string() }),
    responses: { 204: {} },
  }),
  me: get("/me", { responses: { 200: object({ name: string() }) } }),
  note: get("/notes/:id", { responses: { 200: Note, 404: {} } }),
  upload: post("/files", {
    form: fromObject(Upload),
    responses: { 200: array(string()) },
  }),
  moved: get("/moved"),
  slow: get("/slow"),
});

/** Calls the routes, and returns the results as JSON. */
export async function runProgram(elsewhere: string): Promise<unknown[]> {
  const client = createClient(routes, { validate: true });
  const results: unknown[] = [];
  const note = async (result: {
    readonly ok: boolean;
    readonly status: number;
    readonly body?: unknown;
    readonly reason?: string | undefined;
  }) => {
    const { ok, status, body, reason } = await result;
    results.push([ok, status, reason ?? body ?? null]);
  };
  await note(await client.me());
  await note(await client.login({ json: { name: "Ada" } }));
  await note(await client.me());
  await note(await client.note({ params: { id: 7 } }));
  await note(await client.note({ params: { id: 8 } }));
  const files = [new File(["1234"], "a.txt"), new File(["é"], "b.txt")];
  await note(await client.upload({ form: { title: "Two", files } }));
  await note(await client.moved());
  const leaving = new AbortController();
  const slow = client.slow({ signal: leaving.signal });
  await turns(5);
  leaving.abort();
  await note(await slow);
  const other = createClient(routes, { baseUrl: elsewhere });
  await note(await other.me());
  return results;
}
