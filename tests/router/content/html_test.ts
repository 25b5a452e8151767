import {
  html,
  type HTMLChild,
  htmlResponse,
  unsafeHTML,
} from "@gatehouse/web/content";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { captureConsole } from "../../_console.ts";
import { turns } from "../../_wait.ts";

const children: [child: HTMLChild, source: string][] = [
  ["a", "a"],
  ["<b>", "&lt;b&gt;"],
  [`"'&`, "&quot;&#39;&amp;"],
  ["&lt;", "&amp;lt;"],
  [
    `"><script>alert(1)</script>`,
    "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;",
  ],
  ["\u0000\ud800", "\u0000\ud800"],
  [0, "0"],
  [-0.5, "-0.5"],
  [10n, "10"],
  ["", ""],
  [null, ""],
  [undefined, ""],
  [false, ""],
  [["<", html`<b>${">"}</b>`, [1, null]], "&lt;<b>&gt;</b>1"],
  [html`<i>${html`<b>${"&"}</b>`}</i>`, "<i><b>&amp;</b></i>"],
  [unsafeHTML("<hr>"), "<hr>"],
];

for (const [child, source] of children) {
  Deno.test(`html inserts ${JSON.stringify(String(child)).slice(0, 60)} as ${source.slice(0, 60)}`, () => {
    assertEquals(String(html`[${child}]`), `[${source}]`);
  });
}

const forged: unknown[] = [
  { toString: () => "<script>" },
  JSON.parse('{"parts":["<script>"]}'),
  JSON.parse('{"__proto__":{"parts":["<script>"]}}'),
  Object.create({ parts: ["<script>"] }),
  new (class EscapedMarkup {
    parts = ["<script>"];
  })(),
  new String("<script>"),
  Symbol.iterator in Array.prototype ? new Set(["<script>"]) : "",
  true,
  () => "<script>",
];

for (const [index, child] of forged.entries()) {
  Deno.test(`html never inserts the forged markup ${index} unescaped (ASVS 3.2.2)`, () => {
    const source = String(html`${child as string}`);
    assert(!source.includes("<"), source);
  });
}

Deno.test("html cannot convert markup that is still to come", () => {
  const late = html`<b>${Promise.resolve("a")}</b>`;
  assertThrows(() => String(late), TypeError, "promise");
});

Deno.test("htmlResponse() sends a page with its status and its headers", async () => {
  const response = htmlResponse(html`<p>${"ü"}</p>`, {
    status: 404,
    headers: { "Content-Type": "text/plain", "X-A": "b" },
  });
  assertEquals(response.status, 404);
  assertEquals(
    response.headers.get("Content-Type"),
    "text/html; charset=utf-8",
  );
  assertEquals(response.headers.get("X-A"), "b");
  assertEquals(await response.text(), "<!doctype html>\n<p>ü</p>");
});

async function chunksOf(response: Response): Promise<string[]> {
  const chunks: string[] = [];
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) chunks.push(decoder.decode(chunk));
  return chunks;
}

Deno.test("htmlResponse() sends the part before a promise first", async () => {
  const late = Promise.withResolvers<string>();
  async function* rows() {
    for (const row of ["<1>", "2"]) {
      await Promise.resolve();
      yield html`<tr>${row}</tr>`;
    }
  }
  const response = htmlResponse(html`<h1>A</h1>${late.promise}<hr>${rows()}.`);
  const chunks = chunksOf(response);
  late.resolve("<late>");
  assertEquals(await chunks, [
    "<!doctype html>\n<h1>A</h1>",
    "&lt;late&gt;",
    "<hr>",
    "<tr>&lt;1&gt;</tr>",
    "<tr>2</tr>",
    ".",
  ]);
});

Deno.test("htmlResponse() sends promises inside of promises and arrays", async () => {
  const inner = Promise.resolve([html`<i>${Promise.resolve("&")}</i>`, null]);
  const response = htmlResponse(html`${["<", inner]}${Promise.resolve(false)}`);
  assertEquals(
    (await chunksOf(response)).join(""),
    "<!doctype html>\n&lt;<i>&amp;</i>",
  );
});

Deno.test("htmlResponse() prints the error of a promise, and ends the page", async () => {
  using calls = captureConsole();
  const { printed } = calls;
  const bug = new Error("bug");
  const page = html`<p>${Promise.reject(bug)}</p>${
    Promise.reject(new Error("second"))
  }`;
  await turns();
  const failed = await htmlResponse(page).text().catch(() => "failed");
  assertEquals(failed, "failed");
  assertEquals(printed, [bug]);
});

Deno.test("htmlResponse() returns the iterable when the client leaves", async () => {
  let isEnded = false;
  async function* endless() {
    try {
      while (true) {
        await Promise.resolve();
        yield "a";
      }
    } finally {
      isEnded = true;
    }
  }
  const reader = htmlResponse(html`${endless()}`).body!.getReader();
  await reader.read();
  await reader.read();
  await reader.cancel();
  // A turn for the iterable, which needs none of the network.
  await turns();
  assertEquals(isEnded, true);
});

Deno.test("htmlResponse() survives a client that leaves, and rows that cannot be closed", async () => {
  async function* rows() {
    try {
      while (true) yield "row";
    } finally {
      await Promise.reject(new Error("close"));
    }
  }
  using calls = captureConsole();
  const { printed } = calls;
  const reader = htmlResponse(html`<p>${rows()}`).body!.getReader();
  await reader.read();
  await reader.read();
  await reader.cancel();
  // An unhandled rejection would fail this test.
  await turns();
  assertEquals(printed.map(String), ["Error: close"]);
});

Deno.test("htmlResponse() prints nothing if the client leaves while it waits", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  using calls = captureConsole();
  const { printed } = calls;
  const reader = htmlResponse(html`<p>${promise}`).body!.getReader();
  await reader.read();
  const next = reader.read();
  await reader.cancel();
  resolve("late");
  await next;
  await turns();
  assertEquals(printed, []);
});
