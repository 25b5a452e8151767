/**
 * Replaces `@std/http/file-server` if JSR is unreachable. It serves the files of
 * one folder, for the guide page about static files.
 */

/** Options for {@linkcode serveDir}. */
export interface ServeDirOptions {
  /** The folder. */
  fsRoot?: string;
  /** The original prints a line for each request without it. */
  quiet?: boolean;
}

const TYPES: Record<string, string> = {
  css: "text/css; charset=UTF-8",
  html: "text/html; charset=UTF-8",
  png: "image/png",
};

/** Serves the files of a folder. */
export async function serveDir(
  request: Request,
  { fsRoot = "." }: ServeDirOptions = {},
): Promise<Response> {
  const path = decodeURIComponent(new URL(request.url).pathname);
  const body = path.split(/[\\/]/).includes("..")
    ? null
    : await Deno.readFile(fsRoot + path).catch(() => null);
  if (body === null) return new Response("Not Found", { status: 404 });
  const type = TYPES[path.slice(path.lastIndexOf(".") + 1)];
  return new Response(body, {
    headers: { "Content-Type": type ?? "application/octet-stream" },
  });
}
