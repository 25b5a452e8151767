import { assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import {
  isSecretName,
  logger,
  type LoggerOptions,
  type LogInfo,
} from "@gatehouse/web/logger-middleware";

async function infoOf(
  path: string,
  referrer: string | undefined,
  options: LoggerOptions = {},
): Promise<LogInfo | undefined> {
  let seen: LogInfo | undefined;
  const router = createRouter({
    middleware: [logger({
      format: (info) => {
        seen = info;
        return "";
      },
      output: () => {},
      ...options,
    })],
  });
  await router.fetch(`https://example.com${path}`, {
    headers: referrer === undefined ? {} : { Referer: referrer },
  });
  return seen;
}

const names: [name: string, secret: boolean][] = [
  ["code", true],
  ["state", true],
  ["token", true],
  ["access_token", true],
  ["id_token", true],
  ["accessToken", true],
  ["TOKEN", true],
  ["to\u212aen", true],
  ["x-token-2", true],
  ["authtoken", true],
  ["key", true],
  ["api_key", true],
  ["apikey", true],
  ["apiKey", true],
  ["X-Amz-Signature", true],
  ["sig", true],
  ["client_secret", true],
  ["password", true],
  ["newPassword", true],
  ["user[password]", true],
  ["SAMLResponse", true],
  ["code_verifier", true],
  ["sid", true],
  ["session", true],
  ["session_id", true],
  ["sessionId", true],
  ["PHPSESSID", true],
  ["auth", true],
  ["samlResponse", true],
  ["SAMLart", true],
  ["authcode", true],
  ["otpcode", true],
  ["passcode", true],
  ["pin", true],
  ["totp", true],
  ["mfa", true],
  ["accesskey", true],
  ["secretkey", true],
  ["api_keys", true],
  ["tokens", true],
  ["accessTokens", true],
  ["passwords", true],
  ["token2", true],
  ["authorization", true],
  ["bearer", true],
  ["pinned", false],
  ["status", false],
  ["codec", false],
  ["statement", false],
  ["author", false],
  ["side", false],
  ["__proto__", false],
  ["constructor", false],
  ["keyword", false],
  ["monkey", false],
  ["postcode", false],
  ["estate", false],
  ["page", false],
  ["q", false],
  ["", false],
];

for (const [name, secret] of names) {
  Deno.test(`isSecretName() returns ${secret} for "${name}"`, () => {
    assertEquals(isSecretName(name), secret);
    assertEquals(isSecretName(name), secret, "the second time");
  });
}

Deno.test("logger() finds every secret name in a query, however short its value", async () => {
  for (const [name, secret] of names) {
    const info = await infoOf(
      `/?${encodeURIComponent(name)}=1`,
      `https://other.example/?${name.replace("\u212a", "k")}=1`,
    );
    const { url, referrer } = info ?? {};
    assertEquals(url?.endsWith("=REDACTED"), secret, `${name} in ${url}`);
    assertEquals(referrer?.endsWith("=REDACTED"), secret, `${name}, referrer`);
  }
});

const urls: [url: string, written: string][] = [
  ["/cb?code=abc&state=def", "/cb?code=REDACTED&state=REDACTED"],
  ["/cb?keyword=abc&%63ode=abc", "/cb?keyword=abc&%63ode=REDACTED"],
  ["/cb?a=1&code=abc&b=2", "/cb?a=1&code=REDACTED&b=2"],
  ["/cb?c%6fde=abc", "/cb?c%6fde=REDACTED"],
  ["/cb?access%5Ftoken=abc", "/cb?access%5Ftoken=REDACTED"],
  ["/cb?to+ken=abc&+token=abc", "/cb?to+ken=abc&+token=REDACTED"],
  ["/cb?token=a=b=c", "/cb?token=REDACTED"],
  ["/cb?token", "/cb?token"],
  ["/cb?token=", "/cb?token="],
  ["/cb?a&token=abc", "/cb?a&token=REDACTED"],
  ["/cb?a=?token=abc", "/cb?a=REDACTED"],
  [
    "/login?returnTo=%2Fcb%3Fcode%3Dabc&page=2",
    "/login?returnTo=REDACTED&page=2",
  ],
  ["/login?returnTo=%2Fcb%3fa%3d1%26c%6fde%3dabc", "/login?returnTo=REDACTED"],
  ["/login?returnTo=/cb?code=abc", "/login?returnTo=REDACTED"],
  ["/login?returnTo=%2Fcb%23access_token%3Dabc", "/login?returnTo=REDACTED"],
  ["/a?b=%2Flogin%3FreturnTo%3D%252Fcb%253Fcode%253Dabc", "/a?b=REDACTED"],
  ["/login?returnTo=%2Fnews%3Fpage%3D2", "/login?returnTo=%2Fnews%3Fpage%3D2"],
  ["/a?q=1%2B1%3D2&r=%3D%253D%zz%3D", "/a?q=1%2B1%3D2&r=%3D%253D%zz%3D"],
  ["/cb?a=token", "/cb?a=token"],
  ["/cb?%=1&%zz=2&token=abc", "/cb?%=1&%zz=2&token=REDACTED"],
  ["/code=abc", "/code=abc"],
  ["/?page=2", "/?page=2"],
  ["/?", "/?"],
];

for (const [url, written] of urls) {
  Deno.test(`logger() writes ${url} without its secrets`, async () => {
    const info = await infoOf(url, `https://other.example${url}`);
    assertEquals(info?.url, written);
    assertEquals(info?.referrer, `https://other.example${written}`);
  });
}

const referrers: [referrer: string, written: string][] = [
  ["https://user:password@a.example/b", "https://a.example/b"],
  ["https://user@a.example/?token=abc", "https://a.example/?token=REDACTED"],
  ["https://a.example/@b?c=d@e", "https://a.example/@b?c=d@e"],
  ["HTTPS://u:p@a.example", "HTTPS://a.example"],
  ["not a url?token=abc", "not a url?token=REDACTED"],
  ["a@b", "a@b"],
  ["https://a.example/b#access_token=abc", "https://a.example/b"],
  ["https://a.example/?b=c#/d?code=abc", "https://a.example/?b=c"],
  ["https://u:p@q@a.example/", "https://a.example/"],
];

for (const [referrer, written] of referrers) {
  Deno.test(`logger() writes the referrer ${referrer} without its secrets`, async () => {
    assertEquals((await infoOf("/", referrer))?.referrer, written);
  });
}

Deno.test("logger() redacts the names of its options", async () => {
  const redact = (name: string) => isSecretName(name) || name === "email";
  const info = await infoOf("/?email=a&token=b&page=c", undefined, { redact });
  assertEquals(info?.url, "/?email=REDACTED&token=REDACTED&page=c");
  const url = "/?card+number=1&card%20number=2&to=/a?card+number=3&card=4";
  const card = await infoOf(url, undefined, {
    redact: (name) => name === "card number",
  });
  assertEquals(
    card?.url,
    "/?card+number=REDACTED&card%20number=REDACTED&to=REDACTED&card=4",
  );
});

Deno.test("logger() redacts nothing with redact: false", async () => {
  const info = await infoOf("/?token=b", "https://a.example/?code=c", {
    redact: false,
  });
  assertEquals(info?.url, "/?token=b");
  assertEquals(info?.referrer, "https://a.example/?code=c");
});

Deno.test("logger() redacts many encoded values in linear time", async () => {
  for (const value of ["%3D", "%253D", "=", "?", "%25", "a%3D%26"]) {
    const long = value.repeat(200_000);
    await infoOf(`/?a=${long}`, `/?a=${long}`);
  }
});

for (
  const path of [
    "/verify/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
    "/verify/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln/done?page=2",
    "/verify/%65yJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
    "/verify/token:eyJhbGciOiJIUzI1NiJ9",
  ]
) {
  Deno.test(`logger() redacts the JSON Web Token in the path ${path}`, async () => {
    const info = await infoOf(path, `https://example.com${path}`);
    const logged = path.replace(/\/verify\/[^/?]+/, "/verify/REDACTED");
    assertEquals(info?.url, logged);
    assertEquals(info?.referrer, `https://example.com${logged}`);
  });
}
