import { isRecord } from '#primitives/values.js';
import { refuses, type Act } from './scripted-provider.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a body as it was sent, whatever that is
type Sent = any;

/** Why OpenAI's API would refuse a body of `POST /chat/completions`, by the words of its errors; empty: it takes it. */
export function refusals(body: Sent): string[] {
  const found: string[] = [];
  const refuse = (isRefused: boolean, message: string) => void (isRefused && found.push(message));
  const {
    messages,
    tools,
    functions,
    tool_choice: choice,
    parallel_tool_calls: parallel,
    response_format: format,
  } = body;
  for (const [name, value] of Object.entries(body))
    refuse(value === null, `Invalid type for '${name}': got null instead.`);
  for (const name of ['tools', 'functions']) refuse(body[name]?.length === 0, `[] is too short - '${name}'`);
  refuse(choice !== undefined && !tools, "'tool_choice' is only allowed when 'tools' are specified.");
  refuse(parallel !== undefined && !tools, "'parallel_tool_calls' is only allowed when 'tools' are specified.");
  const names = [
    ...namesIn(tools),
    ...(functions ?? []).map(({ name }: Sent) => name),
    ...namesIn([choice, ...(choice?.allowed_tools?.tools ?? [])]),
  ];
  if (format?.json_schema) names.push(format.json_schema.name);
  const ids = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`;
    const { role, content, name, tool_calls: calls, function_call: call, audio, tool_call_id: answered } = message;
    for (const [key, value] of Object.entries(message))
      refuse(value === null && key !== 'content', `Invalid type for '${at}.${key}': got null instead.`);
    const maySayNothing = role === 'assistant' && (calls ?? call ?? audio) !== undefined;
    refuse(
      (content ?? null) === null && !maySayNothing,
      `Invalid value for 'content': expected a string, got null. - '${at}'`,
    );
    refuse(Array.isArray(content) && content.length === 0, `[] is too short - '${at}.content'`);
    refuse(
      role === 'user' && name !== undefined && !/^[^\s<|\\/>]{1,64}$/.test(name),
      `'${at}.name' does not match pattern`,
    );
    refuse(calls?.length === 0, `[] is too short - '${at}.tool_calls'`);
    for (const each of calls ?? []) {
      refuse(!(each.id?.length > 0 && each.id.length <= 40), `${at}.tool_calls: id must have 1 to 40 characters`);
      refuse('index' in each, `Unknown parameter: '${at}.tool_calls.index'`);
      refuse(
        each.function !== undefined && typeof each.function.arguments !== 'string',
        `${at}.tool_calls: arguments must be a string`,
      );
      ids.add(each.id);
    }
    refuse(
      role === 'tool' && !ids.has(answered),
      `${at}: 'tool' must be a response to a preceding message with 'tool_calls'`,
    );
    names.push(...namesIn(calls), ...(call ? [call.name] : []), ...(role === 'function' ? [name] : []));
  }
  for (const name of names)
    refuse(!/^[a-zA-Z0-9_-]{1,64}$/.test(name), `name ${name} does not match '^[a-zA-Z0-9_-]{1,64}$'`);
  return found;
}

const namesIn = (tools: readonly Sent[] = []): string[] =>
  tools.flatMap((tool: Sent) => {
    const named = isRecord(tool) ? ((tool as Sent).function ?? (tool as Sent).custom) : undefined;
    return named ? [named.name] : [];
  });

/** Answers as a provider that refuses what the real one does. */
export const strictly =
  (refusalsOf: (body: Sent) => readonly string[], act: Act): Act =>
  (response, request) => {
    const found = refusalsOf(request.body);
    const error = { type: 'invalid_request_error', message: found.join('; ') };
    return (found.length > 0 ? refuses(400, { type: 'error', error }) : act)(response, request);
  };
