/** Processes of an application with an authorization server. */
import { assert } from "@std/assert";
import type { TestTarget } from "@gatehouse/web/testing";
import type { TestApp } from "../oauth_server/_server.ts";
import { freePort } from "./_programs.ts";

/** Several processes of the application. */
export interface Processes extends AsyncDisposable {
  readonly apps: readonly TestApp[];
}

/** The number of times that a request is sent, if its connection is reset. */
const MAX_TRIES = 10;

/**
 * Returns the application at an address. workerd resets some connections of 200
 * concurrent requests. A client repeats such a request.
 */
export function appAt(address: string): TestApp {
  const router: TestTarget = {
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { headers, method } = request;
      const body = method === "POST" ? await request.text() : null;
      const send = () =>
        fetch(address + pathname + search, {
          ...{ method, headers, body, redirect: "manual" },
        });
      for (let tries = 1; tries < MAX_TRIES; tries++) {
        const response = await send().catch(() => null);
        if (response !== null) return response;
      }
      return await send();
    },
  };
  return { router };
}

/** Starts two processes with one store: a kind, and its file or port. */
export async function startProcesses(
  kind: string,
  address: string | number,
  format: "opaque" | "at+jwt" = "opaque",
): Promise<Processes> {
  const ports = [freePort(), freePort()];
  const children: Deno.ChildProcess[] = [];
  for (const port of ports) {
    const args = [kind, address, port, format].map(String);
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", "_oauth_process.ts", ...args],
      cwd: import.meta.dirname,
      stdout: "piped",
    }).spawn();
    children.push(child);
    const output = child.stdout.getReader();
    assert(!(await output.read()).done, "the process does not serve");
    output.releaseLock();
  }
  return {
    apps: ports.map((port) => appAt(`http://127.0.0.1:${port}`)),
    async [Symbol.asyncDispose]() {
      for (const child of children) {
        child.kill("SIGKILL");
        await child.stdout.cancel();
        await child.status;
      }
    },
  };
}
