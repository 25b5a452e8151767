/** The pattern of a path with a leading slash, supplied where there is none. */
export function withSlash(path: string): string {
  return path.startsWith("/") || path.startsWith("{") ? path : `/${path}`;
}

/** Two patterns of paths as one, with one slash between them. */
export function joinPaths(prefix: string, path: string): string {
  const start = prefix.replace(/\/+$/, "");
  if (path === "/") return start || "/";
  return start + withSlash(path);
}
