import { assertEquals } from "@std/assert";
import { exampleProviders } from "../_accounts.ts";
import { read, start, startAll } from "../_overview.ts";

/** Returns the links of the navigation, and the one that is marked. */
function navigationOf(page: string) {
  const [, nav = ""] = /<nav[^>]*>([^]*?)<\/nav>/.exec(page)!;
  const links = [...nav.matchAll(/<a href="([^"]+)"([^>]*)>([^<]+)</g)];
  return {
    links: links.map(([, href, , text]) => [href, text]),
    marked: links.filter(([, , attributes]) => attributes !== "")
      .map(([, , attributes, text]) => [
        text,
        /aria-current="(\w+)"/.exec(attributes!)?.[1],
      ]),
    back: /class="back"><a href="([^"]+)"/.exec(page)?.[1],
  };
}

Deno.test("the account area has five groups", async () => {
  const { ada } = await startAll();
  assertEquals(navigationOf(await read(ada, "/account")).links, [
    ["/account", "Profile"],
    ["/account/security", "Security"],
    ["/account/sessions", "Sessions"],
    ["/account/connected", "Connected"],
    ["/account/keys", "API keys"],
  ]);
});

Deno.test("a group of one page is this page, and a group without pages is missing", async () => {
  const { ada } = await start({ providers: exampleProviders() });
  const { links } = navigationOf(await read(ada, "/account"));
  assertEquals(links.slice(3), [["/account/logins", "Linked logins"]]);
  const plain = await start();
  const page = await read(plain.ada, "/account");
  assertEquals(navigationOf(page).links.length, 3);
  const [, items = ""] = /<nav[^>]*>([^]*?)<\/nav>/.exec(page)!;
  assertEquals(items.match(/<li>/g)?.length, 3);
  assertEquals((await plain.ada.get("/account/connected")).status, 404);
});

Deno.test("each page marks its group, and leads back to it", async () => {
  const { accounts, ada, id } = await startAll();
  const team = (await accounts.teams.create("Engines", id))!.teamId;
  const rows = [
    ["/account", "Profile", "page", undefined],
    ["/account/email", "Profile", "true", "/account"],
    ["/account/data", "Profile", "true", "/account"],
    ["/account/delete", "Profile", "true", "/account"],
    ["/account/security", "Security", "page", undefined],
    ["/account/password", "Security", "true", "/account/security"],
    ["/account/passkeys", "Security", "true", "/account/security"],
    ["/account/two-step", "Security", "true", "/account/security"],
    ["/account/sessions", "Sessions", "page", undefined],
    ["/account/connected", "Connected", "page", undefined],
    ["/account/logins", "Connected", "true", "/account/connected"],
    ["/account/apps", "Connected", "true", "/account/connected"],
    ["/teams", "Connected", "true", "/account/connected"],
    [`/teams/${team}`, "Connected", "true", "/account/connected"],
    ["/account/keys", "API keys", "page", undefined],
  ] as const;
  for (const [path, group, mark, back] of rows) {
    const navigation = navigationOf(await read(ada, path));
    assertEquals(navigation.marked, [[group, mark]], path);
    assertEquals(navigation.back, back, path);
  }
});
