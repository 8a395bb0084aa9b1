import { createParser } from 'eventsource-parser';
import type { Exchange } from './exchanges.js';
import type { Published } from './published.js';

type Value = Readonly<Record<string, unknown>>;

interface Sent {
  readonly name: string | undefined;
  /** null: `[DONE]`. */
  readonly value: Value | null;
}

/** Holds each event of a stream to a published type, and their order to what the dialect promises. */
export function streamProblems(published: Published, type: string, { text, whole }: Exchange): readonly string[] {
  const sent = eventsOf(text);
  const values = valuesOf(sent);
  const mistyped = values.flatMap((value) => published.problem(...typed(type, value)) ?? []);
  const named = type === 'ChatChunk' || type === 'TextAnswer' ? [] : sent.flatMap(misnamed);
  return [...mistyped, ...named, ...(whole ? disorder(type, sent) : [])];
}

const valuesOf = (sent: readonly Sent[]): readonly Value[] =>
  sent.flatMap(({ value }) => (value === null ? [] : [value]));

function eventsOf(text: string): readonly Sent[] {
  const sent: Sent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) =>
      sent.push({ name: event, value: data === '[DONE]' ? null : (JSON.parse(data) as Value) }),
  });
  parser.feed(text);
  return sent;
}

/** The type that a value is held to: errors in mid-stream have one of their own. */
function typed(type: string, value: Value): [type: string, value: unknown] {
  if (type === 'MessagesEvent' && value['type'] === 'error') return ['AnthropicError', value];
  if (type !== 'MessagesEvent' && type !== 'ResponsesEvent' && 'error' in value) return ['OpenAiError', value['error']];
  if (type === 'ResponsesEvent') return [type, counted(value)];
  return [type, type === 'TextAnswer' ? finished(value) : value];
}

/** An event of a response that has begun: the API sends null for its usage, which its type has not. */
function counted(value: Value): Value {
  const { response } = value;
  if (typeof response !== 'object' || response === null) return value;
  const { usage, ...rest } = response as Value;
  const hasBegun = /^response\.(?:created|in_progress)$/.test(String(value['type']));
  return { ...value, response: hasBegun && usage === null ? rest : response };
}

/** A piece of a text completion, which has the type of a whole one: it says why it ended before it has, and the API sends null. */
function finished(value: Value): Value {
  const choices = value['choices'] as readonly Value[];
  return { ...value, choices: choices.map((one) => ({ ...one, finish_reason: one['finish_reason'] ?? 'stop' })) };
}

const misnamed = ({ name, value }: Sent): readonly string[] =>
  value !== null && value['type'] === name ? [] : [`an event ${name} of type ${JSON.stringify(value?.['type'])}`];

/** Checks the order of a complete stream. */
function disorder(type: string, sent: readonly Sent[]): readonly string[] {
  const last = sent.at(-1)?.value;
  switch (type) {
    case 'ResponsesEvent':
      return [
        ...unless(sent[0]?.value?.['type'] === 'response.created', 'does not begin with response.created'),
        ...unless(
          sent.every(({ value }, index) => value?.['sequence_number'] === index),
          'sequence_number does not count from 0',
        ),
        ...unless(
          /^(?:error|response\.(?:completed|incomplete|failed))$/.test(String(last?.['type'])),
          `ends with ${String(last?.['type'])}`,
        ),
      ];
    case 'MessagesEvent':
      return messagesDisorder(valuesOf(sent));
    default:
      return unless(last === null || (last !== undefined && 'error' in last), 'does not end with [DONE]');
  }
}

/** message_start, then blocks one after another, message_delta, message_stop; an error may cut it short. */
function messagesDisorder(values: readonly Value[]): readonly string[] {
  const letters = values.map(({ type }) => LETTERS[String(type)] ?? '?').join('');
  const indexes = values.flatMap(({ type, index }) => (type === 'content_block_start' ? [index] : []));
  return [
    ...unless(/^M(?:B[d]*E)*DX$|^M?(?:B[d]*E)*(?:B[d]*)?D?!$/.test(letters.replaceAll('p', '')), `comes as ${letters}`),
    ...unless(
      indexes.every((index, at) => index === at),
      `blocks are numbered ${indexes.join(', ')}`,
    ),
  ];
}

const LETTERS: Readonly<Record<string, string>> = {
  message_start: 'M',
  content_block_start: 'B',
  content_block_delta: 'd',
  content_block_stop: 'E',
  message_delta: 'D',
  message_stop: 'X',
  ping: 'p',
  error: '!',
};

const unless = (holds: boolean, problem: string): readonly string[] => (holds ? [] : [problem]);
