import {
  createRouter,
  type Middleware,
  type RouterOptions,
} from "@gatehouse/web/fetch-router";

export const origin = "https://example.com";

/** Runs a middleware and returns the response and the errors of onError. */
export async function run(
  middleware: Middleware<readonly []>,
  handler: () => Response | Promise<Response> = () => new Response("handler"),
  options: RouterOptions = {},
): Promise<{ answer: string; errors: string[]; runs: number }> {
  const errors: string[] = [];
  let runs = 0;
  const router = createRouter({
    onError: (error) => {
      errors.push(String(error));
      return new Response("onError", { status: 500 });
    },
    ...options,
  });
  router.get("/", { middleware: [middleware] }, () => {
    runs++;
    return handler();
  });
  const answer = await (await router.fetch(origin)).text();
  return { answer, errors, runs };
}
