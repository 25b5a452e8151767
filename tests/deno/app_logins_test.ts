import { DatabaseSync } from "node:sqlite";
import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { createTestClient } from "@gatehouse/web/testing";
import { createApp } from "../../examples/app/app.ts";
import { createTables } from "../../examples/app/data/database.ts";
import { overSQLite } from "../../examples/app/data/sqlite.ts";
import { Users } from "../../examples/app/data/users.ts";
import type {
  ExternalLogin,
  ExternalPerson,
} from "../../examples/app/external_logins.ts";
import { loginsOf } from "../../examples/app/named_logins.ts";
import { deliverEvents } from "./_example_app.ts";

const baseURL = "https://board.example";

const named = [
  { prefix: "CODE_HOST", label: "GitHub", host: "github.com" },
  { prefix: "SOCIAL", label: "Facebook", host: "www.facebook.com" },
  { prefix: "MICROBLOG", label: "X", host: "x.com" },
];

for (const { prefix, label, host } of named) {
  Deno.test(`the settings ${prefix}_CLIENT_ID and …_SECRET offer a login with ${label}`, async () => {
    const logins = loginsFrom({
      [`${prefix}_CLIENT_ID`]: "id",
      [`${prefix}_CLIENT_SECRET`]: "s3cret",
    });
    await using app = await start(logins);

    const page = await (await app.client.fetch("/login")).text();
    const path = `/auth/${logins[0].name}`;
    const response = await app.client.fetch(path);

    assertStringIncludes(page, `Log in with ${label}`);
    const location = new URL(response.headers.get("Location")!);
    assertEquals(location.host, host);
    assertEquals(
      location.searchParams.get("redirect_uri"),
      `${baseURL}${path}/callback`,
    );
  });
}

const discovered = {
  PORTAL: {},
  OFFICE_SUITE: {},
  IDENTITY_CLOUD: { IDENTITY_CLOUD_DOMAIN: "board.eu.auth0.com" },
  WORKFORCE_ID: { WORKFORCE_ID_ISSUER: "https://board.okta.com" },
  OIDC: { OIDC_ISSUER: "https://login.example", OIDC_LABEL: "Our login" },
};

Deno.test("the settings of every provider create a separate login", () => {
  const settings: Record<string, string> = {};
  for (const [prefix, more] of Object.entries(discovered)) {
    Object.assign(settings, more, {
      [`${prefix}_CLIENT_ID`]: "id",
      [`${prefix}_CLIENT_SECRET`]: "s3cret",
    });
  }
  assertEquals(
    loginsFrom(settings).map(({ name, label }) => [name, label]),
    [
      ["portal", "Google"],
      ["office-suite", "Microsoft"],
      ["identity-cloud", "Auth0"],
      ["workforce-id", "Okta"],
      ["oidc", "Our login"],
    ],
  );
});

Deno.test("a login with incomplete settings prevents the start", () => {
  const halves: Record<string, string>[] = [
    { PORTAL_CLIENT_ID: "id" },
    { OIDC_ISSUER: "https://login.example", OIDC_CLIENT_ID: "id" },
    { IDENTITY_CLOUD_CLIENT_ID: "id", IDENTITY_CLOUD_CLIENT_SECRET: "x" },
  ];
  for (const settings of halves) {
    assertThrows(() => loginsFrom(settings), TypeError, "is not set");
  }
});

const pictures = [
  { picture: "https://pictures.example/ada.png", shown: true },
  { picture: "http://pictures.example/ada.png", shown: false },
  { picture: "javascript:alert(1)", shown: false },
  { picture: 'https://pictures.example/"onerror="', shown: true },
  { picture: null, shown: false },
];

for (const { picture, shown } of pictures) {
  Deno.test(`the picture ${picture} of an external login is ${shown ? "shown" : "dropped"} (spec 2.4)`, async () => {
    await using app = await start([fakeLogin({ picture })]);
    await app.client.fetch("/auth/code-host/callback");
    const body = await (await app.client.fetch("/account")).text();
    const source = /<img class="avatar" src="([^"]*)"/.exec(body)?.[1];
    const expected = shown ? URL.parse(picture!)!.href : undefined;
    assertEquals(source, expected);
  });
}

const names = [
  { person: { name: "Ada" }, name: "Ada" },
  { person: { name: "x".repeat(300) }, name: "x".repeat(100) },
  { person: { name: null }, name: "ada@people.example" },
  { person: { name: " ", email: null }, name: "New member" },
];

for (const { person, name } of names) {
  Deno.test(`an external login of ${JSON.stringify(person).slice(0, 40)} is called ${name.slice(0, 20)}`, async () => {
    await using app = await start([fakeLogin(person)]);
    await app.client.fetch("/auth/code-host/callback");
    assertEquals((await app.users.list()).map((user) => user.name), [name]);
  });
}

function loginsFrom(settings: Record<string, string>): ExternalLogin[] {
  return loginsOf((name) => settings[name], { baseURL });
}

/** Creates a login whose every callback succeeds, for the same person. */
function fakeLogin(person: Partial<ExternalPerson>): ExternalLogin {
  const [login] = loginsFrom({
    CODE_HOST_CLIENT_ID: "id",
    CODE_HOST_CLIENT_SECRET: "s3cret",
  });
  return {
    ...login,
    finish: () =>
      Promise.resolve({
        ok: true,
        issuer: "https://people.example",
        subject: "ada",
        person: {
          name: "Ada",
          email: "ada@people.example",
          emailVerified: true,
          picture: null,
          ...person,
        },
        returnTo: "/",
        data: {},
      }),
  };
}

async function start(logins: readonly ExternalLogin[]) {
  const database = overSQLite(new DatabaseSync(":memory:"));
  await createTables(database);
  const app = createApp({ database, baseURL, logins, log: () => {} });
  return {
    client: createTestClient(app, { origin: baseURL }),
    users: new Users(database),
    async [Symbol.asyncDispose]() {
      await deliverEvents();
      database[Symbol.dispose]();
    },
  };
}
