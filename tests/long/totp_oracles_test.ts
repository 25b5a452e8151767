/** Codes of authenticator apps, as other programs compute them. */
import { assertEquals } from "@std/assert";
import { TOTP } from "npm:otpauth@9.5.2";
import {
  createSecondFactors,
  generateTOTP,
} from "@gatehouse/web/auth/second-factor";
import { createMemorySessionStore } from "@gatehouse/web/session";
import { findProgram } from "../deno/_servers.ts";

const factors = createSecondFactors({
  issuer: "Example",
  store: createMemorySessionStore(),
  secrets: ["a secret of the second factors in this test"],
});

const oathtool = findProgram("oathtool", "codes of oathtool");

/** Returns 100 times between 1970 and 2100, some at the edges of steps. */
function times(): number[] {
  const last = 4_102_444_800_000;
  return Array.from({ length: 100 }, (_, n) => {
    const time = Math.floor(Math.random() * last);
    return n % 3 === 0 ? time - time % 30_000 : time;
  });
}

Deno.test("generateTOTP() returns the codes of npm:otpauth", async () => {
  for (const time of times()) {
    const { secret, uri } = await factors.createTOTP(1, "ada@example.com");
    const code = await generateTOTP(secret, { time });
    const { searchParams } = new URL(uri);
    const oracle = new TOTP({
      secret: searchParams.get("secret")!,
      algorithm: searchParams.get("algorithm")!,
      digits: Number(searchParams.get("digits")),
      period: Number(searchParams.get("period")),
    });
    assertEquals(code, oracle.generate({ timestamp: time }));
    const eight = new TOTP({ secret, digits: 8 });
    assertEquals(
      await generateTOTP(secret, { time, digits: 8 }),
      eight.generate({ timestamp: time }),
    );
  }
});

Deno.test({
  name: "generateTOTP() returns the codes of oathtool",
  ignore: oathtool === null,
  fn: async () => {
    for (const time of times().slice(0, 30)) {
      const { secret } = await factors.createTOTP(1, "ada@example.com");
      const { stdout } = await new Deno.Command(oathtool!, {
        args: [
          "--totp",
          "--base32",
          `--now=@${Math.floor(time / 1000)}`,
          secret,
        ],
      }).output();
      assertEquals(
        await generateTOTP(secret, { time }),
        new TextDecoder().decode(stdout).trim(),
      );
    }
  },
});
