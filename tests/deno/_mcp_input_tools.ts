import {
  type CallToolResult,
  createRequestStateCodec,
  inputRequired,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from "npm:@modelcontextprotocol/server@2.4.0";

type Input = Parameters<typeof inputRequired>[0];
type Requests = NonNullable<Input["inputRequests"]>;

/** Protects the state of a flow, which clients send back. */
export const stateCodec = createRequestStateCodec<number>({
  key: crypto.getRandomValues(new Uint8Array(32)),
});

const ask = (message: string, name: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: "object",
      properties: { [name]: { type: "string" } },
      required: [name],
    },
  });

const sample = (text: string) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens: 100,
  });

/** A tool that asks for input in one or more rounds. */
interface InputTool {
  readonly rounds: readonly Requests[];
  /** `true` if the client must send back a state. */
  readonly hasState?: boolean;
}

const NAME: Requests = { user_name: ask("What is your name?", "name") };

const TOOLS: Record<string, InputTool> = {
  test_input_required_result_elicitation: { rounds: [NAME] },
  test_input_required_result_sampling: {
    rounds: [{ capital_question: sample("What is the capital of France?") }],
  },
  test_input_required_result_list_roots: {
    rounds: [{ client_roots: inputRequired.listRoots() }],
  },
  test_input_required_result_request_state: {
    hasState: true,
    rounds: [{
      confirm: inputRequired.elicit({
        message: "Please confirm",
        requestedSchema: {
          type: "object",
          properties: { ok: { type: "boolean" } },
          required: ["ok"],
        },
      }),
    }],
  },
  test_input_required_result_multiple_inputs: {
    hasState: true,
    rounds: [{
      ...NAME,
      greeting: sample("Generate a greeting"),
      client_roots: inputRequired.listRoots(),
    }],
  },
  test_input_required_result_multi_round: {
    hasState: true,
    rounds: [
      { step1: ask("Step 1: What is your name?", "name") },
      { step2: ask("Step 2: What is your favorite color?", "color") },
    ],
  },
  test_input_required_result_tampered_state: {
    hasState: true,
    rounds: [NAME],
  },
};

/** Adds the tools and the prompt that ask for input. */
export function addInputTools(server: McpServer): void {
  for (const [name, tool] of Object.entries(TOOLS)) {
    server.registerTool(
      name,
      { description: "Asks for input." },
      (context) => respond(context, tool),
    );
  }
  server.registerTool(
    "test_input_required_result_capabilities",
    { description: "Asks for input that the client supports." },
    (context) => {
      const { sampling } = capabilitiesOf(context);
      const rounds = [sampling ? { greeting: sample("Hello") } : NAME];
      return respond(context, { rounds });
    },
  );
  server.registerPrompt(
    "test_input_required_result_prompt",
    { description: "Asks for input." },
    ({ mcpReq: { inputResponses } }) => {
      const key = "user_context";
      if (inputResponses?.[key] === undefined) {
        const message = "What context should the prompt use?";
        return inputRequired({
          inputRequests: { [key]: ask(message, "context") },
        });
      }
      const text = JSON.stringify(inputResponses[key]);
      const content = { type: "text" as const, text };
      return { messages: [{ role: "user" as const, content }] };
    },
  );
}

/** Asks for the input of the next round, or returns all of it. */
async function respond(
  { mcpReq }: ServerContext,
  { hasState = false, rounds }: InputTool,
): Promise<CallToolResult | InputRequiredResult> {
  const responses = mcpReq.inputResponses ?? {};
  const round = hasState ? mcpReq.requestState<number>() ?? 0 : 0;
  // Only the responses show the round if there is no state.
  const asked = hasState ? rounds[round - 1] : rounds[0];
  const isComplete = asked !== undefined &&
    Object.keys(asked).every((key) => key in responses);
  const next = isComplete ? (hasState ? rounds[round] : undefined) : asked;
  if (!isComplete || next !== undefined) {
    return inputRequired({
      inputRequests: next ?? rounds[0]!,
      ...hasState && {
        requestState: await stateCodec.mint(isComplete ? round + 1 : 1),
      },
    });
  }
  const text = `${hasState ? "state-ok " : ""}${JSON.stringify(responses)}`;
  return { content: [{ type: "text", text }] };
}

/** Returns the capabilities that the client declares in each request. */
function capabilitiesOf({ mcpReq }: ServerContext): Record<string, unknown> {
  const members = new Map<string, unknown>(
    Object.entries(mcpReq.envelope ?? {}),
  );
  return Object(members.get("io.modelcontextprotocol/clientCapabilities"));
}
