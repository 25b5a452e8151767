import {
  type AnyRoute,
  Route,
  type RouteMap,
} from "@gatehouse/web/fetch-router/routes";

export function list(map: RouteMap, path = ""): Record<string, string> {
  const rows: Record<string, string> = {};
  for (const [name, entry] of Object.entries(map)) {
    if (entry instanceof Route) {
      const { method, pattern } = entry as AnyRoute;
      rows[path + name] = `${method} ${pattern.source}`;
    } else Object.assign(rows, list(entry as RouteMap, `${path}${name}.`));
  }
  return rows;
}
