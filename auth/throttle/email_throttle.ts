import type { ThrottleLimit } from "./limits.ts";
import {
  createThrottle,
  type Throttle,
  type ThrottleOptions,
} from "./throttle.ts";

/**
 * The limit of emails: five at once, and the next ones after 1, 2, 4, 8 and
 * then 15 minutes. A mailbox therefore gets at most 11 an hour and 103 a day,
 * and the owner never waits long.
 */
const PER_ACCOUNT: ThrottleLimit = {
  attempts: 5,
  delay: 60_000,
  maxDelay: 900_000,
  window: 86_400_000,
};

/**
 * Creates a throttle for emails that visitors ask for, such as links that reset a
 * password. It is a throttle with other defaults for `perAccount`: a mailbox gets
 * at most 11 emails an hour, and the longest delay is 15 minutes.
 *
 * An email is often the way out of another lock, so attackers must not be able to
 * lock it too. Call `trustDevice` when the owner opens a link: it clears the count
 * and makes the browser known. Never call `succeed`, because emails count even if
 * they were sent. Give the same response if there is no email, and name the limit
 * on the page.
 *
 * @example Five emails at once
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { createEmailThrottle } from "@gatehouse/web/auth";
 * import { RequestContext } from "@gatehouse/web/fetch-router";
 *
 * const emails = createEmailThrottle({ name: "reset-email" });
 * let sent = 0;
 * for (let n = 1; n <= 20; n++) {
 *   const request = new Request("https://example.com/forgotten");
 *   const remoteAddress = `198.51.100.${n}`;
 *   const context = new RequestContext(request, { remoteAddress });
 *   const attempt = await emails.attempt(context, "ada@example.com");
 *   if (attempt.allowed) sent++;
 * }
 * assertEquals(sent, 5);
 * ```
 *
 * @param options The options of a throttle. The name is `"email"` by default, as
 * that of email logins: pass another one for each kind of email.
 * @returns The throttle.
 * @throws {RangeError} If a limit or a timeout is not a positive number.
 */
export function createEmailThrottle(options: ThrottleOptions = {}): Throttle {
  return createThrottle({
    name: "email",
    ...options,
    perAccount: { ...PER_ACCOUNT, ...options.perAccount },
  });
}
