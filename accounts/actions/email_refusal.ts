import type { EmailLoginResult } from "../../auth/email_login/mod.ts";
import {
  type Call,
  expired,
  type Failed,
  invalid,
  refused,
  throttled,
} from "./call.ts";

/** Returns the result of a link or a code that does not work. */
export function emailRefusal(
  call: Call,
  result: Extract<EmailLoginResult, { ok: false }>,
): Failed {
  switch (result.reason) {
    case "expired":
      return expired(call);
    case "other-browser":
      return refused(call.messages.otherBrowserText, 400);
    case "wrong":
      return invalid({ code: call.messages.wrongCode });
    case "throttled":
      return throttled(call, result.retryAfter);
  }
}
