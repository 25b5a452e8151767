import {
  type AuthenticatedUser,
  requireAuth,
  requireFreshAuth,
  requirePermission,
  requireRole,
} from "@gatehouse/web/auth-middleware";
import type { Middleware } from "@gatehouse/web/fetch-router";
import { assertEquals, assertThrows } from "@std/assert";
import { answer, ok } from "./_guarded.ts";

const permissions = {
  user: ["read"],
  editor: ["read", "write"],
  admin: ["read", "write", "delete"],
} as const;

const unauthorized: [number, string] = [401, "Unauthorized"];

const forbidden: [number, string] = [403, "Forbidden"];

const cases: [
  string,
  Middleware,
  AuthenticatedUser | null,
  [number, string],
][] = [
  ["requireAuth()", requireAuth(), { id: 1 }, ok],
  ["requireAuth()", requireAuth(), { id: 0 }, ok],
  ["requireAuth()", requireAuth(), null, unauthorized],
  ['requireRole("admin")', requireRole("admin"), null, unauthorized],
  ['requireRole("admin")', requireRole("admin"), { id: 1 }, forbidden],
  [
    'requireRole("admin")',
    requireRole("admin"),
    { id: 1, role: null },
    forbidden,
  ],
  [
    'requireRole("admin")',
    requireRole("admin"),
    { id: 1, role: "user" },
    forbidden,
  ],
  [
    'requireRole("admin")',
    requireRole("admin"),
    { id: 1, role: "Admin" },
    forbidden,
  ],
  ['requireRole("admin")', requireRole("admin"), { id: 1, role: "admin" }, ok],
  [
    'requireRole("admin", "editor")',
    requireRole("admin", "editor"),
    { id: 1, role: "editor" },
    ok,
  ],
  [
    'requirePermission("write")',
    requirePermission(permissions, "write"),
    null,
    unauthorized,
  ],
  [
    'requirePermission("write")',
    requirePermission(permissions, "write"),
    { id: 1, role: "user" },
    forbidden,
  ],
  [
    'requirePermission("write")',
    requirePermission(permissions, "write"),
    { id: 1, role: "editor" },
    ok,
  ],
  [
    'requirePermission("read", "delete")',
    requirePermission(permissions, "read", "delete"),
    { id: 1, role: "editor" },
    forbidden,
  ],
  [
    'requirePermission("read", "delete")',
    requirePermission(permissions, "read", "delete"),
    { id: 1, role: "admin" },
    ok,
  ],
  [
    'requirePermission("read")',
    requirePermission(permissions, "read"),
    { id: 1, role: "constructor" },
    forbidden,
  ],
  [
    'requirePermission("read")',
    requirePermission(permissions, "read"),
    { id: 1, role: "__proto__" },
    forbidden,
  ],
  [
    'requirePermission("read")',
    requirePermission(permissions, "read"),
    { id: 1, role: null },
    forbidden,
  ],
  [
    'requirePermission("read")',
    requirePermission(permissions, "read"),
    { id: 1 },
    forbidden,
  ],
];

for (const [name, guard, user, expected] of cases) {
  Deno.test(`${name} responds with ${expected[0]} to ${JSON.stringify(user)} (spec 5.3.3, 5.3.6, 7; ASVS 8.2.1)`, async () => {
    assertEquals(await answer(guard, user), expected);
  });
}

const misused: [call: string, make: () => unknown, message: string][] = [
  [
    'requireRole(["admin"])',
    () => requireRole(["admin"] as never),
    "Cannot require a role: each must be a separate string argument",
  ],
  [
    'requireRole("admin", undefined)',
    () => requireRole("admin", undefined as never),
    "Cannot require a role: each must be a separate string argument",
  ],
  [
    'requirePermission(permissions, ["read"])',
    () => requirePermission(permissions, ["read"] as never),
    "Cannot require a permission: each must be a separate string argument",
  ],
  [
    'requireAuth({ onUnauthenticated: "/login" })',
    () => requireAuth({ onUnauthenticated: "/login" as never }),
    "Cannot create the guard: onUnauthenticated is not a function",
  ],
  [
    "requireAuth({ onUnauthenticated: null })",
    () => requireAuth({ onUnauthenticated: null as never }),
    "Cannot create the guard: onUnauthenticated is not a function",
  ],
  [
    'requireFreshAuth(1000, { onStale: "/confirm" })',
    () => requireFreshAuth(1000, { onStale: "/confirm" as never }),
    "Cannot create the guard: onStale is not a function",
  ],
];

for (const [call, make, message] of misused) {
  Deno.test(`${call} throws a TypeError`, () => {
    assertThrows(make, TypeError, message);
  });
}
