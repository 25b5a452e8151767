import { generateTOTP } from "@gatehouse/web/auth/second-factor";
import { assertEquals, assertRejects } from "@std/assert";

/** The ASCII string "12345678901234567890" in base32 (RFC 4226, appendix D). */
const SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

const HOTP = [
  "755224",
  "287082",
  "359152",
  "969429",
  "338314",
  "254676",
  "287922",
  "162583",
  "399871",
  "520489",
];

for (const [counter, code] of HOTP.entries()) {
  Deno.test(`generateTOTP() returns the code of the counter ${counter} (RFC 4226, appendix D)`, async () => {
    for (const time of [counter * 30_000, counter * 30_000 + 29_999]) {
      assertEquals(await generateTOTP(SECRET, { time }), code);
    }
  });
}

const TOTP: [seconds: number, code: string][] = [
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
];

for (const [seconds, code] of TOTP) {
  Deno.test(`generateTOTP() returns the code at ${seconds} s (RFC 6238, appendix B)`, async () => {
    const time = seconds * 1000;
    assertEquals(await generateTOTP(SECRET, { time, digits: 8 }), code);
    const six = await generateTOTP(SECRET.toLowerCase(), { time });
    assertEquals(six, code.slice(2));
  });
}

for (const secret of ["", "1", "ABC!", "GEZDGNBV GY3", "ä", "===="]) {
  Deno.test(`generateTOTP() throws for the secret "${secret}"`, async () => {
    await assertRejects(
      () => generateTOTP(secret),
      TypeError,
      "the secret is not base32",
    );
  });
}

for (const time of [-1, NaN, Infinity, 2 ** 60]) {
  Deno.test(`generateTOTP() throws for the time ${time}`, async () => {
    await assertRejects(() => generateTOTP(SECRET, { time }), RangeError);
  });
}
