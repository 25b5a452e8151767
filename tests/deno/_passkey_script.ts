/**
 * Bundles the browser part of passkeys. As a program it writes the text that
 * `@gatehouse/web/auth/passkey` serves.
 */
import { deno } from "./_programs.ts";

const ROOT = new URL("../../", import.meta.url);
const BROWSER = new URL("auth/passkey/browser/mod.ts", ROOT);

/** The module with the text. */
export const SCRIPT_MODULE: URL = new URL(
  "auth/passkey/_script_text.ts",
  ROOT,
);

/** Returns the source of the module with the text. */
export async function scriptModule(): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    const [input, output] = [`${folder}/main.ts`, `${folder}/main.js`];
    const names =
      "connectPasskeyForms, registerPasskey, getPasskey, signalPasskeys";
    await Deno.writeTextFile(
      input,
      `import { connectPasskeyForms } from "${BROWSER}";
      export { ${names} } from "${BROWSER}";
      connectPasskeyForms();`,
    );
    const options = ["bundle", "--minify", "--platform=browser"];
    await deno([...options, "-c", "deno.json", "-o", output, input], {
      cwd: ROOT,
    });
    const text = (await Deno.readTextFile(output)).trim();
    return `// \`deno task passkey-script\` writes this file from browser/mod.ts.

/** The browser part of passkeys, bundled. */
export const SCRIPT: string =
  // deno-fmt-ignore -- The bundler chooses the form of the string.
  ${JSON.stringify(text)};
`;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) {
  await Deno.writeTextFile(SCRIPT_MODULE, await scriptModule());
  await deno(["fmt", SCRIPT_MODULE.pathname], { cwd: ROOT });
}
