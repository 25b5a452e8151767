// Converts strings to values. A malformed string is returned unchanged, so that
// the schema reports the issue.

import { isDate, isDateTime } from "./checks/iso_date.ts";

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const INTEGER = /^-?\d+$/;
const LOCAL_TIME = /^(?:[01]\d|2[0-3]):\d\d(?::\d\d(?:\.\d{1,9})?)?$/;

/** Enough digits for every number, and few enough to be parsed quickly. */
const MAX_DIGITS = 400;

/** Parses a finite decimal number. */
export function readNumber(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed.length > MAX_DIGITS || !NUMBER.test(trimmed)) return text;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : text;
}

/** Parses a decimal integer of up to 400 digits. */
export function readBigint(text: string): unknown {
  const trimmed = text.trim();
  if (trimmed.length > MAX_DIGITS || !INTEGER.test(trimmed)) return text;
  return BigInt(trimmed);
}

/** Parses the usual strings for `true` and `false`. */
export function readBoolean(text: string): unknown {
  if (text.length > MAX_DIGITS) return text;
  switch (text.trim().toLowerCase()) {
    case "true":
    case "on":
    case "yes":
    case "1":
      return true;
    case "false":
    case "off":
    case "no":
    case "0":
      return false;
  }
  return text;
}

/**
 * Parses a date, a date and time with an offset, or the value of a
 * `datetime-local` input. Without an offset, the time is UTC.
 */
export function readDate(text: string): unknown {
  if (isDate(text) || isDateTime(text)) return toDate(text, text);
  const isLocal = text.length < 32 && text[10] === "T" &&
    isDate(text.slice(0, 10)) && LOCAL_TIME.test(text.slice(11));
  return isLocal ? toDate(`${text}Z`, text) : text;
}

function toDate(iso: string, text: string): unknown {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? text : date;
}
