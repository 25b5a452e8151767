/** Returns the pattern of a path with a leading slash. */
export function withSlash(path: string): string {
  return path.startsWith("/") || path.startsWith("{") ? path : `/${path}`;
}

/** Joins two patterns of paths, with one slash between them. */
export function joinPaths(prefix: string, path: string): string {
  const start = prefix.replace(/\/+$/, "");
  if (path === "/") return start || "/";
  return start + withSlash(path);
}
