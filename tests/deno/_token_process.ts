/**
 * Serves a token service in a separate process, on a store server.
 *
 * Arguments: store, its address, issuer, client secret, origin of the service,
 * and the port on 127.0.0.1.
 */
import { createTokenService } from "./_token_service.ts";
import { openStore } from "./_session_stores.ts";

const [kind, address, issuer, clientSecret, origin, port] = Deno.args;
const { store } = await openStore(kind, address);
const service = createTokenService(store, { issuer, clientSecret, origin });
const onListen = () => console.log("listening");
Deno.serve(
  { port: Number(port), hostname: "127.0.0.1", onListen },
  (request) => service.fetch(request),
);
