import type { ServerResponse } from 'node:http';
import { SCRIPTED_USAGE, type Act, type ScriptedUsage, type SeenRequest } from './scripted-provider.js';

/** The content of a choice in a scripted chat completion, in this order. */
export interface ScriptedChoice {
  readonly thinking?: string;
  readonly text?: string;
  readonly refusal?: string;
  /** Parallel ones are streamed interleaved. `input` as JSON text. */
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly input: string }[];
  /** `tool_calls` where there are some, else `stop`. */
  readonly finish?: string;
}

export interface ScriptedOptions {
  /** null: nothing is said of it. */
  readonly usage?: ScriptedUsage | null;
  /** Additional fields of the answer and of each chunk, such as `system_fingerprint`. */
  readonly fields?: object;
  /** The answer goes on after its first piece when this resolves. */
  readonly hold?: Promise<unknown>;
  /** Streams only: sent as `{error}` in place of the end. */
  readonly error?: object;
}

/**
 * Answers a chat completion as requested: whole or as a stream, `n` times (scripted choices are repeated), with log
 * probabilities on request (each word is a token), with usage at the end.
 */
export const answers =
  (said: string | ScriptedChoice | readonly ScriptedChoice[], options: ScriptedOptions = {}): Act =>
  async (response, { body }) => {
    const given = typeof said === 'string' ? [{ text: said }] : Array.isArray(said) ? said : [said as ScriptedChoice];
    const count = Math.max(given.length, body.n ?? 1);
    const choices: readonly ScriptedChoice[] = Array.from(
      { length: count },
      (_, index) => given[index % given.length]!,
    );
    const head = { id: 'chatcmpl-scripted', created: 1_700_000_000, model: body.model, ...options.fields };
    if (body.stream) {
      const pieces = interleaved(choices.map((choice, index) => deltas(choice, index, body))).map((choice) => ({
        ...{ ...head, object: 'chat.completion.chunk', choices: [choice] },
      }));
      return stream(response, body, pieces, head, options);
    }
    await options.hold;
    const whole = choices.map((choice, index) => ({
      ...{ index, message: messageOf(choice), finish_reason: finishOf(choice) },
      logprobs: body.logprobs ? { content: words(choice.text ?? '').map((word) => logprob(word, body)) } : null,
    }));
    sendJson(response, { ...head, object: 'chat.completion', choices: whole }, options);
  };

/** Answers a text completion as requested: `n` times for each prompt, echoing it on request. */
export const completes =
  (text: string, options: ScriptedOptions = {}): Act =>
  async (response, { body }) => {
    const prompts: readonly string[] = typeof body.prompt === 'string' ? [body.prompt] : body.prompt;
    const texts = prompts.flatMap((prompt) =>
      Array.from({ length: body.n ?? 1 }, () => (body.echo ? prompt : '') + text),
    );
    const head = {
      ...{ id: 'cmpl-scripted', object: 'text_completion', created: 1_700_000_000, model: body.model },
      ...options.fields,
    };
    const choiceOf = (said: string, index: number, finish_reason: string | null) => ({
      ...{ index, text: said, finish_reason },
      logprobs: typeof body.logprobs === 'number' ? legacyLogprobs(words(said), body.logprobs) : null,
    });
    if (body.stream) {
      const pieces = texts.map((said, index) => [
        ...words(said).map((word) => choiceOf(word, index, null)),
        choiceOf('', index, 'stop'),
      ]);
      return stream(
        response,
        body,
        interleaved(pieces).map((choice) => ({ ...head, choices: [choice] })),
        head,
        options,
      );
    }
    await options.hold;
    sendJson(response, { ...head, choices: texts.map((said, index) => choiceOf(said, index, 'stop')) }, options);
  };

/** Answers embeddings as requested: lists of numbers or base64, with `dimensions` numbers (default 8). */
export const embeds =
  (vectorOf = scriptedVector): Act =>
  (response, { body }) => {
    const isOne = typeof body.input === 'string' || typeof body.input[0] === 'number';
    const inputs: readonly unknown[] = isOne ? [body.input] : body.input;
    const data = inputs.map((input, index) => {
      const vector = vectorOf(String(input), body.dimensions ?? 8);
      const base64 = () => Buffer.from(Float32Array.from(vector).buffer).toString('base64');
      return { object: 'embedding', index, embedding: body.encoding_format === 'base64' ? base64() : vector };
    });
    const usage = { prompt_tokens: inputs.length * 3, total_tokens: inputs.length * 3 };
    sendJson(response, { object: 'list', model: body.model, data }, { usage });
  };

