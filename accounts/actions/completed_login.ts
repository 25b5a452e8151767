import { SessionConflictError } from "../../session/mod.ts";
import type { StoredAccount } from "../store/store.ts";
import type { Call, Outcome } from "./call.ts";

/** Returns the result of a complete login. It cancels a deletion. */
export async function welcome(
  { messages, services: { store } }: Call,
  { deleteAt, id, name }: StoredAccount,
  location: string,
): Promise<Outcome> {
  const done = { ok: true, next: "done", location } as const;
  if (deleteAt === null) return { ...done, message: messages.welcome(name) };
  await store.update(id, { deleteAt: null });
  return { ...done, message: messages.deletionCancelled };
}

/** Returns the result of a login, or `"ended"` if all access was ended. */
export async function unlessEnded<Result>(
  login: Promise<Result>,
): Promise<Result | "ended"> {
  try {
    return await login;
  } catch (error) {
    if (error instanceof SessionConflictError) return "ended";
    throw error;
  }
}
