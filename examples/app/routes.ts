import {
  Account,
  NotFound,
  Notice,
  NoticeList,
  NoticeParams,
} from "./api_schemas.ts";
import {
  form,
  get,
  post,
  resources,
  route,
} from "@gatehouse/web/fetch-router/routes";

/** The URLs of the noticeboard. Those of the accounts are in `definition.ts`. */
export const routes = route({
  home: "/",
  stylesheet: "/style.css",
  icon: "/icon.svg",
  outbox: get("/outbox"),
  passkeyEndpoints: get("/.well-known/passkey-endpoints"),

  editor: {
    index: get("/editor"),
    edit: form("/editor/:id"),
    remove: post("/editor/:id/remove"),
  },

  api: route("api", {
    me: get("/me", {
      summary: "Returns the user of the key",
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
