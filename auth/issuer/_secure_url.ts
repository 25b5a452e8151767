import { isLoopback } from "../../router/internal.ts";

/** Returns `true` for https, and for http on localhost if that is allowed. */
export function isSecureURL(url: URL, allowInsecureLoopback: boolean): boolean {
  if (url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" ||
    allowInsecureLoopback && url.protocol === "http:" &&
      isLoopback(url.hostname);
}
