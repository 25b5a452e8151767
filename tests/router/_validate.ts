import { createRouter, type RequestHandler } from "@gatehouse/web/fetch-router";
import {
  type InputSchema,
  type InputSchemas,
  validate,
  type ValidateOptions,
  ValidForm,
  ValidJSON,
  ValidParams,
  ValidQuery,
} from "@gatehouse/web/middleware";

export const origin = "https://example.com";
export const json = "application/json";
export const urlencoded = "application/x-www-form-urlencoded";

/** A schema that accepts any value and returns it. */
export const Anything: InputSchema = {
  "~standard": { version: 1, validate: (value) => ({ value }) },
};

/** Sends a request to a route with a middleware and returns the status and body. */
export async function send(
  schemas: InputSchemas,
  init: RequestInit & { path?: string } = {},
  options?: ValidateOptions,
): Promise<[number, unknown, Response]> {
  const router = createRouter();
  const key = schemas.json
    ? ValidJSON
    : schemas.form
    ? ValidForm
    : schemas.query
    ? ValidQuery
    : ValidParams;
  const answer: RequestHandler = (context) =>
    Response.json(context.get<typeof ValidJSON>(key as typeof ValidJSON));
  const middleware = [validate(schemas, options)];
  router.route("ANY", "/notes/:id?", { middleware }, answer);
  const request = new Request(
    new URL(init.path ?? "/notes/7", origin),
    { duplex: "half", ...init } as RequestInit,
  );
  const response = await router.fetch(request);
  const text = await response.clone().text();
  return [response.status, text && JSON.parse(text), response];
}

export function post(
  body: BodyInit | null,
  type = json,
  headers: Record<string, string> = {},
): RequestInit {
  return {
    method: "POST",
    body,
    headers: type === "" ? headers : { "Content-Type": type, ...headers },
  };
}

export function stream(text: string): ReadableStream<Uint8Array> {
  return new Blob([text]).stream();
}

export function failing(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: (controller) => controller.error(new Error("gone")),
  });
}
