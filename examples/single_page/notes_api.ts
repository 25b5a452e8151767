/** An API for the notes of its users, which any client with a token may call. */
import { Auth, auth } from "@gatehouse/web/auth-middleware";
import { createResourceServer } from "@gatehouse/web/auth/access-tokens";
import { object, string } from "@gatehouse/web/data-schema";
import { maxLength, minLength } from "@gatehouse/web/data-schema/checks";
import { createRouter, type FetchFunction } from "@gatehouse/web/fetch-router";
import { validate, ValidJSON } from "@gatehouse/web/middleware";

/** Options for {@linkcode createNotesAPI}. */
export interface NotesAPIOptions {
  /** The URL of the API, as its clients know it. */
  readonly resource: string;
  /** The identity provider. */
  readonly issuer: string;
}

/** The most notes of a user. */
const MOST = 100;

const Note = object({ text: string().pipe(minLength(1), maxLength(1_000)) });

/** Creates the API. Its notes end with the process. */
export function createNotesAPI(
  { issuer, resource }: NotesAPIOptions,
): { readonly fetch: FetchFunction } {
  const notes = new Map<string, string[]>();
  const api = createResourceServer({
    name: "notes",
    resource,
    issuers: [{ issuer }],
    scopes: ["notes"],
    verify: ({ scope, sub }) => ({
      id: sub,
      scopes: typeof scope === "string" ? scope.split(" ") : [],
    }),
    // The demo provider has no certificate.
    allowInsecureLoopback: true,
  });
  const router = createRouter({
    middleware: [api.metadata, auth({ schemes: [api.scheme] })],
  });
  const requireNotes = api.requireScope("notes");

  router.get("/v1/notes", { middleware: [requireNotes] }, (context) => {
    return Response.json(notes.get(context.get(Auth).id) ?? []);
  });
  router.post(
    "/v1/notes",
    { middleware: [requireNotes, validate({ json: Note })] },
    (context) => {
      const { id } = context.get(Auth);
      const own = [...notes.get(id) ?? [], context.get(ValidJSON).text];
      notes.set(id, own.slice(-MOST));
      return Response.json(own, { status: 201 });
    },
  );
  return router;
}
