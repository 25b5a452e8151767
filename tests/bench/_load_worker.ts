/**
 * Generates load in a separate thread, so that the server's thread is the
 * bottleneck. Each connection sends a request as soon as the last response
 * arrives.
 *
 * A message `{ port, path, headers, connections, requests }` gets a reply with
 * the elapsed milliseconds.
 */
interface Load {
  readonly port: number;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly connections: number;
  readonly requests: number;
}

const scope = self as unknown as {
  onmessage: (event: MessageEvent<Load>) => void;
  postMessage(message: unknown): void;
};

scope.onmessage = async ({ data }) => scope.postMessage(await run(data));

async function run(load: Load): Promise<number> {
  const { connections, headers, path, port, requests } = load;
  const lines = Object.entries({ Host: "localhost", ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`);
  const text = `GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`;
  const request = new TextEncoder().encode(text);
  const open = await Promise.all(
    Array.from({ length: connections }, () => Deno.connect({ port })),
  );
  let left = requests;
  const start = performance.now();
  await Promise.all(open.map(async (connection) => {
    const buffer = new Uint8Array(16_384);
    while (left-- > 0) {
      await connection.write(request);
      // The responses are small: each comes in one piece.
      await connection.read(buffer);
    }
  }));
  const time = performance.now() - start;
  for (const connection of open) connection.close();
  return time;
}
