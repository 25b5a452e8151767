import {
  Account,
  NotFound,
  Notice,
  NoticeList,
  NoticeParams,
} from "./api_schemas.ts";
import {
  del,
  form,
  get,
  post,
  resource,
  resources,
  route,
} from "@gatehouse/web/fetch-router/routes";

/** Every URL of the application: handlers and links are made from these. */
export const routes = route({
  home: "/",
  source: get("/source"),
  stylesheet: "/style.css",
  icon: "/icon.svg",
  copyScript: "/copy.js",
  register: form("register"),
  login: form("login"),
  loginCode: form("login/code"),
  emailLogin: {
    request: form("login/email"),
    code: form("login/email/code"),
    link: form("login/email/link"),
  },
  passkeyScript: "/passkeys.js",
  passkeyLogin: {
    options: post("/login/passkey/options"),
    action: post("/login/passkey"),
  },
  wellKnown: {
    webauthn: get("/.well-known/webauthn"),
    passkeyEndpoints: get("/.well-known/passkey-endpoints"),
  },
  logout: post("/logout"),
  notMe: form("not-me"),
  passwordReset: {
    request: form("forgot-password"),
    choose: form("reset-password"),
    done: get("/reset-password/done"),
  },

  external: route("auth/:provider", {
    start: "/",
    callback: "/callback",
  }),

  account: {
    profile: resource("account", { only: ["show", "update"] }),
    confirm: form("account/confirm"),
    confirmByPasskey: {
      options: post("/account/confirm/passkey/options"),
      action: post("/account/confirm/passkey"),
    },
    confirmByEmail: {
      send: post("/account/confirm/send"),
      open: form("account/confirm/email"),
    },
    password: form("account/password", { formMethod: "PUT" }),
    email: {
      verify: form("account/email"),
      send: post("/account/email/send"),
      link: form("account/email/link"),
      change: form("account/email/change"),
      changeLink: form("account/email/change/link"),
    },
    security: get("/account/security"),
    app: {
      setUp: form("account/security/app"),
      remove: form("account/security/app/remove"),
    },
    recoveryCodes: post("/account/security/recovery-codes"),
    device: del("/account/security/devices/:id"),
    passkeys: {
      ...resources("account/passkeys", {
        only: ["index", "create", "update", "destroy"],
      }),
      options: post("/account/passkeys/options"),
      upgrade: {
        options: post("/account/passkeys/upgrade/options"),
        create: post("/account/passkeys/upgrade"),
      },
    },
    sessions: {
      index: get("/account/sessions"),
      destroy: del("/account/sessions/:id"),
      destroyOthers: del("/account/sessions"),
    },
    keys: resources("account/keys", { only: ["index", "create", "destroy"] }),
    tokens: resources("account/tokens", {
      only: ["index", "create", "destroy"],
    }),
    newKey: route("account/keys/new", { show: get("/"), done: post("/") }),
    newToken: route("account/tokens/new", { show: get("/"), done: post("/") }),
    logins: {
      index: get("/account/logins"),
      link: post("/account/logins/:provider"),
      unlink: del("/account/logins/:id"),
    },
  },

  editor: resources("editor", { exclude: ["show"] }),

  admin: {
    users: resources("admin", { only: ["index", "update"] }),
    endSessions: del("/admin/:id/sessions"),
    audit: get("/admin/audit"),
  },

  api: route("api", {
    me: get("/me", {
      summary: "Returns the user of the token or the key",
      tags: ["account"],
      responses: { 200: Account },
    }),
    notices: resources("notices", {
      only: ["index", "show", "destroy"],
      operations: {
        index: {
          summary: "Returns the latest 50 notices, the newest first",
          tags: ["notices"],
          responses: { 200: NoticeList },
        },
        show: {
          summary: "Returns a notice",
          tags: ["notices"],
          params: NoticeParams,
          examples: { params: { id: 1 } },
          responses: { 200: Notice, 404: NotFound },
        },
        destroy: {
          summary: "Removes a notice",
          tags: ["notices"],
          params: NoticeParams,
          responses: { 204: {}, 404: NotFound },
        },
      },
    }),
  }),
});
