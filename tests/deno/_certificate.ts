import { skip } from "./_installed.ts";

/** `true` if the program that creates certificates is installed. */
export const isOpenSSLInstalled: boolean = await run("openssl version")
  .then(() => true, () => false);
if (!isOpenSSLInstalled) {
  skip("HTTPS in browsers", "openssl is not installed");
}

/** A certificate of localhost that signs itself. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The hash of its key, for `--ignore-certificate-errors-spki-list`. */
  readonly spki: string;
}

/** Creates a certificate, of `localhost` and `127.0.0.1` by default. */
export async function createCertificate(
  names = "DNS:localhost,IP:127.0.0.1",
): Promise<Certificate> {
  const folder = await Deno.makeTempDir();
  try {
    await run(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes " +
        "-keyout key.pem -out cert.pem -days 2 -subj /CN=localhost " +
        `-addext subjectAltName=${names}`,
      folder,
    );
    await run("openssl pkey -in key.pem -pubout -out public.pem", folder);
    const cert = await Deno.readTextFile(`${folder}/cert.pem`);
    const key = await Deno.readTextFile(`${folder}/key.pem`);
    const pem = await Deno.readTextFile(`${folder}/public.pem`);
    const bytes = Uint8Array.fromBase64(pem.replaceAll(/-----.*-----/g, ""));
    const hash = await crypto.subtle.digest("SHA-256", bytes);
    return { cert, key, spki: new Uint8Array(hash).toBase64() };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function run(command: string, cwd?: string): Promise<void> {
  const [program, ...args] = command.split(" ");
  const options = { args, ...cwd !== undefined && { cwd } };
  const { success } = await new Deno.Command(program!, options).output();
  if (!success) throw new Error(`Cannot run "${command}"`);
}
