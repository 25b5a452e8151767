import { flowOf } from "../../auth/internal.ts";
import type {
  ExternalAuthResult,
  StartExternalAuthOptions,
} from "../../auth/mod.ts";
import { type JSONValue, Session } from "../../session/mod.ts";
import type { AccountProvider } from "../providers.ts";
import type { StoredAccount } from "../store/store.ts";
import { Form } from "./form.ts";
import {
  type Call,
  expired,
  type Outcome,
  refused,
  returnToOf,
  searchFor,
  searchOf,
  throttled,
} from "./call.ts";
import { enter } from "./enter.ts";
import {
  addIdentity,
  IDENTITY,
  type Identity,
  identityId,
} from "./identity.ts";
import {
  acceptInvitation,
  createStored,
  orRemove,
  removeNew,
  sendProof,
} from "./registration.ts";
import { roleOfNew } from "./roles.ts";
import type { Services } from "./services.ts";

/** A login at a provider that succeeded. */
export type Success = Extract<ExternalAuthResult<unknown>, { ok: true }>;

/** The session key of an identity without an address. A login removes this prefix. */
const KEY = "__auth.identity";

/**
 * The time to enter an address. The next user of a computer must not inherit
 * the login.
 */
const WAIT = 10 * 60_000;

/** An identity that waits for the address of its account. */
interface Waiting {
  readonly identity: Identity;
  readonly name: string;
  readonly email: string;
  readonly returnTo: string;
  readonly at: number;
}

/** Returns a provider by its name in URLs. */
export function providerOf(
  { services: { providers } }: Pick<Call, "services">,
  name: unknown,
): AccountProvider | null {
  return typeof name === "string" && Object.hasOwn(providers, name)
    ? providers[name]!
    : null;
}

/** Sends the browser to a provider. */
export async function leaveFor(
  call: Call,
  name: unknown,
  options: StartExternalAuthOptions,
): Promise<Outcome> {
  const { context, messages } = call;
  const found = providerOf(call, name);
  if (found === null) return refused(messages.providers.failed, 404);
  const { provider } = found;
  const response = await flowOf(provider).start(provider, context, options);
  const location = response.headers.get("Location");
  return location === null
    ? refused(messages.providers.unavailable, 502)
    : { ok: true, next: "provider", location, shown: { location } };
}

/** Starts a login at a provider. */
export function startProviderLogin(call: Call): Promise<Outcome> {
  const { context, services } = call;
  return leaveFor(call, nameIn(call), {
    returnTo: returnToOf(context, services),
    data: { purpose: "login" },
  });
}

/** Returns the name of the provider in the URL. */
export function nameIn({ context }: Call): unknown {
  return (context.params as Readonly<Record<string, unknown>>).provider;
}

/** Returns the identity of a login, with a name that the user recognizes. */
export function identityOf(
  call: Call,
  { issuer, profile, subject }: Success,
): Identity {
  const provider = String(nameIn(call));
  const { email, name, username, login } = Object(profile);
  const shown = [email, username, login, name]
    .find((one) => typeof one === "string" && one !== "");
  return {
    provider,
    issuer,
    subject,
    name: String(shown ?? providerOf(call, provider)?.label).slice(0, 100),
  };
}

/**
 * Logs a user in with the identity at a provider. It never finds an account by
 * its address, which the provider may not have verified.
 */
export async function logInByIdentity(
  call: Call,
  result: Success,
): Promise<Outcome> {
  const { messages, services } = call;
  const { now, registration, store } = services;
  const identity = identityOf(call, result);
  const found = await store.findWayIn(IDENTITY, identityId(identity));
  if (found === null) {
    return registration === "closed"
      ? refused(messages.providers.closed)
      : await registerByIdentity(call, identity, result);
  }
  const { account, way: { counter, data, id } } = found;
  const use = { usedAt: now(), counter: counter + 1, data };
  await store.useWayIn(IDENTITY, id, use, counter);
  return await enter(call, account, proofOf(call, result));
}

/** Returns the proof of a login, which is fresh only if the provider asked again. */
function proofOf(call: Call, { authenticatedAt, returnTo }: Success) {
  const { canReauthenticate } = providerOf(call, nameIn(call))!.provider;
  return {
    methods: ["external"],
    authenticatedAt: canReauthenticate ? authenticatedAt ?? 0 : 0,
    returnTo,
  };
}

