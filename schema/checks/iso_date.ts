// Validates dates and times of RFC 3339, section 5.6.

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME =
  /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.\d{1,9})?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;

/** The minutes of a day. */
const MINUTES = 1440;

/** Returns `true` for a date that exists in the calendar. */
export function isDate(value: string): boolean {
  if (value.length !== 10) return false;
  const match = DATE.exec(value);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number) as [
    number,
    number,
    number,
  ];
  return month > 0 && month < 13 && day > 0 && day <= daysOf(year, month);
}

function daysOf(year: number, month: number): number {
  if (month === 2) {
    const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
    return isLeap ? 29 : 28;
  }
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Returns `true` for a date with a time and an offset. */
export function isDateTime(value: string): boolean {
  return value.length < 42 && (value[10] === "T" || value[10] === "t") &&
    isDate(value.slice(0, 10)) && isTime(value.slice(11));
}

function isTime(value: string): boolean {
  const match = TIME.exec(value);
  if (match === null) return false;
  const [, hours, minutes, seconds, sign, offsetHours, offsetMinutes] = match;
  if (seconds !== "60") return true;
  // A leap second is the last one of a day in UTC.
  const offset = Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0);
  const local = Number(hours) * 60 + Number(minutes);
  const utc = sign === "-" ? local + offset : local - offset;
  return (utc + MINUTES) % MINUTES === MINUTES - 1;
}
