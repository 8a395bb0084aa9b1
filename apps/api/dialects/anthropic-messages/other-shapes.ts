import type { Json, JsonObject } from '#domain/json.js';
import { asText, fields, without } from '#calls/hosted/changed.js';
import { isRecord } from '#primitives/values.js';
import { claudePart } from '../shared/part-shapes.js';
import { withClaudeTools } from '../shared/tool-shapes.js';
import { withWholeCalls } from './earlier-calls.js';

/** A body of messages as their API has it: clients write tools, parts and turns as chat completions have them. */
export const asMessages = (body: unknown): unknown =>
  isRecord(body) ? withWholeCalls(own(withClaudeTools(body) as JsonObject)) : body;

const own = fields({
  messages: (messages) => (Array.isArray(messages) ? turnsOf(messages as readonly Json[]) : messages),
  system: (system) => (isRecord(system) || Array.isArray(system) ? blocksOf(system) : system),
  stop_sequences: (stops) => (Array.isArray(stops) ? stops.filter((stop) => stop !== '') : stops),
  // Clients have ids of users that are numbers or objects.
  metadata: fields({ user_id: asText }),
});

/** Results of tools that follow each other are one turn of the user. */
function turnsOf(messages: readonly Json[]): Json[] {
  const turns: Json[] = [];
  let results: Json[] | null = null;
  for (const message of messages) {
    const result = isRecord(message) ? resultOf(message) : null;
    if (result === null) turns.push(turnOf(message));
    else if (results === null) turns.push({ role: 'user', content: (results = [result]) });
    else results.push(result);
    if (result === null) results = null;
  }
  return turns;
}

function resultOf({ role, content = null, tool_call_id: id = null, name: _, ...rest }: JsonObject): JsonObject | null {
  if (role !== 'tool' && role !== 'function') return null;
  const isJson = isRecord(content) && typeof content['text'] !== 'string';
  return { ...rest, type: 'tool_result', tool_use_id: id, content: isJson ? asText(content) : blocksOf(content) };
}

function turnOf(message: Json): Json {
  if (!isRecord(message)) return message;
  const { role, content = null } = message;
  const blocks = blocksOf(content);
  if (role === 'developer') return { ...message, role: 'system', content: blocks };
  if (role !== 'assistant' || !Object.keys(message).some((name) => BESIDE.has(name)))
    return blocks === content ? message : { ...message, content: blocks };
  const { thoughts, calls, refused } = saidBeside(message);
  const rest = without(message, (name) => BESIDE.has(name));
  if (thoughts.length + calls.length + refused.length === 0) return { ...rest, content: blocks };
  const texts = typeof blocks === 'string' ? (blocks === '' ? [] : [{ type: 'text', text: blocks }]) : (blocks ?? []);
  return { ...rest, content: [...thoughts, ...(texts as readonly Json[]), ...refused, ...calls] };
}

/** The same content if it has no other parts. */
function blocksOf(content: Json): Json {
  if (isRecord(content)) return [claudePart(content) as Json];
  if (!Array.isArray(content)) return content;
  const given: readonly Json[] = content;
  const blocks = given.map((part) => claudePart(part) as Json);
  return blocks.some((block, index) => block !== given[index]) ? blocks : given;
}

/** Fields of the assistant's messages of chat completions, which are blocks here. */
const BESIDE: ReadonlySet<string> = new Set([
  ...['tool_calls', 'function_call', 'refusal', 'reasoning_content', 'reasoning', 'thinking_blocks'],
]);

/** What the assistant's message of a chat completion says beside its content, as blocks. */
function saidBeside(message: JsonObject): Record<'thoughts' | 'calls' | 'refused', readonly Json[]> {
  const { tool_calls: made, function_call: legacy, refusal, reasoning_content, reasoning, thinking_blocks } = message;
  const thought = [reasoning_content, reasoning].find((text) => typeof text === 'string' && text !== '');
  const blocks = Array.isArray(thinking_blocks) ? (thinking_blocks as readonly Json[]) : [];
  const calls = [
    ...(Array.isArray(made) ? (made as readonly Json[]) : []),
    ...(isRecord(legacy) ? [{ function: legacy }] : []),
  ];
  return {
    thoughts: blocks.length > 0 || thought === undefined ? blocks : [{ type: 'thinking', thinking: thought }],
    calls: calls.map(callOf),
    refused: typeof refusal === 'string' && refusal !== '' ? [{ type: 'text', text: refusal }] : [],
  };
}

function callOf(call: Json): Json {
  if (!isRecord(call) || !isRecord(call['function'])) return call;
  const { id = null, type: _, index: __, function: called, ...rest } = call;
  const { name = null, arguments: input = null } = called;
  return { ...rest, type: 'tool_use', id, name, input };
}
