/**
 * Responses with more than a string: HTML that escapes its values, streams of
 * events, and bodies that a route declares.
 *
 * @example A page that escapes its values
 * ```ts
 * import { html, htmlResponse } from "@gatehouse/web/content";
 * import { assertEquals } from "@std/assert";
 *
 * const response = htmlResponse(html`<h1>${"<b>Ada</b>"}</h1>`);
 * assertEquals(
 *   await response.text(),
 *   "<!doctype html>\n<h1>&lt;b&gt;Ada&lt;/b&gt;</h1>",
 * );
 * ```
 *
 * @module
 */
export {
  type EventQueue,
  eventQueue,
  type EventQueueOptions,
} from "./event_queue.ts";
export {
  eventStream,
  type EventStreamConnection,
  type EventStreamOptions,
  type ServerSentEvent,
} from "./event_stream.ts";
export {
  html,
  type HTMLChild,
  htmlResponse,
  type HTMLValue,
  type Markup,
  unsafeHTML,
} from "./html.ts";
export {
  respond,
  type RespondArguments,
  type RespondInit,
  type ResponsesOf,
} from "./respond.ts";
