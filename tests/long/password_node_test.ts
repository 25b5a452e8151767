/** Passwords on Node, whose Web Crypto has an experimental Argon2. */
import { assertEquals } from "@std/assert";
import { bundle } from "../runtimes/bundle.ts";
import { NODE_VERSIONS, nodePath } from "../runtimes/node.ts";

const PROGRAM = `
import { hashPassword, verifyPassword } from "@gatehouse/web";
import { argon2Engines } from "@gatehouse/web/auth/password";
const [{ name }] = await argon2Engines();
const hash = await hashPassword("correct horse");
console.log(name, (await verifyPassword(hash, "correct horse")).ok);`;

for (const version of NODE_VERSIONS) {
  Deno.test(`hashPassword() prints no warning on Node ${version}`, async () => {
    const script = await Deno.makeTempFile({ suffix: ".mjs" });
    try {
      await Deno.writeTextFile(script, await bundle(PROGRAM));
      const { stdout, stderr } = await new Deno.Command(
        await nodePath(version),
        { args: [script] },
      ).output();
      const [output, warnings] = [stdout, stderr]
        .map((bytes) => new TextDecoder().decode(bytes));
      assertEquals([output, warnings], ["node true\n", ""]);
    } finally {
      await Deno.remove(script);
    }
  });
}
