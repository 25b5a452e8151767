import { createMemorySessionStore } from "@gatehouse/web/session";
import { API, ORIGIN, SECRET } from "./_server.ts";

export const memory = createMemorySessionStore();

export const RESOURCE = {
  name: "Notes",
  scopes: { "notes:read": "Read your notes" },
};

/** Options that work. */
export const OPTIONS = {
  issuer: ORIGIN,
  users: { find: () => null },
  store: memory,
  secrets: [SECRET],
  resources: { [API]: RESOURCE },
  cimd: false,
  loginPath: "/login",
} as const;
