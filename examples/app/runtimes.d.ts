/** The types that the entry file for Bun uses of it. */

declare module "bun" {
  export const env: Readonly<Record<string, string | undefined>>;

  export class RedisClient {
    constructor(url: string, options?: { readonly autoReconnect: boolean });
    connect(): Promise<void>;
    send(command: string, args: string[]): Promise<unknown>;
    close(): void;
  }

  export function serve(options: {
    readonly port: number;
    readonly hostname: string;
    readonly fetch: (request: Request, server: unknown) => Promise<Response>;
  }): void;
}

declare module "bun:sqlite" {
  export { DatabaseSync as Database } from "node:sqlite";
}
