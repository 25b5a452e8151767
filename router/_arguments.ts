/** The members of RequestInit, of the standard and of the three runtimes. */
const INIT_MEMBER =
  /^(?:body|cache|cf|client|credentials|duplex|fetcher|headers|integrity|keepalive|method|mode|priority|proxy|redirect|referrer|referrerPolicy|signal|tls|verbose|window)$/;

/**
 * Whether a runtime's only argument beside the request is an init: a plain
 * object, all of whose keys are members of RequestInit.
 */
export function isInit(value: unknown): value is RequestInit {
  if (typeof value !== "object" || value === null) return false;
  // What a server passes is told by this at once, without the slow question.
  const { constructor } = value;
  if (constructor !== Object && constructor !== undefined) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => INIT_MEMBER.test(key));
}
