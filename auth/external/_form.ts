import type { RequestContext } from "../../router/mod.ts";

/** The most bytes that a form of a provider may have. */
const MAX_BYTES = 65_536;

/** Milliseconds that its sender has. */
const TIMEOUT = 10_000;

/**
 * Reads the form that a request carries, or takes it from the form-data
 * middleware where that has run; `null` where it is none.
 */
export async function readForm(
  context: RequestContext,
): Promise<URLSearchParams | null> {
  if (context.has(FormData)) {
    const pairs = [...context.get(FormData)]
      .filter((pair): pair is [string, string] => typeof pair[1] === "string");
    return new URLSearchParams(pairs);
  }
  const { body, headers } = context.request;
  const type = headers.get("Content-Type")?.split(";", 1)[0].trim();
  if (type?.toLowerCase() !== "application/x-www-form-urlencoded") return null;
  const text = body === null ? "" : await readBody(body);
  return text === null ? null : new URLSearchParams(text);
}

async function readBody(
  body: ReadableStream<Uint8Array>,
): Promise<string | null> {
  const reader = body.getReader();
  const timer = setTimeout(() => reader.cancel().catch(() => {}), TIMEOUT);
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      size += value.byteLength;
      if (size > MAX_BYTES) {
        reader.cancel().catch(() => {});
        return null;
      }
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
