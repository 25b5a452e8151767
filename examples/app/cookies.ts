import type { RequestContext } from "@gatehouse/web/fetch-router";

/** Options for {@linkcode setCookie}. */
export interface CookieOptions {
  /** The lifetime in seconds. 0 deletes the cookie. */
  readonly maxAge: number;
  /** @default {"/"} */
  readonly path?: string;
  /** @default {false} */
  readonly secure?: boolean;
}

/** Returns the value of a cookie. */
export function readCookie(
  { headers }: RequestContext,
  name: string,
): string | undefined {
  const cookies = headers.get("Cookie")?.split("; ") ?? [];
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

/** Sets a cookie that scripts cannot read and other sites cannot send. */
export function setCookie(
  headers: Headers,
  name: string,
  value: string,
  { maxAge, path = "/", secure = false }: CookieOptions,
): void {
  const flags = secure ? "; Secure" : "";
  headers.append(
    "Set-Cookie",
    `${name}=${value}; Path=${path}; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${flags}`,
  );
}