/** A vector that differs by text; its numbers are exact in 32 bits. */
export const scriptedVector = (text: string, dimensions: number): readonly number[] =>
  Array.from({ length: dimensions }, (_, index) => ((text.charCodeAt(index % text.length) || 0) + index) / 256);

/** Chooses the act by path: `chat/completions`, `completions`, `embeddings`. */
export const byPath =
  (acts: Readonly<Record<string, Act>>): Act =>
  (response, request) =>
    acts[request.path.replace(/^.*?\/v1\//, '')]!(response, request);

async function stream(
  response: ServerResponse,
  body: SeenRequest['body'],
  pieces: readonly { readonly choices: readonly { readonly finish_reason: string | null }[] }[],
  head: object,
  { usage = SCRIPTED_USAGE, hold, error }: ScriptedOptions,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [index, piece] of pieces.entries()) {
    if (index === 1) await hold;
    if (!error || piece.choices[0]!.finish_reason === null) response.write(event(piece));
  }
  if (error) return void response.end(event({ error }));
  if (usage && body.stream_options?.include_usage) response.write(event({ ...head, choices: [], usage }));
  response.end('data: [DONE]\n\n');
}

function sendJson(response: ServerResponse, value: object, { usage = SCRIPTED_USAGE }: { usage?: unknown }): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ ...value, ...(usage !== null && { usage }) }));
}

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const words = (text: string): readonly string[] => text.match(/\S+\s*|\s+/g) ?? [];

/** The first of each, then the second of each, as parallel choices and calls are streamed. */
function interleaved<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => (index < list.length ? [list[index]!] : [])),
  ).flat();
}

const finishOf = ({ finish, toolCalls }: ScriptedChoice) => finish ?? (toolCalls ? 'tool_calls' : 'stop');

function messageOf({ thinking, text, refusal, toolCalls }: ScriptedChoice) {
  return {
    ...{ role: 'assistant', content: text ?? null, refusal: refusal ?? null },
    ...(thinking !== undefined && { reasoning_content: thinking }),
    ...(toolCalls && { tool_calls: toolCalls.map(toolCall) }),
  };
}

const toolCall = ({ id, name, input }: { id: string; name: string; input: string }) => ({
  ...{ id, type: 'function', function: { name, arguments: input } },
});

function deltas(choice: ScriptedChoice, index: number, body: SeenRequest['body']) {
  const { thinking = '', text = '', refusal = '', toolCalls = [] } = choice;
  const calls = toolCalls.map((call, number) => [
    { tool_calls: [{ index: number, ...toolCall({ ...call, input: '' }) }] },
    ...halves(call.input).map((part) => ({ tool_calls: [{ index: number, function: { arguments: part } }] })),
  ]);
  const said: object[] = [
    { role: 'assistant', content: '' },
    ...words(thinking).map((word) => ({ reasoning_content: word })),
    ...words(text).map((word) => ({ content: word })),
    ...words(refusal).map((word) => ({ refusal: word })),
    ...interleaved(calls),
  ];
  const plain = said.map((delta) => ({
    ...{ index, delta, finish_reason: null },
    logprobs:
      body.logprobs && 'content' in delta && delta.content
        ? { content: [logprob(delta.content as string, body)] }
        : null,
  }));
  return [...plain, { index, delta: {}, finish_reason: finishOf(choice), logprobs: null }];
}

const halves = (text: string): readonly string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '');
};

const logprob = (token: string, body: SeenRequest['body']) => ({
  ...{ token, logprob: -0.5, bytes: [...Buffer.from(token)] },
  top_logprobs: others(token, body.top_logprobs ?? 0).map(([other, value]) => ({
    ...{ token: other, logprob: value, bytes: [...Buffer.from(other)] },
  })),
});

const others = (token: string, count: number): readonly (readonly [string, number])[] =>
  Array.from({ length: count }, (_, index) => [index === 0 ? token : `${token}${index}`, -0.5 - index] as const);

const legacyLogprobs = (tokens: readonly string[], top: number) => ({
  tokens,
  token_logprobs: tokens.map(() => -0.5),
  top_logprobs: tokens.map((token) => Object.fromEntries(others(token, top))),
  text_offset: tokens.map((_, index) => tokens.slice(0, index).join('').length),
});
