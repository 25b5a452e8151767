// Hundreds of responses with one or two random errors. No login throws, and none
// succeeds as another user.
import { assert, assertEquals, assertGreater } from "@std/assert";
import { base64url } from "jose";
import { seededRandom } from "../../runtimes/random.ts";
import { Login } from "../_login.ts";
import { type Faults, TestProvider, USER } from "../_test_provider.ts";

const SEEDS = 40;

const strange: unknown[] = [
  null,
  true,
  0,
  -1,
  1e999,
  2 ** 53,
  "",
  " ",
  "a",
  "none",
  "HS256",
  "../..",
  "https://evil.example",
  "javascript:alert(1)",
  "\u0000",
  "\ud800",
  "💩".repeat(100),
  "a".repeat(10_000),
  "__proto__",
  [],
  [[]],
  {},
  { __proto__: null, toString: null },
  { then: 1 },
];

type Random = () => number;

const places: Record<string, (change: (value: unknown) => unknown) => Faults> =
  {
    metadata: (change) => ({ metadata: change }),
    "key set": (change) => ({ keys: change }),
    "token answer": (change) => ({ token: change }),
    userinfo: (change) => ({ userinfo: change }),
    "ID token claims": (change) => ({
      claims: (claims) => change(claims) as Record<string, unknown>,
    }),
    "ID token header": (change) => ({
      idToken: (idToken) => {
        const [header, payload, signature] = idToken.split(".");
        const changed = change(JSON.parse(atob(header)));
        return `${encode(changed)}.${payload}.${signature}`;
      },
    }),
    "ID token text": (change) => ({
      idToken: (idToken) => String(change(idToken)),
    }),
    callback: (change) => ({
      callback: (params) => {
        const changed = change(Object.fromEntries(params));
        for (const name of [...params.keys()]) params.delete(name);
        for (const [name, value] of Object.entries(Object(changed))) {
          params.append(name, typeof value === "string" ? value : "[]");
        }
      },
    }),
  };

for (const [place, faultsOf] of Object.entries(places)) {
  Deno.test(`finishExternalAuth() handles a ${place} with random errors`, async () => {
    const codes = new Set<string>();
    for (let seed = 1; seed <= SEEDS; seed++) {
      const provider = await TestProvider.create("https://id.example", [
        "ES256",
      ]);
      const random = seededRandom(seed * 0x9e3779b9);
      provider.faults = faultsOf((value) => mutate(value, random));
      codes.add(await tryLogin(provider, `${place} ${seed}`));
    }
    assertGreater(codes.size - (codes.has("") ? 1 : 0), 0);
  });
}

/** Logs in. A login that succeeds must be that of the right user. */
async function tryLogin(provider: TestProvider, name: string): Promise<string> {
  const errors: unknown[] = [];
  const login = new Login(provider, {
    timeout: 1000,
    onError: ({ code }) => errors.push(code),
  });
  const response = await login.visit("/login");
  const location = response.headers.get("Location");
  if (location === null) {
    assertEquals([response.status, errors.length], [502, 1], name);
    return String(errors[0]);
  }
  const { code, profile, result } = await login.end(
    provider.authorize(location),
  );
  if (!result.ok) {
    assertEquals([profile, errors], [null, [code]], name);
    return code;
  }
  assertEquals(
    [result.issuer, result.subject],
    [provider.issuer, USER.sub],
    name,
  );
  assertEquals(profile?.sub, USER.sub, name);
  assert(["string", "object"].includes(typeof profile?.email), name);
  return "";
}

/** Changes one or two members at any depth. */
function mutate(value: unknown, random: Random): unknown {
  if (typeof value === "string") return mutateText(value, random);
  const copy = structuredClone(value);
  for (let count = random() < 0.5 ? 1 : 2; count > 0; count--) {
    mutateMember(copy as Record<string, unknown>, random);
  }
  return random() < 0.05 ? pick(strange, random) ?? {} : copy;
}

function mutateMember(object: Record<string, unknown>, random: Random): void {
  const names = Object.keys(object);
  const name = pick(names, random);
  if (name === undefined) return;
  const value = object[name];
  if (typeof value === "object" && value !== null && random() < 0.7) {
    mutateMember(value as Record<string, unknown>, random);
  } else if (random() < 0.2) {
    delete object[name];
  } else if (typeof value === "string" && random() < 0.3) {
    object[name] = mutateText(value, random);
  } else {
    object[name] = pick(strange, random);
  }
}

function mutateText(text: string, random: Random): string {
  const at = Math.floor(random() * text.length);
  const middle = pick(["", "A", ".", "\n", "é", text], random);
  return text.slice(0, at) + middle + text.slice(at + 1);
}

function pick<Item>(list: readonly Item[], random: Random): Item | undefined {
  return list[Math.floor(random() * list.length)];
}

function encode(value: unknown): string {
  return base64url.encode(JSON.stringify(value));
}
