/**
 * Finds each call of the library that reports a security event. A new one needs
 * a row in `tests/auth/_event_rows.ts`, which causes it.
 */
import { assertEquals } from "@std/assert";
import ts from "npm:typescript@6.0.3";
import { EVENT_ROWS } from "../auth/_event_rows.ts";

const ROOT = new URL("../../", import.meta.url);

/** The functions that report, with their action and outcome. */
const REPORTERS: Readonly<Record<string, string>> = {
  reportDenied: "access-denied failure",
  reportFailure: "failure",
  reportSecurityEvent: "",
  reportUnauthenticated: "access-denied failure",
};

/** The files that declare these functions. */
const DECLARATIONS = [
  "auth/middleware/_denied_responses.ts",
  "router/operation/security_event.ts",
];

/**
 * The values of each action or reason that is not a string in the code: the
 * values, or the file with the type that lists them.
 */
const VALUES: Readonly<Record<string, readonly string[] | Type>> = {
  "auth/login/credentials.ts result.reason": ["missing", "wrong"],
  "auth/email_login/email_login.ts `email-${result.reason}`": [
    "email-wrong",
    "email-expired",
    "email-other-browser",
  ],
  "auth/external/after_login/back_channel_logout.ts error.code": [
    "logout_token_invalid",
    "logout_failed",
  ],
  "auth/external/login/finish.ts error.code": {
    file: "auth/issuer/_errors.ts",
    type: "ExternalAuthErrorCode",
    // The start of a login, introspection and later steps have these codes.
    except: [
      "pushed_authorization_failed",
      "introspection_failed",
      "refresh_token_missing",
      "revocation_failed",
      "logout_token_invalid",
      "logout_failed",
    ],
  },
  "auth/middleware/require_own_login.ts denial": ["acting", "forbidden"],
  "auth/passkey/passkeys.ts result.reason (login)": {
    file: "auth/passkey/result.ts",
    type: "PasskeyFailureReason",
    // Only a registration has these reasons.
    except: [
      "algorithm_unsupported",
      "attestation_invalid",
      "passkey_exists",
      "access_ended",
    ],
  },
  "auth/passkey/passkeys.ts result.reason (factor-add)": {
    file: "auth/passkey/result.ts",
    type: "PasskeyFailureReason",
    // Only a login has these reasons.
    except: [
      "passkey_unknown",
      "user_mismatch",
      "signature_invalid",
      "counter_not_increased",
    ],
  },
  "auth/throttle/throttle.ts this.#name": ["login"],
  "session/user_sessions.ts action": ["session-end", "logout-everywhere"],
};

interface Type {
  readonly file: string;
  readonly type: string;
  readonly except: readonly string[];
}

Deno.test("each report of a security event has a row that causes it", async () => {
  const rows = EVENT_ROWS.map(({ event, from }) => `${from} ${event}`);
  const calls = await expectedEvents();
  assertEquals(calls.filter((call) => !rows.includes(call)), []);
  assertEquals(rows.filter((row) => !calls.includes(row)), []);
});

/** Returns the file, the action, the outcome and the reason of each report. */
async function expectedEvents(): Promise<string[]> {
  const events: string[] = [];
  // tests/accounts/ and tests/oauth_server/ have a security_events_test.ts each.
  for (const folder of ["auth", "router", "session", "logger", "schema"]) {
    for await (const file of sources(`${folder}/`)) {
      if (DECLARATIONS.includes(file)) continue;
      const text = await Deno.readTextFile(new URL(file, ROOT));
      for (const call of callsOf(file, text)) {
        for (const event of await eventsOf(file, call)) {
          events.push(`${file} ${event}`);
        }
      }
    }
  }
  return events;
}

async function eventsOf(
  file: string,
  { arguments: [, first, reason], expression }: ts.CallExpression,
): Promise<string[]> {
  const name = expression.getText();
  const start = REPORTERS[name]!;
  if (name === "reportUnauthenticated") {
    return [`${start} unauthenticated`, `${start} invalid-credentials`];
  }
  if (name === "reportDenied") {
    return (await valuesOf(file, first)).map((one) => `${start} ${one}`);
  }
  const report = first as ts.ObjectLiteralExpression;
  const isReport = name === "reportSecurityEvent";
  const outcome = isReport
    ? textOf(memberOf(report, "outcome")) ?? "success"
    : start;
  const events: string[] = [];
  for (
    const action of await valuesOf(
      file,
      isReport ? memberOf(report, "action") : first,
    )
  ) {
    const why = isReport ? memberOf(report, "reason") : reason;
    for (const value of await valuesOf(file, why, action)) {
      events.push([action, outcome, value].join(" ").trim());
    }
  }
  return events;
}

/** Returns the values that an expression can have: `""` if it is missing. */
async function valuesOf(
  file: string,
  expression: ts.Expression | undefined,
  action?: string,
): Promise<readonly string[]> {
  if (expression === undefined) return [""];
  const text = textOf(expression);
  if (text !== undefined) return [text];
  const key = `${file} ${expression.getText()}`;
  const values = VALUES[key] ?? VALUES[`${key} (${action})`];
  if (values === undefined) throw new Error(`VALUES has no "${key}"`);
  if (!("type" in values)) return values;
  const source = await Deno.readTextFile(new URL(values.file, ROOT));
  const [, union = ""] = source.split(`export type ${values.type} =`);
  return [...union.slice(0, union.indexOf(";")).matchAll(/"(\w+)"/g)]
    .map(([, value = ""]) => value)
    .filter((value) => !values.except.includes(value));
}

function textOf(expression: ts.Expression | undefined): string | undefined {
  return expression !== undefined && ts.isStringLiteral(expression)
    ? expression.text
    : undefined;
}

/** Returns the value of a member of an object literal. */
function memberOf(
  { properties }: ts.ObjectLiteralExpression,
  name: string,
): ts.Expression | undefined {
  const member = properties.find((one) => one.name?.getText() === name);
  if (member === undefined) return undefined;
  return ts.isPropertyAssignment(member)
    ? member.initializer
    : (member as ts.ShorthandPropertyAssignment).name;
}

function callsOf(file: string, text: string): ts.CallExpression[] {
  const calls: ts.CallExpression[] = [];
  const visit = (node: ts.Node) => {
    if (
      ts.isCallExpression(node) &&
      Object.hasOwn(REPORTERS, node.expression.getText())
    ) calls.push(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return calls;
}

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(new URL(folder, ROOT))) {
    const path = folder + entry.name;
    if (entry.isDirectory) yield* sources(`${path}/`);
    else if (path.endsWith(".ts")) yield path;
  }
}
