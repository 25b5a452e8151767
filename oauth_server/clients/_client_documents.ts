import {
  ExternalAuthError,
  fetchJSON,
  type JSONObject,
} from "../../auth/internal.ts";
import { SingleFlight } from "../../router/internal.ts";
import {
  type ClientDocument,
  parseClientDocument,
} from "./_client_document.ts";
import type { Fetch } from "./_public_fetch.ts";

/** The world of {@linkcode ClientDocuments}. */
export interface ClientDocumentsOptions {
  readonly fetch: Fetch;
  readonly onError: (error: ExternalAuthError) => void;
  readonly now: () => number;
}

/** The limits of a request (draft 01, section 6.6). */
const LIMITS = {
  allowInsecureLoopback: false,
  maxResponseBytes: 5_120,
  timeout: 5_000,
} as const;

/** The longest time that a document is cached, in milliseconds. */
const MAX_TTL = 24 * 3_600_000;

/** The time that a document without cache headers is cached, in milliseconds. */
const DEFAULT_TTL = 3_600_000;

/** The most documents that are cached, of about 5 kB. */
const MAX_DOCUMENTS = 1_000;

/** The most documents that are fetched at the same time. */
const MAX_FETCHES = 32;

/** The most of them for one user, who could take the places of all others. */
const MAX_OF_USER = 3;

interface Entry {
  readonly document: ClientDocument;
  readonly expiresAt: number;
}

/** A request that concurrent calls share. */
interface Flight {
  readonly single: SingleFlight<Entry>;
  readonly startedAt: number;
  /** The user who started it. */
  readonly userId: string | undefined;
}

/**
 * Milliseconds after which a request is lost. Workers drop requests of clients that
 * disconnect, with their timers and their `finally`.
 */
const LOST_AFTER = LIMITS.timeout + 1_000;

/**
 * The metadata documents of clients. Errors are not cached, because the client may
 * fix its document. Concurrent calls share one request.
 */
export class ClientDocuments {
  readonly #options: ClientDocumentsOptions;
  /** The oldest one comes first. */
  readonly #entries = new Map<string, Entry>();
  readonly #flights = new Map<string, Flight>();

  constructor(options: ClientDocumentsOptions) {
    this.#options = options;
  }

  /** Returns a document that is cached, or `null`. */
  cached({ href }: URL): ClientDocument | null {
    const entry = this.#entries.get(href);
    return entry !== undefined && entry.expiresAt > this.#options.now()
      ? entry.document
      : null;
  }

  /** Returns a document, or `null` if it is unavailable or invalid. */
  async load(url: URL, userId?: string): Promise<ClientDocument | null> {
    const cached = this.cached(url);
    if (cached !== null) return cached;
    try {
      return (await this.#fetchOnce(url, userId)).document;
    } catch (error) {
      if (!(error instanceof ExternalAuthError)) throw error;
      this.#options.onError(error);
      return null;
    }
  }

  async #fetchOnce(url: URL, userId: string | undefined): Promise<Entry> {
    const { href } = url;
    const flight = this.#flights.get(href) ?? this.#start(url, userId);
    try {
      const entry = await flight.single.run(() => this.#fetch(url));
      this.#keep(href, entry);
      return entry;
    } finally {
      const isCurrent = this.#flights.get(href) === flight;
      if (isCurrent && !flight.single.isRunning) this.#flights.delete(href);
    }
  }

  #start(url: URL, userId: string | undefined): Flight {
    const flights = this.#flights;
    const startedAt = this.#options.now();
    for (const [href, flight] of flights) {
      if (startedAt - flight.startedAt >= LOST_AFTER) flights.delete(href);
    }
    if (flights.size >= MAX_FETCHES) {
      throw documentError(url, "too many others are fetched at the moment");
    }
    const own = [...flights.values()].filter((one) => one.userId === userId);
    if (userId !== undefined && own.length >= MAX_OF_USER) {
      throw documentError(url, "its user waits for too many others");
    }
    const single = new SingleFlight<Entry>(LOST_AFTER);
    const flight = { single, startedAt, userId };
    flights.set(url.href, flight);
    return flight;
  }

  async #fetch(url: URL): Promise<Entry> {
    const { fetch, now } = this.#options;
    const transport = { ...LIMITS, fetch };
    const { body, headers, status } = await fetchJSON(transport, {
      url: url.href,
      code: "discovery_failed",
      errorPrefix: PREFIX,
    });
    if (status !== 200) throw documentError(url, `it has status ${status}`);
    if (Array.isArray(body)) throw documentError(url, "it is an array");
    try {
      const document = parseClientDocument(body as JSONObject, url);
      return { document, expiresAt: now() + lifetimeOf(headers) };
    } catch (error) {
      throw documentError(url, (error as Error).message);
    }
  }

  #keep(href: string, entry: Entry): void {
    const entries = this.#entries;
    entries.delete(href);
    if (entry.expiresAt <= this.#options.now()) return;
    entries.set(href, entry);
    const [oldest] = entries.keys();
    if (entries.size > MAX_DOCUMENTS) entries.delete(oldest!);
  }
}

const PREFIX = "Cannot use the metadata document of a client";

function documentError(url: URL, reason: string): ExternalAuthError {
  const message = `${PREFIX}: "${url.href}" is invalid: ${reason}`;
  return new ExternalAuthError("discovery_failed", message, {});
}

/** Returns the milliseconds that a response is fresh (RFC 9111, section 4.2). */
function lifetimeOf(headers: Headers): number {
  const directives = (headers.get("Cache-Control") ?? "").toLowerCase()
    .split(",").map((directive) => directive.trim());
  if (directives.some((one) => /^no-(?:store|cache)\b/.test(one))) return 0;
  const [maxAge] = directives.flatMap((one) =>
    /^max-age="?(\d+)"?$/.exec(one)?.[1] ?? []
  );
  if (maxAge === undefined) return DEFAULT_TTL;
  const age = Number(headers.get("Age") ?? 0);
  const left = (Number(maxAge) - (age > 0 ? age : 0)) * 1000;
  return Math.min(Math.max(0, left), MAX_TTL);
}
