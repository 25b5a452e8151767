/** What to add to `performance.now()` for the time of day, and when it was so. */
let offset = 0;
let offsetAt = -Infinity;

/**
 * The time of day at a moment of `performance.now()`, in epoch milliseconds. To
 * ask for it again each second costs less than each time.
 */
export function timeAt(now: number): number {
  if (now - offsetAt >= 1000) {
    offset = Date.now() - now;
    offsetAt = now;
  }
  return Math.floor(now + offset);
}

const months = "JanFebMarAprMayJunJulAugSepOctNovDec";

let lastSecond = NaN;
let lastISOTime = "";
let lastApacheTime = "";

/** A time such as `2026-11-20T17:55:48.123Z`. */
export function isoTime(timestamp: number): string {
  turnTo(Math.floor(timestamp / 1000));
  const milliseconds = String(timestamp % 1000).padStart(3, "0");
  return `${lastISOTime}.${milliseconds}Z`;
}

/** A time such as ` [20/Nov/2026:17:55:48 +0000] "`, with what is around it. */
export function apacheTime(timestamp: number): string {
  turnTo(Math.floor(timestamp / 1000));
  return lastApacheTime;
}

/** Builds the texts of a second, once for all that happens in it. */
function turnTo(second: number): void {
  if (second === lastSecond) return;
  const iso = new Date(second * 1000).toISOString();
  const [year, month = "", day] = iso.slice(0, 10).split("-");
  const start = 3 * Number(month) - 3;
  const time = iso.slice(11, 19);
  lastSecond = second;
  lastISOTime = iso.slice(0, 19);
  lastApacheTime = ` [${day}/${
    months.slice(start, start + 3)
  }/${year}:${time} +0000] "`;
}
