import {
  assert,
  assertEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { html } from "@gatehouse/web/content";
import {
  deviceGrant,
  english,
  englishDevice,
  german,
} from "@gatehouse/web/oauth-server";
import {
  authorizePath,
  browserOf,
  connect,
  ORIGIN,
  post,
  readConsent,
  sendConsent,
  type ServerSettings,
  startServer,
  WITH_DEVICES,
} from "../_server.ts";

const messages = [english, german];
const DE = { headers: { "Accept-Language": "de-AT,de;q=0.9,en;q=0.5" } };

/** The languages of pages, by the header of the browser. */
const PREFERENCES: Readonly<Record<string, "en" | "de">> = {
  "de": "de",
  "DE-ch": "de",
  "fr, de-AT;q=0.8, en;q=0.5": "de",
  "en-US,en;q=0.9,de;q=0.8": "en",
  "de;q=0, en;q=0.1": "en",
  "de;q=0": "en",
  "fr": "en",
  "*": "en",
  "": "en",
  "de;q=x": "en",
  ";q=1,,=": "en",
  "deutsch": "en",
  "__proto__": "en",
  [`${"fr,".repeat(400)}de`]: "en",
};

for (const [header, language] of Object.entries(PREFERENCES)) {
  Deno.test(`a browser that prefers "${header.slice(0, 30)}" gets the consent page in ${language}`, async () => {
    const browser = await browserOf(startServer({ messages }));
    const response = await browser.fetch(authorizePath(), {
      headers: { "Accept-Language": header },
    });
    const page = await response.text();
    assertStringIncludes(page, `<html lang="${language}">`);
    const { allow } = language === "de" ? german : english;
    assertStringIncludes(page, `value="approve">${allow}</button>`);
  });
}

/** Returns the pages of a server, by name, in German if it is known. */
async function pagesOf(settings: ServerSettings) {
  const app = startServer({ ...WITH_DEVICES, ...settings });
  const browser = await browserOf(app);
  const pages = new Map<string, string>();
  const keep = async (name: string, response: Response) => {
    const policy = response.headers.get("Content-Security-Policy")!;
    const page = await response.text();
    pages.set(name, page);
    assertStringIncludes(policy, await hashOf(page), name);
  };
  const get = async (path: string) => await browser.fetch(path, DE);
  const send = (values: Record<string, string>) =>
    browser.fetch("/device", {
      method: "POST",
      body: new URLSearchParams(values),
      headers: { ...DE.headers, Origin: ORIGIN },
    });
  await keep("consent", await get(authorizePath()));
  await keep("unknown client", await get(authorizePath({ client_id: "x" })));
  const wrong = authorizePath({ redirect_uri: "https://evil.example/" });
  await keep("unknown address", await get(wrong));
  await keep("too long", await get(`/authorize?x=${"x".repeat(2_000)}`));
  await keep(
    "no session",
    await app.router.fetch(
      new Request(`${ORIGIN}/authorize?prompt=none`, DE),
    ),
  );
  await keep("expired", await send({ request: "x" }));
  await keep("code", await get("/device"));
  await keep("wrong code", await send({ user_code: "BCDF-GHJK" }));
  for (const decision of ["approve", "deny"]) {
    const { user_code } = await (await post(app, "/device/code", {
      client_id: "web",
      scope: "notes:read",
    })).json();
    const asked = await send({ user_code });
    await keep("device", asked.clone());
    const { handle } = await readConsent(asked);
    const values = { request: handle, scope: "notes:read", decision };
    await keep(decision, await send(values));
  }
  const form = await readConsent(await get(authorizePath()));
  const headers = {
    ...DE.headers,
    "Origin": ORIGIN,
    "Sec-Fetch-Site": "same-origin",
    "Content-Type": "application/x-www-form-urlencoded",
  };
  const body = `request=${form.handle}&decision=deny`;
  await keep(
    "final",
    await browser.fetch("/authorize", { method: "POST", headers, body }),
  );
  return pages;
}

/** Returns the hash of the stylesheet of a page, as policies name it. */
async function hashOf(page: string): Promise<string> {
  const [, style = ""] = /<style>(.*)<\/style>/s.exec(page)!;
  const bytes = new TextEncoder().encode(style);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `'sha256-${btoa(String.fromCharCode(...hash))}'`;
}

Deno.test("every page is in the language of the browser, and its policy has the hash of its style", async () => {
  const words: Readonly<Record<string, string>> = {
    "consent": "Web client mit Notes verbinden?",
    "unknown client": german.errors.unknownClient,
    "unknown address": german.errors.unknownAddress,
    "too long": german.errors.tooLong,
    "no session": german.errors.notUser,
    "expired": german.errors.expired,
    "code": german.device!.text,
    "wrong code": german.device!.wrongCode,
    "device": german.device!.warning,
    "approve": "Web client ist verbunden",
    "deny": "Web client ist nicht verbunden",
    "final": "Weiter zu Web client",
  };
  const pages = await pagesOf({ messages });
  assertEquals([...pages.keys()].sort(), Object.keys(words).sort());
  for (const [name, page] of pages) {
    assertStringIncludes(page, '<html lang="de">', name);
    assertStringIncludes(page, words[name]!, name);
    for (const word of [" the ", " is ", "Continue", "Cancel"]) {
      assert(!textOf(page).includes(word), `${name}: ${word}`);
    }
  }
});

Deno.test("the German consent page says how long the access lasts", async () => {
  const cases = [
    [60_000, "einer Stunde"],
    [24 * 3_600_000, "24 Stunden"],
    [48 * 3_600_000, "2 Tagen"],
  ] as const;
  for (const [idle, words] of cases) {
    const app = startServer({ messages, lifetimes: { idle } });
    const browser = await browserOf(app);
    const page = await (await browser.fetch(authorizePath(), DE)).text();
    assertStringIncludes(page, `Ungenutzt endet der Zugriff nach ${words}.`);
  }
});

Deno.test("without other languages, every page is in English", async () => {
  for (const [name, page] of await pagesOf({})) {
    assertStringIncludes(page, '<html lang="en">', name);
    assert(!/ (?:die|der|das|Sie) /.test(textOf(page)), name);
  }
});

Deno.test("the pages of devices are in English in a language without them", async () => {
  const { device: _, ...others } = german;
  const pages = await pagesOf({ messages: [english, others] });
  assertStringIncludes(pages.get("code")!, englishDevice.text);
  assertStringIncludes(pages.get("expired")!, german.errors.expired);
});

/** Returns the text of a page, without its style. */
function textOf(page: string): string {
  return page.replace(/<style>.*<\/style>/s, "").replaceAll(/<[^>]+>/g, " ");
}

Deno.test("an application replaces strings and buttons of the pages", async () => {
  const own = {
    ...english,
    allow: 'Connect <b>"now"</b>',
    device: { ...englishDevice, continueButton: "Next" },
  };
  const pages = await pagesOf({ messages: [own] });
  const button = 'value="approve">Connect &lt;b&gt;&quot;now&quot;&lt;/b&gt;</';
  assertStringIncludes(pages.get("consent")!, button);
  assertStringIncludes(pages.get("device")!, button);
  assertStringIncludes(pages.get("code")!, "<button>Next</button>");
});

Deno.test("scopes are in the words of the language, or in those of the resource", async () => {
  const scopeTexts = { "notes:read": "Notizen <i>lesen</i>" };
  const app = startServer({ messages: [english, { ...german, scopeTexts }] });
  const browser = await browserOf(app);
  const path = authorizePath({ scope: "notes:read notes:write" });
  const inGerman = await (await browser.fetch(path, DE)).text();
  assertStringIncludes(
    inGerman,
    "<span>Notizen &lt;i&gt;lesen&lt;/i&gt;</span>",
  );
  assertStringIncludes(inGerman, "<span>Change your notes</span>");
  const inEnglish = await (await browser.fetch(path)).text();
  assertStringIncludes(inEnglish, "<span>Read your notes</span>");
});

Deno.test("grants() has the scopes in the words of a language, or in those of the resource", async () => {
  const scopeTexts = { "notes:read": "Notizen lesen" };
  const app = startServer({ messages: [english, { ...german, scopeTexts }] });
  await connect(app);
  const textsIn = async (language?: string) =>
    (await app.server.grants("1", { language }))[0]!.scopeTexts;
  const own = {
    "notes:read": "Read your notes",
    "notes:write": "Change your notes",
  };
  assertEquals(await textsIn("de"), { ...own, ...scopeTexts });
  for (const language of ["en", "fr", "__proto__", undefined]) {
    assertEquals(await textsIn(language), own);
  }
});

Deno.test("pages of the application get the strings of the browser's language", async () => {
  const { router } = startServer({
    messages,
    pages: {
      error: ({ messages, text }) =>
        html`<h1>${messages.language}: ${text}</h1>`,
    },
  });
  const path = `${ORIGIN}/authorize?prompt=none`;
  const response = await router.fetch(new Request(path, DE));
  assertEquals(response.status, 401);
  assertStringIncludes(
    await response.text(),
    `<h1>de: ${german.errors.notUser}</h1>`,
  );
});

Deno.test("endOfAccess() names hours, and days from two days on", () => {
  const rows = [
    [1, "1 hour", "einer Stunde"],
    [2, "2 hours", "2 Stunden"],
    [47, "47 hours", "47 Stunden"],
    [48, "2 days", "2 Tagen"],
    [720, "30 days", "30 Tagen"],
    [8_760, "365 days", "365 Tagen"],
  ] as const;
  for (const [hours, inEnglish, inGerman] of rows) {
    assertStringIncludes(english.endOfAccess(hours), `after ${inEnglish}.`);
    assertStringIncludes(german.endOfAccess(hours), `nach ${inGerman}.`);
  }
});

Deno.test("a decision in German leads to the client", async () => {
  const browser = await browserOf(startServer({ messages }));
  const response = await browser.fetch(authorizePath(), DE);
  const form = await readConsent(response);
  const final = await sendConsent(browser, form);
  assertStringIncludes(final.headers.get("Refresh")!, "code=oac_");
});

for (const wrong of [[], english, [{}], "de", [null], null]) {
  Deno.test(`createAuthorizationServer() throws for the messages ${JSON.stringify(wrong)?.slice(0, 20)}`, () => {
    assertThrows(
      () => startServer({ messages: wrong as never, device: deviceGrant() }),
      TypeError,
      "Cannot create the authorization server: messages",
    );
  });
}
