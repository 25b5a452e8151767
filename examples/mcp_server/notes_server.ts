import { object, string, withJSONSchema } from "@gatehouse/web/data-schema";
import { maxLength, minLength } from "@gatehouse/web/data-schema/checks";
import {
  type AuthInfo,
  type CallToolResult,
  McpServer,
  requireScopes,
} from "npm:@modelcontextprotocol/server@2.4.0";

/** The notes by user, in memory: they end with the process. */
const notes = new Map<string, string[]>();

/** The most notes of a user. */
const MOST = 100;

const Note = object({ text: string().pipe(minLength(1), maxLength(1_000)) });

/** Returns the notes of a user. */
export function notesOf(userId: string): readonly string[] {
  return notes.get(userId) ?? [];
}

/** Creates the server of one request, with the tools for its user. */
export function createNotesServer(authInfo: AuthInfo | undefined): McpServer {
  const userId = String(authInfo?.extra?.userId);
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.registerTool(
    "list_notes",
    { description: "Lists your notes." },
    () => answer(notesOf(userId).join("\n") || "You have no notes."),
  );
  server.registerTool(
    "add_note",
    {
      description: "Adds a note.",
      inputSchema: withJSONSchema(Note),
      // With fewer scopes, the response is a 403, and the client asks the user.
      scopeChallenge: requireScopes("notes:read", "notes:write"),
    },
    ({ text }) => {
      notes.set(userId, [...notesOf(userId), text].slice(-MOST));
      return answer("Added.");
    },
  );
  return server;
}

function answer(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}
