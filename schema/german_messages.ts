/**
 * German messages for validation issues. Copy this file to write messages in
 * another language.
 *
 * @example Answering in German
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseSafe, string } from "@gatehouse/web/data-schema";
 * import { minLength } from "@gatehouse/web/data-schema/checks";
 * import { german } from "@gatehouse/web/data-schema/messages/german";
 *
 * const Name = string().pipe(minLength(2));
 * const result = parseSafe(Name, "a", { messages: german });
 *
 * if (!result.success) {
 *   assertEquals(result.issues[0]?.message, "Zu kurz: mindestens 2");
 * }
 * ```
 *
 * @module
 */
import type { Messages } from "./issue.ts";
import { formatBound } from "./checks/number_checks.ts";

/** German messages by the code of the issue. */
export const german: Messages = {
  conflict: "Angaben passen nicht zusammen",
  cyclic: "Darf sich nicht selbst enthalten",
  email: "Ungültige E-Mail-Adresse",
  ends_with: ({ text }) => `Muss mit „${text}“ enden`,
  fields_match: "Felder stimmen nicht überein",
  file_size: ({ max }) => `Höchstens ${max} Bytes erlaubt`,
  file_type: ({ types }) => `Erlaubt: ${(types as string[]).join(", ")}`,
  forbidden_key: "Schlüssel ist nicht erlaubt",
  hostname: "Ungültiger Hostname",
  includes: ({ text }) => `Muss „${text}“ enthalten`,
  integer: "Muss eine ganze Zahl sein",
  invalid: "Ungültiger Wert",
  ip: "Ungültige IP-Adresse",
  iso_date: "Ungültiges Datum",
  iso_date_time: "Ungültiger Zeitpunkt",
  length: ({ length }) => `Falsche Länge: muss ${length} sein`,
  max: ({ max }) => `Darf höchstens ${formatBound(max)} sein`,
  max_length: ({ max }) => `Zu lang: höchstens ${max}`,
  min: ({ min }) => `Muss mindestens ${formatBound(min)} sein`,
  min_length: ({ min }) => `Zu kurz: mindestens ${min}`,
  multiple_of: ({ step }) => `Muss ein Vielfaches von ${step} sein`,
  pattern: "Ungültiges Format",
  repeated: "Nur ein Wert erlaubt",
  required: "Pflichtfeld",
  starts_with: ({ text }) => `Muss mit „${text}“ beginnen`,
  too_deep: "Zu tief verschachtelt",
  too_large: "Zu viele Teile",
  type: ({ expected }) => `Falscher Typ, erwartet: ${expected}`,
  union: ({ expected }) => `Falscher Typ, erwartet: ${expected}`,
  unknown_key: "Unbekannter Schlüssel",
  unreadable: "Wert ist nicht lesbar",
  url: "Ungültige URL",
  uuid: "Ungültige UUID",
  variant: ({ expected }) => `Erlaubt: ${(expected as string[]).join(", ")}`,
};
