import {
  type CallToolResult,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from "npm:@modelcontextprotocol/server@2.4.0";
import { object, string, withJSONSchema } from "@gatehouse/web/data-schema";

import { addInputTools, stateCodec } from "./_mcp_input_tools.ts";

/** A PNG of one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** An audio file without samples. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

type Content = CallToolResult["content"][number];

const text = (text: string) => ({ type: "text" as const, text });
const image: Content = { type: "image", data: PNG, mimeType: "image/png" };
const embedded = (uri: string, mimeType: string, text: string): Content => ({
  type: "resource",
  resource: { uri, mimeType, text },
});

/** The tools that always return the same content. */
const TOOLS: Record<string, Content[]> = {
  test_simple_text: [text("This is a simple text response for testing.")],
  test_image_content: [image],
  test_audio_content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
  test_embedded_resource: [
    embedded(
      "test://embedded-resource",
      "text/plain",
      "This is an embedded resource content.",
    ),
  ],
  test_multiple_content_types: [
    text("Multiple content types test:"),
    image,
    embedded(
      "test://mixed-content-resource",
      "application/json",
      '{"test":"data","value":123}',
    ),
  ],
};

const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

/** Creates the server that the conformance scenarios expect. */
export function createConformanceServer(): McpServer {
  const server = new McpServer(
    { name: "conformance", version: "1.0.0" },
    { requestState: { verify: stateCodec.verify } },
  );
  addTools(server);
  addInputTools(server);
  addResources(server);
  addPrompts(server);
  return server;
}

function addTools(server: McpServer): void {
  for (const [name, content] of Object.entries(TOOLS)) {
    const description = `Returns ${content.length} parts.`;
    server.registerTool(name, { description }, () => ({ content }));
  }
  server.registerTool(
    "test_error_handling",
    { description: "Fails." },
    () => ({
      isError: true,
      content: [text("This tool intentionally returns an error for testing")],
    }),
  );
  server.registerTool(
    "test_missing_capability",
    { description: "Needs a client that supports sampling." },
    () =>
      inputRequired({
        inputRequests: {
          answer: inputRequired.createMessage({
            messages: [{ role: "user", content: text("Hello") }],
            maxTokens: 10,
          }),
        },
      }),
  );
  server.registerTool(
    "test_logging_tool",
    { description: "Logs." },
    async ({ mcpReq }) => {
      await mcpReq.log("info", "Running");
      return { content: [text("Done.")] };
    },
  );
  for (
    const name of ["test_tool_with_progress", "test_streaming_elicitation"]
  ) {
    addProgress(server, name);
  }
}

function addProgress(server: McpServer, name: string): void {
  server.registerTool(
    name,
    { description: "Reports progress." },
    async ({ mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          await mcpReq.notify({
            method: "notifications/progress",
            params: { progressToken, progress, total: 100 },
          });
        }
        await pause();
      }
      return { content: [text("Done.")] };
    },
  );
}

function addResources(server: McpServer): void {
  const uri = "test://static-text";
  server.registerResource(
    "static-text",
    uri,
    { description: "A text.", mimeType: "text/plain" },
    () => ({
      contents: [{
        uri,
        mimeType: "text/plain",
        text: "This is the content of the static text resource.",
      }],
    }),
  );
  server.registerResource(
    "static-binary",
    "test://static-binary",
    { description: "An image.", mimeType: "image/png" },
    ({ href }) => ({
      contents: [{ uri: href, mimeType: "image/png", blob: PNG }],
    }),
  );
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", {
      list: undefined,
      complete: { id: () => ["123"] },
    }),
    { description: "Data by id.", mimeType: "application/json" },
    ({ href }, { id }) => ({
      contents: [{
        uri: href,
        mimeType: "application/json",
        text: JSON.stringify({
          id,
          templateTest: true,
          data: `Data for ID: ${id}`,
        }),
      }],
    }),
  );
}

function addPrompts(server: McpServer): void {
  const message = (content: Content) => ({ role: "user" as const, content });
  server.registerPrompt(
    "test_simple_prompt",
    { description: "A prompt." },
    () => ({
      messages: [message(text("This is a simple prompt for testing."))],
    }),
  );
  server.registerPrompt(
    "test_prompt_with_arguments",
    {
      description: "A prompt with arguments.",
      argsSchema: withJSONSchema(object({ arg1: string(), arg2: string() })),
    },
    ({ arg1, arg2 }) => ({
      messages: [
        message(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
      ],
    }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    {
      description: "A prompt with a resource.",
      argsSchema: withJSONSchema(object({ resourceUri: string() })),
    },
    ({ resourceUri }) => ({
      messages: [
        message(embedded(
          resourceUri,
          "text/plain",
          "Embedded resource content for testing.",
        )),
        message(text("Please process the embedded resource above.")),
      ],
    }),
  );
  server.registerPrompt(
    "test_prompt_with_image",
    { description: "A prompt with an image." },
    () => ({
      messages: [
        message(image),
        message(text("Please analyze the image above.")),
      ],
    }),
  );
}
