import { boolean, object, optional, string } from "@gatehouse/web/data-schema";
import type { Router } from "@gatehouse/web/fetch-router";
import { openapi, type OpenAPIOptions } from "@gatehouse/web/openapi";

export const info = { title: "Notes", version: "1.0.0" };

export const ok = () => new Response();

export function describe(
  router: Router,
  options: Partial<OpenAPIOptions> = {},
) {
  return openapi(router, { info, ...options });
}

export const NewNote = object({ text: string(), pinned: optional(boolean()) });
