import { turns } from "../../_wait.ts";

/** Wraps a store whose calls take a turn of the event loop, as a database's do. */
export function slow<Part extends object>(part: Part): Part {
  return new Proxy(part, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value === "object" && value !== null) return slow(value);
      if (typeof value !== "function") return value;
      return async (...args: unknown[]) => {
        await turns();
        const result = await value.apply(target, args);
        await turns();
        return result;
      };
    },
  });
}
