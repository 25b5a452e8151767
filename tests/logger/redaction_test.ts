/** Parameters and encodings that may hide a secret. */
import { assert, assertEquals } from "@std/assert";
import { createRouter } from "@gatehouse/web/fetch-router";
import { isSecretName, logger } from "@gatehouse/web/logger-middleware";

const secretNames = {
  "one-time codes": "smscode sms_code verificationcode verification_code " +
    "authcode confirmcode invitecode resetCode accesscode otp smsotp " +
    "emailOtp otp_code 2fa tfa mfaCode couponcode recoverycode backup_codes",
  "keys": "authkey auth_key apikey api-key x-api-key hapikey passkey sshkey " +
    "privatekey privkey licensekey license_key client_key subscription-key " +
    "consumerKey encryptionkey webhookkey Key-Pair-Id AWSAccessKeyId key2",
  "passwords": "password passwordconfirm password_confirmation newpassword " +
    "confirmPassword passwords user[password] user.password password[] " +
    "userpass dbpass pass1 pwd newpwd pwdconfirm pw pw2 passwd passphrase " +
    "passcode passwort kennwort pin user_pin",
  "words of other languages": "mot_de_passe motdepasse motDePasse mdp jeton " +
    "clé cle_api contraseña contrasena clave codigo código_acceso senha " +
    "novaSenha palavra-passe parola parola_chiave chiave_api codice gettone " +
    "wachtwoord nieuwWachtwoord sleutel geheim geheimnis schlüssel " +
    "schluessel lösenord losenord adgangskode passord salasana hasło haslo " +
    "klucz heslo jelszó şifre пароль 密码 パスワード 비밀번호",
  "links": "magic magic_link magiclink magicToken invite invitation " +
    "invite_id verification verify confirm confirmation confirm_email " +
    "activation activate unlock recovery reset reset_link resetlink " +
    "emailverification",
  "hashes and signatures": "hash hash2 passwordhash at_hash authhash sig " +
    "sign signature hmacsig urlSignature hmac salt X-Amz-Signature",
  "sessions": "session sessionid sessiondata phpsession PHPSESSID JSESSIONID " +
    "jsessionid connect.sid sid cookie cookies sessioncookie csrf csrftoken " +
    "csrfmiddlewaretoken xsrf _xsrf X-XSRF-TOKEN authenticity_token",
  "protocols": "code state nonce dpop jwt jwtdata assertion client_assertion " +
    "samlassertion code_verifier codeverifier oauth_verifier id_token_hint " +
    "SAMLResponse RelayState relaystate wresult wctx sso ticket loginticket " +
    "pgtId pgtIou device_code user_code login_challenge X-Amz-Credential " +
    "X-Amz-Security-Token oauth bearer basicauth creds credentials",
  "numbers of people and cards": "iban ssn userssn social_security taxid " +
    "tax_id passport cvv cvv2 cvc cardnumber card_number cardNo creditcard " +
    "credit-card account_number accountNumber",
};

const plainNames = "page sort order q query search limit offset cursor lang " +
  "hashtag hashtags inviteCount invite_count invitecount inviteSort " +
  "token_type tokenType session_count code_challenge_method signed design " +
  "assign signal author authority statement status estate codec encode " +
  "decode unicode barcode postcode zipcode zip_code country_code countryCode " +
  "statusCode error_code language_code currencyCode areaCode monkey turkey " +
  "hotkey sortkey sort_key primaryKey partition_key keyword keyboard bypass " +
  "compass surpass passenger passage tokenizer secretary secretariat " +
  "obsession verified confirmed invited activated pinned spin shopping " +
  "magician salty ssnake caliban side inside sidebar " +
  "postal_code opcode hostname filename grant_type response_type scope " +
  "client_id redirect_uri X-Amz-Algorithm X-Amz-Expires X-Amz-Date " +
  "resolution presets cardinal cards announce article articles clef enclave " +
  "codigo_postal código-país parole senhora cled";

for (const [kind, names] of Object.entries(secretNames)) {
  Deno.test(`isSecretName() knows ${kind}`, () => {
    const missed = names.split(" ").filter((name) => !isSecretName(name));
    assertEquals(missed, []);
    const loud = names.toUpperCase().split(" ");
    assertEquals(loud.filter((name) => !isSecretName(name)), []);
  });
}

Deno.test("isSecretName() returns false for everyday names", () => {
  assertEquals(plainNames.split(" ").filter(isSecretName), []);
});

async function written(
  path: string,
  redact?: false | ((name: string) => boolean),
): Promise<string[]> {
  const lines: string[] = [];
  const router = createRouter({
    middleware: [logger({
      format: ({ url, referrer }) => `${url} ${referrer}`,
      output: (line) => lines.push(line),
      ...redact !== undefined && { redact },
    })],
  });
  const url = `https://example.com${path}`;
  await router.fetch(url, { headers: { Referer: url } });
  return lines;
}

const encode = encodeURIComponent;
const json = (value: unknown) => encode(JSON.stringify(value));

