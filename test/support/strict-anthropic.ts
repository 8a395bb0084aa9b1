import { isRecord } from '#primitives/values.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a body as it was sent, whatever that is
type Sent = any;

/** Why Anthropic's API would refuse a body of `POST /messages`, by the words of its errors; empty: it takes it. */
export function refusals(body: Sent): string[] {
  const found: string[] = [];
  const refuse = (isRefused: boolean, message: string) => void (isRefused && found.push(message));
  refuse(body.temperature !== undefined && body.top_p !== undefined, 'temperature and top_p cannot both be specified');
  for (const stop of body.stop_sequences ?? [])
    refuse(stop.trim() === '', 'stop_sequences must contain non-whitespace');
  refuse(
    body.thinking?.budget_tokens < 1024,
    'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
  );
  refuse(body.thinking?.budget_tokens >= body.max_tokens, 'max_tokens must be greater than thinking.budget_tokens');
  if (['enabled', 'adaptive'].includes(body.thinking?.type)) {
    refuse((body.temperature ?? 1) !== 1, 'temperature may only be set to 1 when thinking is enabled');
    refuse((body.top_p ?? 1) < 0.95, 'top_p must be at least 0.95 when thinking is enabled');
    refuse(body.top_k !== undefined, 'top_k must be unset when thinking is enabled');
    const isForced = ['any', 'tool'].includes(body.tool_choice?.type);
    refuse(isForced, 'Thinking may not be enabled when tool_choice forces tool use');
  }
  for (const [name, value] of Object.entries(body)) refuse(value === null, `${name}: Input should not be null`);
  const named = [...(body.tools ?? []), ...(body.tool_choice?.name ? [body.tool_choice] : [])];
  for (const { name } of named)
    refuse(!NAME.test(name), `tools.name: String should match pattern '${NAME.source}': ${name}`);
  for (const { input_schema: schema } of body.tools ?? [])
    refuse(
      ['anyOf', 'oneOf', 'allOf'].some((key) => key in (schema ?? {})),
      'input_schema does not support oneOf, allOf, or anyOf at the top level',
    );
  const calls = body.messages.flatMap(({ content }: Sent) =>
    (Array.isArray(content) ? content : []).flatMap(({ type, id }: Sent) => (type === 'tool_use' ? [id] : [])),
  );
  refuse(new Set(calls).size < calls.length, '`tool_use` ids must be unique');
  found.push(...unansweredIn(body.messages));
  refuse(Array.isArray(body.system) && body.system.length === 0, 'system: content must be non-empty');
  for (const { input_schema: schema } of body.tools ?? [])
    refuse(Array.isArray(schema?.type), "tools.input_schema.type: Input should be 'object'");
  refuse(body.messages.length === 0, 'messages: at least one message is required');
  for (const schema of schemasOf(body))
    refuse(JSON.stringify(schema).includes('"$ref":"#"'), 'Recursive schemas are not supported');
  for (const schema of schemasOf(body)) found.push(...refusedIn(schema));
  for (const [index, { role, content }] of body.messages.entries()) {
    const blocks = blocksOf(content);
    refuse(blocks.length === 0, `messages.${index}: content must be non-empty`);
    for (const block of blocks) found.push(...refusedOf(block));
    const last = index === body.messages.length - 1 && role === 'assistant' ? blocks.at(-1)?.text : undefined;
    refuse(
      last !== undefined && last !== last.trimEnd(),
      'final assistant content cannot end with trailing whitespace',
    );
  }
  for (const block of blocksOf(body.system ?? [])) found.push(...refusedOf(block));
  return found;
}

const blocksOf = (content: Sent): Sent[] => (typeof content === 'string' ? [{ type: 'text', text: content }] : content);

/** Each call has one result, in the turn after it. (Results without a call are not looked for: dialects refuse them before.) */
function unansweredIn(messages: Sent[]): string[] {
  const idsIn = (turns: Sent[], type: string, id: string): string[] =>
    turns
      .flatMap(({ content }: Sent) => blocksOf(content))
      .flatMap((block: Sent) => (block.type === type ? [block[id]] : []));
  const called = idsIn(messages, 'tool_use', 'id');
  return messages.flatMap((turn: Sent, index: number) => {
    if (turn.role !== 'user') return [];
    const calls = idsIn(messages.slice(Math.max(0, index - 1), index), 'tool_use', 'id');
    const results = idsIn([turn], 'tool_result', 'tool_use_id').filter((id) => called.includes(id));
    return [
      ...calls.filter((id) => !results.includes(id)).map((id) => `tool_use ids were found without tool_result: ${id}`),
      ...results.filter((id) => !calls.includes(id)).map((id) => `unexpected tool_use_id in tool_result blocks: ${id}`),
      ...(new Set(results).size < results.length ? ['each tool_use must have a single result'] : []),
    ];
  });
}

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

function refusedOf({ type, text, signature, id, name, tool_use_id, content, input }: Sent): string[] {
  if (type === 'text' && text.trim() === '') return ['text content blocks must contain non-whitespace text'];
  if (type === 'thinking' && !signature) return ['thinking.signature: Field required'];
  if (type === 'tool_use' && !isRecord(input)) return ['tool_use.input: Input should be a valid dictionary'];
  if (type === 'tool_use' && !NAME.test(name)) return [`tool_use.name: String should match pattern '${NAME.source}'`];
  const called = type === 'tool_use' ? id : type === 'tool_result' ? tool_use_id : 'a';
  if (!/^[a-zA-Z0-9_-]+$/.test(called)) return [`String should match pattern '^[a-zA-Z0-9_-]+$': ${called}`];
  return type === 'tool_result' && Array.isArray(content) ? content.flatMap(refusedOf) : [];
}

const schemasOf = ({ output_config, tools = [] }: Sent): Sent[] => [
  ...(output_config?.format ? [output_config.format.schema] : []),
  ...tools.flatMap((tool: Sent) => (tool.strict ? [tool.input_schema] : [])),
];

const UNSUPPORTED = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'],
  ...['maxItems', 'uniqueItems', 'oneOf', 'not', 'if', 'then', 'else', 'patternProperties', 'minProperties'],
  ...['prefixItems', 'contains', 'propertyNames', 'dependentRequired'],
];

function refusedIn(schema: Sent): string[] {
  if (!isRecord(schema)) return [];
  const { type, properties, items, additionalProperties, minItems = 0 } = schema as Sent;
  const below = [...Object.values(properties ?? {}), items, ...Object.values((schema as Sent).$defs ?? {})];
  for (const list of ['anyOf', 'allOf']) below.push(...((schema as Sent)[list] ?? []));
  return [
    ...UNSUPPORTED.filter((key) => key in schema).map((key) => `property '${key}' is not supported`),
    ...(type === 'object' && additionalProperties !== false ? ["'additionalProperties' must be explicitly false"] : []),
    ...((schema as Sent).enum?.some((value: Sent) => typeof value === 'object' && value)
      ? ['enum of complex types']
      : []),
    ...((schema as Sent).$ref?.startsWith('#') === false ? ['external $ref is not supported'] : []),
    ...(minItems > 1 ? ["'minItems' values other than 0 or 1 are not supported"] : []),
    ...below.flatMap(refusedIn),
  ];
}
