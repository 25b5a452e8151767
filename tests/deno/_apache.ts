import { freePort, listening } from "./_programs.ts";

/** A running Apache HTTP Server. */
export interface Apache {
  readonly port: number;
  /** Stops the server and returns its log, with one character per byte. */
  stop(): Promise<string[]>;
}

/** Starts Apache with a log in the combined format, in UTC. */
export async function startApache(program: string): Promise<Apache> {
  const folder = await Deno.makeTempDir();
  await Deno.chmod(folder, 0o755);
  await Deno.mkdir(`${folder}/pages`);
  await Deno.writeTextFile(`${folder}/pages/hello`, "Hello");
  await Deno.writeTextFile(`${folder}/pages/empty`, "");
  const port = freePort();
  await Deno.writeTextFile(`${folder}/httpd.conf`, configuration(folder, port));
  const child = new Deno.Command(program, {
    args: ["-f", `${folder}/httpd.conf`, "-DFOREGROUND"],
    env: { TZ: "UTC" },
    stdout: "null",
    stderr: "null",
  }).spawn();
  await listening(port);
  return {
    port,
    async stop() {
      child.kill("SIGTERM");
      await child.status;
      const bytes = await Deno.readFile(`${folder}/access.log`);
      await Deno.remove(folder, { recursive: true });
      return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")
        .trimEnd().split("\n");
    },
  };
}

function configuration(folder: string, port: number): string {
  const modules = ["mpm_event", "authz_core", "alias", "dir"].map((name) =>
    `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`
  );
  return `${modules.join("\n")}
ServerName localhost
ServerRoot "${folder}"
DefaultRuntimeDir "${folder}"
PidFile "${folder}/pid"
Listen 127.0.0.1:${port}
ErrorLog "${folder}/error.log"
DocumentRoot "${folder}/pages"
FallbackResource /hello
RedirectMatch 404 ^/missing$
RedirectMatch 302 ^/moved$ /
ErrorDocument 404 "Not Found"
ErrorDocument 302 "Found"
LogFormat "%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\"" combined
CustomLog "${folder}/access.log" combined
<Directory "${folder}/pages">
  Require all granted
</Directory>
`;
}
