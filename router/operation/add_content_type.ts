/**
 * Adds the type of plain text to a body without a type if the runtime adds it
 * only to unread bodies, as Bun does. A browser without a type might take text
 * for a page with scripts.
 */
export function addContentType(response: Response): Response {
  const { headers } = response;
  if (
    !headers.has("Content-Type") &&
    !new Response("").headers.has("Content-Type")
  ) {
    headers.set("Content-Type", "text/plain;charset=utf-8");
  }
  return response;
}