/** URLs whose lines must not contain `hunter2`. */
const hiding: [place: string, path: string][] = [
  ...Object.values(secretNames).join(" ").split(" ").map((
    name,
  ): [string, string] => [`the name ${name}`, `/?${encode(name)}=hunter2`]),
  ["JSON", `/?data=${json({ password: "hunter2" })}`],
  ["JSON, not encoded", `/?data={"a":1,"access_token":"hunter2"}`],
  ["JSON with spaces", `/?data=${encode('{ "token" : "hunter2" }')}`],
  ["nested JSON", `/?data=${json({ a: [{ apiKey: "hunter2" }] })}`],
  ["JSON in JSON", `/?data=${json({ a: JSON.stringify({ pwd: "hunter2" }) })}`],
  ["JSON with escapes", `/?data=${encode('{"p\\u0061ssword":"hunter2"}')}`],
  ["JSON with single quotes", `/?data=${encode("{'password':'hunter2'}")}`],
  ["JSON without quotes", `/?data=${encode("{id:1,password:hunter2}")}`],
  ["JSON with a spaced name", `/?data=${json({ "new password": "hunter2" })}`],
  ["JSON, encoded twice", `/?data=${encode(json({ password: "hunter2" }))}`],
  ["a JSON array", `/?data=${json([{ password: "hunter2" }])}`],
  ["GraphQL", `/?query=${encode('{login(password:"hunter2"){id}}')}`],
  ["a matrix parameter", "/orders;token=hunter2/items?page=2"],
  ["a matrix parameter at the end", "/orders;a=1;jsessionid=hunter2"],
  ["a matrix parameter in another one", "/orders;to=%2Fa%3Btoken%3Dhunter2/b"],
  ["an encoded matrix parameter", "/orders%3Btoken=hunter2"],
  ["a wholly encoded matrix parameter", "/orders%3Btoken%3Dhunter2"],
  ["a matrix parameter with an encoded name", "/orders;%74oken=hunter2"],
  ["a query with semicolons", "/?page=2;token=hunter2"],
  ["a URL with matrix parameters", `/?to=${encode("/a;sid=hunter2")}`],
  ["a URL with a password", `/?to=${encode("https://ada:hunter2@b.example")}`],
  ["a bare URL with a password", "/?to=https://ada:hunter2@b.example/"],
  ["a name that is encoded twice", "/?pass%2577ord=hunter2"],
  [
    "a value that is encoded four times",
    `/?a=${[1, 2, 3, 4].reduce((value) => encode(value), "b?token=hunter2")}`,
  ],
  [
    "a value that is encoded nine times",
    `/?a=${[...Array(9)].reduce((value) => encode(value), "b?token=hunter2")}`,
  ],
  ["a second question mark", "/?a=1?token=hunter2"],
  ["a fragment in a value", "/?a=%23token=hunter2"],
];

Deno.test("logger() redacts a secret in every place and encoding (ASVS 16.2.5)", async () => {
  const seen: string[] = [];
  for (const [place, path] of hiding) {
    const lines = await written(path);
    assertEquals(lines.length, 1);
    if (/hunter2/.test(decodeOften(lines[0]!))) seen.push(`${place}: ${lines}`);
  }
  assertEquals(seen, []);
});

function decodeOften(text: string): string {
  return [...Array(10)].reduce((value) => {
    try {
      return decodeURIComponent(value);
    } catch {
      return value;
    }
  }, text);
}

Deno.test("logger() redacts a JSON Web Token under any name", async () => {
  const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
  for (const path of [`/?a=${token}`, `/?a=Bearer%20${token}`]) {
    assert(!(await written(path))[0]!.includes("eyJ"), path);
  }
});

const visible = [
  "/?data=%7B%22page%22%3A2%7D",
  "/?time=10:30&range=1:2",
  "/?q=state:open+code:x",
  "/?q=%22token%22",
  "/?at=2026-11-20T17:55:48Z",
  "/orders;page=2;sort=name/items",
  "/orders;token/items",
  "/?mail=ada@example.com",
  "/?to=https://b.example/@ada",
  "/?a=1%2B1%3D2",
  "/?a=100%25",
  "/?hashtag=deno&inviteCount=3&sort_key=name",
  "/?country_code=de&page=2",
];

for (const path of visible) {
  Deno.test(`logger() writes ${path} unchanged`, async () => {
    assertEquals(await written(path), [`${path} https://example.com${path}`]);
  });
}

Deno.test("logger() redacts the names of its options in JSON and matrix parameters", async () => {
  const redact = (name: string) => name === "email";
  assertEquals(
    await written(`/a;email=b/c?data=${json({ email: "b" })}&token=1`, redact),
    [
      "/a;email=REDACTED/c?data=REDACTED&token=1 " +
      "https://example.com/a;email=REDACTED/c?data=REDACTED&token=1",
    ],
  );
});

Deno.test("logger() with redact: false leaves the whole URL as it is", async () => {
  const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl";
  const path = `/reset/${token};token=a?password=b&data=${json({ pwd: "c" })}`;
  assertEquals(await written(path, false), [
    `${path} https://example.com${path}`,
  ]);
});