async function registerByIdentity(
  call: Call,
  identity: Identity,
  result: Success,
): Promise<Outcome> {
  const { messages, services } = call;
  const { now, registration } = services;
  const profile = Object(result.profile);
  const name = String(profile.name ?? identity.name).slice(0, 100);
  const input = new Map([["email", profile.email], ["name", name]]);
  const form = new Form({ ...call, input });
  const values = { email: form.email(), name: form.name() };
  if (form.failed === null && profile.email_verified === true) {
    return await registerVerified(call, { ...values, identity, result });
  }
  const { returnTo } = result;
  return registration === "open"
    ? askAddress(call, { ...values, identity, returnTo, at: now() })
    : refused(messages.providers.closed);
}

/** Registers an identity whose address the provider has verified. */
async function registerVerified(
  call: Call,
  { identity, result, ...values }: {
    readonly email: string;
    readonly name: string;
    readonly identity: Identity;
    readonly result: Success;
  },
): Promise<Outcome> {
  const { context, messages: { language, providers }, services } = call;
  const { now, registration } = services;
  const attempt = await services.registrationThrottle.attempt(context, null);
  if (!attempt.allowed) return throttled(call, attempt.retryAfter);
  const refusal = await hookRefusal(call, values, identity);
  if (refusal !== null) return refused(refusal);
  // The provider proves the address, as the link of the invitation would.
  const invitation = await services.invitations.findFor(values.email);
  if (registration !== "open" && invitation === null) {
    return refused(providers.closed);
  }
  const account = await createStored(services, {
    ...values,
    emailVerified: true,
    role: roleOfNew(services, values.email, invitation?.role),
    language,
    fields: {},
    passwordHash: "",
    createdAt: now(),
  });
  if (account === null) return refused(providers.taken);
  if (!await addFirst(services, account, identity)) {
    return refused(providers.failed);
  }
  if (!await acceptInvitation(services, account, invitation)) {
    return refused(providers.closed);
  }
  return await enter(call, account, proofOf(call, result));
}

/** Adds the identity of a new account. Without it, the account is removed. */
async function addFirst(
  services: Services,
  account: StoredAccount,
  identity: Identity,
): Promise<boolean> {
  const add = () => addIdentity(services, account, identity);
  const isAdded = await orRemove(services, account.id, add);
  // Another request has added the identity to another account.
  if (!isAdded) await removeNew(services, account.id);
  return isAdded;
}

/** Lets an identity wait for the address of its account. */
function askAddress({ context, services }: Call, waiting: Waiting): Outcome {
  context.get(Session).set(KEY, waiting as unknown as JSONValue);
  const search = searchFor(waiting.returnTo, services);
  const location = services.routes.providerEmail.index.href({}, search);
  return { ok: true, next: "email", location };
}

/** Returns the identity that waits for an address, or `null`. */
export function waitingIdentity(
  { context, services: { now } }: Call,
): Waiting | null {
  const waiting = context.get(Session).get(KEY) as unknown as
    | Waiting
    | undefined;
  return waiting !== undefined && now() - waiting.at < WAIT ? waiting : null;
}

/** Sends an email to verify the address of a registration at a provider. */
export async function registerAddress(call: Call): Promise<Outcome> {
  const { context, services } = call;
  const waiting = waitingIdentity(call);
  if (waiting === null) return expired(call);
  const form = new Form(call);
  const email = form.email();
  if (form.failed !== null) return form.failed;
  const attempt = await services.registrationThrottle.attempt(context, null);
  if (!attempt.allowed) return throttled(call, attempt.retryAfter);
  const { identity, returnTo } = waiting;
  const name = waiting.name || email.slice(0, 100);
  const refusal = await hookRefusal(call, { email, name }, identity);
  if (refusal !== null) return refused(refusal);
  const draft = { email, name, identity, returnTo };
  await sendProof(call, { ...draft, fields: {}, passwordHash: "" });
  const { registerCode } = services.routes;
  const location = registerCode.index.href({}, searchOf(context));
  return { ok: true, next: "code", location };
}

/** Asks the application about a registration at a provider. */
async function hookRefusal(
  { context, services }: Call,
  values: { readonly email: string; readonly name: string },
  { provider }: Identity,
): Promise<string | null> {
  const attempt = { ...values, context, fields: {}, provider };
  return await services.hooks.beforeRegister(attempt);
}

/** Returns the result of the callback, or the error for the page. */
export async function providerResult(
  call: Call,
): Promise<Success | Extract<Outcome, { ok: false }>> {
  const { context, messages: { providers } } = call;
  const found = providerOf(call, nameIn(call));
  if (found === null) return refused(providers.failed, 404);
  const { provider } = found;
  const result = await flowOf(provider).result(provider, context);
  if (result.ok) return result;
  const { error, returnTo } = result;
  const isCancelled = error.code === "access_denied";
  return {
    ...refused(isCancelled ? providers.cancelled : providers.failed),
    ...returnTo !== undefined && { returnTo },
  };
}
