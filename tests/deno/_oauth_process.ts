/** A process of an application with an authorization server. */
import { dpopTokens } from "@gatehouse/web/oauth-server";
import {
  ORIGIN,
  startServer,
  WITH_DEVICES,
  WITH_JWT,
} from "../oauth_server/_server.ts";
import { openStore } from "./_session_stores.ts";

const [kind = "", address = "", port = "", format = ""] = Deno.args;
const { store } = await openStore(kind, address);
const { router } = startServer({
  ...WITH_DEVICES,
  ...format === "at+jwt" && WITH_JWT,
  dpop: dpopTokens(),
  store,
  sessions: store,
});

Deno.serve({
  port: Number(port),
  hostname: "127.0.0.1",
  onListen: () => console.log("ready"),
}, (request) => {
  const { pathname, search } = new URL(request.url);
  return router.fetch(new Request(ORIGIN + pathname + search, request));
});
