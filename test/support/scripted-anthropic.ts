import { startScriptedProvider, type Act, type ScriptedProvider } from './scripted-provider.js';

/** A content block, whole, as `POST /messages` answers it. */
export type ScriptedBlock = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface ScriptedMessage {
  /** A text is one text block. */
  readonly content: string | readonly ScriptedBlock[];
  /** `tool_use` where there is such a block, else `end_turn`. */
  readonly stopReason?: string;
  readonly stopSequence?: string;
  /** Usage; `count_tokens` answers its `input_tokens`. null: no usage. */
  readonly usage?: ScriptedMessageUsage | null;
  /** Additional fields of the message, such as `container`. */
  readonly fields?: object;
  /** The answer goes on after its first piece of content when this resolves. */
  readonly hold?: Promise<unknown>;
  /** Replaces the end of a stream: an error event, or a way to leave the connection. */
  readonly breaksOff?: ScriptedFailure | 'hang' | 'cut' | 'end';
}

export interface ScriptedMessageUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly [more: string]: unknown;
}

export interface ScriptedFailure {
  readonly type: string;
  readonly message: string;
}

export const SCRIPTED_MESSAGE_USAGE: ScriptedMessageUsage = { input_tokens: 12, output_tokens: 3 };

/** A provider of style `anthropic` that does what a test says: acts of this file, and those of no style (`hangs`, `cuts`). */
export const startScriptedAnthropic = (): Promise<ScriptedProvider> => startScriptedProvider(says('scripted'));

/** Answers `POST /messages` as requested, as a stream word by word or whole, and `POST /messages/count_tokens`. */
export const says =
  (said: string | ScriptedMessage): Act =>
  async (response, { path, body }) => {
    const message = typeof said === 'string' ? { content: said } : said;
    const usage = message.usage === undefined ? SCRIPTED_MESSAGE_USAGE : message.usage;
    if (path.endsWith('/count_tokens')) return void response.end(JSON.stringify({ input_tokens: usage?.input_tokens }));
    const blocks = typeof message.content === 'string' ? [textBlock(message.content)] : message.content;
    const stop = {
      stop_reason: message.stopReason ?? (blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn'),
      stop_sequence: message.stopSequence ?? null,
    };
    const head = { id: 'msg_scripted', type: 'message', role: 'assistant', model: body.model, ...message.fields };
    if (body.stream !== true) {
      await message.hold;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...head, content: blocks, ...stop, ...(usage && { usage }) }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    const send = (type: string, fields: object = {}) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
    send('message_start', {
      message: {
        ...{ ...head, content: [], stop_reason: null, stop_sequence: null },
        ...(usage && { usage: { ...usage, output_tokens: 1 } }),
      },
    });
    send('ping');
    for (const [index, block] of blocks.entries()) {
      const [start, ...deltas] = pieces(block);
      send('content_block_start', { index, content_block: start });
      for (const [number, delta] of deltas.entries()) {
        send('content_block_delta', { index, delta });
        if (index === 0 && number === 0) await message.hold;
      }
      if (message.breaksOff === undefined || index < blocks.length - 1) send('content_block_stop', { index });
    }
    if (message.breaksOff === 'hang') return;
    if (message.breaksOff === 'cut') return void response.write('', () => response.destroy());
    if (message.breaksOff === 'end') return void response.end();
    if (message.breaksOff !== undefined) {
      send('error', { error: message.breaksOff });
      return void response.end();
    }
    send('message_delta', { delta: stop, ...(usage && { usage: { output_tokens: usage.output_tokens } }) });
    send('message_stop');
    response.end();
  };

/** An error of that API, before anything of an answer: `overloaded_error` with 529, `rate_limit_error` with 429. */
export const fails =
  (status: number, error: ScriptedFailure, headers: Readonly<Record<string, string>> = {}): Act =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_scripted', ...headers });
    response.end(JSON.stringify({ type: 'error', error, request_id: 'req_scripted' }));
  };

export const textBlock = (text: string): ScriptedBlock => ({ type: 'text', text });
export const thinkingBlock = (thinking: string, signature: string): ScriptedBlock => ({
  ...{ type: 'thinking', thinking, signature },
});
export const toolUseBlock = (id: string, name: string, input: object): ScriptedBlock => ({
  ...{ type: 'tool_use', id, name, input },
});

/** A block as it is streamed: how it starts, and its deltas. */
function pieces(block: ScriptedBlock): readonly object[] {
  const { type, text, citations, thinking, signature, input } = block;
  const words = (all: unknown) => String(all).match(/\S+\s*|\s+/g) ?? [];
  switch (type) {
    case 'text': {
      const cited = ((citations ?? []) as readonly object[]).map((citation) => ({ type: 'citations_delta', citation }));
      return [
        { ...block, text: '', ...(citations !== undefined && { citations: [] }) },
        // Citations of pages come before the text, those of documents between its words.
        ...cited.slice(0, 1),
        ...words(text).map((word) => ({ type: 'text_delta', text: word })),
        ...cited.slice(1),
      ];
    }
    case 'thinking':
      return [
        { ...block, thinking: '', signature: '' },
        ...words(thinking).map((word) => ({ type: 'thinking_delta', thinking: word })),
        { type: 'signature_delta', signature },
      ];
    case 'tool_use':
    case 'server_tool_use': {
      const json = JSON.stringify(input);
      const half = Math.ceil(json.length / 2);
      return [
        { ...block, input: {} },
        ...['', json.slice(0, half), json.slice(half)].map((partial) => ({
          ...{ type: 'input_json_delta', partial_json: partial },
        })),
      ];
    }
    default:
      return [block];
  }
}
