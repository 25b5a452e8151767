// The expressions of the redaction take linear time by themselves: callers that
// do not shorten a URL first must not hang. A quadratic one would take minutes.
import { assert } from "@std/assert";
import {
  isSecretName,
  redactReferrer,
  redactURL,
} from "../../logger/redaction.ts";

const LENGTH = 300_000;

const parts = [
  "a",
  "aB",
  "_",
  "1",
  "%",
  "%25",
  "%3b",
  "%3da",
  "&",
  "=",
  "?a",
  ";a",
  "/",
  "//",
  "//a:",
  "a:b@",
  "@",
  "\\",
  "\\u",
  '"',
  '"a" ',
  "{ ",
  ", a",
  "eyJ",
  "eyJa.",
  "code",
  "lang_",
  "mot de ",
  "parola ",
  "palavra_",
  "credit_",
  "account ",
  "error-",
  "foreign_",
  "key",
  "session",
  "\u00e9",
];

for (const part of parts) {
  const text = part.repeat(LENGTH / part.length);
  Deno.test(`the redaction reads many ${JSON.stringify(part)} in linear time`, () => {
    isSecretName(text);
    for (const start of ["/?", "/?x=:", "/", "//", '/?x={"']) {
      for (const redact of [redactURL, redactReferrer]) {
        const url = `https://example.com${start}${text}`;
        assert(redact(url, isSecretName).startsWith("https:"));
      }
    }
  });
}
