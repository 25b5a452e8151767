import { email } from "../../schema/checks/mod.ts";
import { parseSafe, string } from "../../schema/mod.ts";

const Address = /* @__PURE__ */ string().pipe(/* @__PURE__ */ email());

/** The maximum length of an address, in characters (RFC 5321, section 4.5.3.1). */
const MAX_LENGTH = 254;

/** Returns `true` for an email address. */
export function isAddress(value: string): boolean {
  return value.length <= MAX_LENGTH && parseSafe(Address, value).success;
}
