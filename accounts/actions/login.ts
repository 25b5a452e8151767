import { credentialsAuthResult } from "../../auth/internal.ts";
import { Session } from "../../session/mod.ts";
import { type Call, type Outcome, refused, throttled } from "./call.ts";
import { enter } from "./enter.ts";
import { isChecked } from "../definition/input_names.ts";

/** Logs a user in with the address and the password. */
export async function logIn(call: Call): Promise<Outcome> {
  const { context, input, messages, services } = call;
  const result = await credentialsAuthResult(services.password, context);
  if (!result.ok) {
    return result.reason === "throttled"
      ? throttled(call, result.retryAfter)
      : refused(messages.wrongLogin);
  }
  const isRemembered = isChecked(input.get("remember"));
  return await enter(call, result.user.account, {
    methods: ["pwd"],
    timeouts: isRemembered ? services.remember : undefined,
  });
}

/** Logs the user of this browser out. */
export function logOut({ context, services }: Call): Outcome {
  context.get(Session).destroy();
  const location = services.routes.login.index.href();
  return { ok: true, next: "login", location, notice: "logged-out" };
}
