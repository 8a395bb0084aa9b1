import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  INVALID_PARAMS,
  createMcpHandler,
  inputRequired,
  ProtocolError,
  Server,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Json, JsonObject } from '#domain/json.js';
import { CONFIRM, described, type KnownTool } from './known-tools.js';
import type { AskRoute, OwnAnswer } from './own-requests.js';

/** The most characters of an answer that a tool gives: more would fill what a model reads at once. */
const LONGEST = 200_000;

const INSTRUCTIONS = `Anneal turns labelled examples into small task models, serves them, and records every call. The usual way:
create_dataset, get_dataset_version until it is ready, get_dataset_report, train, get_training_job until it is complete, ask by the
job's id or the model's name, give_feedback on wrong answers, improve_model. Work takes time: ask for its state again rather than
start it twice. What an answer names as missing or refused is said with its field; correct that and call again.`;

/** Answers one request of an agent, whose calls ask routes in its caller's name. Holds nothing afterwards. */
export async function answerAgent(
  request: Request,
  body: unknown,
  tools: ReadonlyMap<string, KnownTool>,
  ask: AskRoute,
): Promise<Response> {
  const handler = createMcpHandler(() => agentServer(tools, ask));
  return handler.fetch(request, { parsedBody: body });
}

function agentServer(tools: ReadonlyMap<string, KnownTool>, ask: AskRoute): Server {
  const server = new Server(
    { name: 'anneal', version: '1' },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', () => ({ tools: [...tools.values()].map(described) }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }, context) => {
    const tool = tools.get(name);
    if (!tool)
      throw new ProtocolError(
        INVALID_PARAMS,
        `there is no tool "${name}"; it is one of ${[...tools.keys()].join(', ')}`,
      );
    const { [CONFIRM]: confirmed, ...rest } = given as JsonObject;
    const misplaced = tool.inPath.find((each) => !namesOne(rest[each]));
    if (misplaced !== undefined) return failed(`${misplaced}: is required, and is one name or id`);
    const question =
      tool.loses === undefined || confirmed === true ? null : confirmation(tool, tool.loses, rest, context);
    return question ?? told(await tool.call(tool.loses === undefined ? (given as JsonObject) : rest, ask));
  });
  return server;
}

/** Whether it names one thing: the path of a request without would be another route's. */
const namesOne = (value: Json | undefined): boolean =>
  typeof value === 'number' || (typeof value === 'string' && !/^\.{0,2}$/.test(value));

/** Asks the person, by the client where it can, else by the agent. @returns null once the person agreed */
function confirmation(
  { name }: KnownTool,
  loses: string,
  given: JsonObject,
  { mcpReq }: ServerContext,
): CallToolResult | InputRequiredResult | null {
  if (acceptedContent<{ agreed: boolean }>(mcpReq.inputResponses, CONFIRM)?.agreed === true) return null;
  const message = `${name} ${JSON.stringify(given)}: ${loses} will be gone.`;
  const wasAsked = mcpReq.inputResponses !== undefined;
  const canAsk = capabilitiesOf(mcpReq).elicitation !== undefined;
  if (wasAsked || !canAsk)
    return failed(
      wasAsked
        ? `${message} The person did not agree.`
        : `${message} Ask the person; then call this again with ${CONFIRM}: true.`,
    );
  const requestedSchema = {
    type: 'object' as const,
    properties: { agreed: { type: 'boolean' as const, title: 'Do it' } },
    required: ['agreed'],
  };
  return inputRequired({
    inputRequests: { [CONFIRM]: inputRequired.elicit({ mode: 'form', message, requestedSchema }) },
  });
}

/** The client's abilities. Clients of earlier revisions say them once a session, so those are unknown. */
const capabilitiesOf = ({ envelope = {} }: ServerContext['mcpReq']): ClientCapabilities =>
  (envelope as Readonly<Record<string, ClientCapabilities | undefined>>)[CLIENT_CAPABILITIES_META_KEY] ?? {};

function told({ status, text, ignored }: OwnAnswer): CallToolResult {
  if (status >= 400) return failed(`status ${status}: ${text}`);
  if (text.length > LONGEST)
    return failed(
      `the answer has ${text.length} characters, more than ${LONGEST}: ask for less by limit, or for one thing by its id`,
    );
  const notices =
    ignored === undefined
      ? []
      : [{ type: 'text' as const, text: `ignored, because this route does not know it: ${ignored}` }];
  return { content: [{ type: 'text', text: text === '' ? `done (status ${status})` : text }, ...notices] };
}

const failed = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true });
