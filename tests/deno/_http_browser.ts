/** The maximum number of redirects. */
const MAX_REDIRECTS = 20;

/**
 * A browser without a screen: keeps cookies for each host, follows redirects,
 * and submits the form of a page.
 */
export class HTTPBrowser {
  readonly #cookies = new Map<string, Map<string, string>>();
  #url = "";

  /** Opens a page and returns its text. */
  async open(url: string, init: RequestInit = {}): Promise<string> {
    let request = init;
    let next = new URL(url, this.#url || undefined);
    for (let count = 0; count < MAX_REDIRECTS; count++) {
      const response = await this.#send(next, request);
      const location = response.headers.get("Location");
      this.#url = next.href;
      if (location === null) return await response.text();
      await response.body?.cancel();
      next = new URL(location, next);
      request = {};
    }
    throw new Error(`Cannot open "${url}": it redirects without end`);
  }

  /** Sends the first form of a page, with its hidden fields and these. */
  async submit(
    page: string,
    fields: Record<string, string>,
  ): Promise<string> {
    const [form = page] = /<form[\s\S]*?<\/form>/.exec(page) ?? [];
    const [, action = this.#url] = /action="([^"]*)"/.exec(form) ?? [];
    const body = new URLSearchParams();
    for (const [input] of form.matchAll(/<input[^>]*type="hidden"[^>]*>/g)) {
      const [, name = ""] = /name="([^"]*)"/.exec(input) ?? [];
      const [, value = ""] = /value="([^"]*)"/.exec(input) ?? [];
      body.set(name, decode(value));
    }
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    const { origin } = new URL(this.#url);
    return await this.open(decode(action), {
      method: "POST",
      body,
      headers: { Origin: origin },
    });
  }

  async #send(url: URL, init: RequestInit): Promise<Response> {
    const key = url.port;
    const cookies = this.#cookies.get(key) ?? new Map<string, string>();
    this.#cookies.set(key, cookies);
    const headers = new Headers(init.headers);
    const pairs = [...cookies].map(([name, value]) => `${name}=${value}`);
    if (pairs.length > 0) headers.set("Cookie", pairs.join("; "));
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const [name = "", ...value] = pair.split("=");
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) {
        cookies.delete(name);
      } else cookies.set(name, value.join("="));
    }
    return response;
  }
}

function decode(text: string): string {
  return text.replaceAll("&amp;", "&").replaceAll("&#x2F;", "/")
    .replaceAll("&quot;", '"').replaceAll("&#39;", "'");
}
