/** The types that the entry files use of runtimes other than Deno. */

declare module "bun" {
  export function file(path: string): { text(): Promise<string> };

  export const env: Readonly<Record<string, string | undefined>>;

  export class RedisClient {
    constructor(url: string, options?: { readonly autoReconnect: boolean });
    connect(): Promise<void>;
    send(command: string, args: string[]): Promise<unknown>;
    close(): void;
  }

  export function serve(
    options: {
      readonly port: number;
      readonly hostname: string;
      readonly fetch: (
        request: Request,
        ...platform: unknown[]
      ) => Promise<Response>;
    },
  ): void;
}

declare module "bun:sqlite" {
  export class Database {
    constructor(file: string);
    exec(sql: string): void;
    prepare(sql: string): {
      all(...params: (string | number | null)[]): Record<string, unknown>[];
    };
    close(): void;
  }
}
