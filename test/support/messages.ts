import type { Answer, TestApi } from './api.js';
import type { ScriptedProvider } from './scripted-provider.js';
import { sharedHostedApi } from './shared-api.js';

/** A system with a model of each style behind `POST /v1/messages`. */
export interface ServedMessages {
  readonly api: TestApi;
  /** Serves `acme/chat`, by the openai style. */
  readonly acme: ScriptedProvider;
  /** Serves `acme/claude`. */
  readonly claude: ScriptedProvider;
  post(body: unknown, headers?: Record<string, string>, path?: string): Promise<Answer>;
  /** A body for `acme/chat`; a stream: its events. @throws where an event's name is not its type */
  stream(body: object, headers?: Record<string, string>): Promise<readonly StreamEvent[]>;
  close(): Promise<void>;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test says what it expects of it
export type StreamEvent = any;

export const ASKED = {
  model: 'acme/chat',
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Say hello' }],
} as const;
export const CLAUDE = { ...ASKED, model: 'acme/claude' } as const;

export async function serveMessages(): Promise<ServedMessages> {
  const hosted = await sharedHostedApi();
  const { api, openai: acme, claude } = hosted;
  const post: ServedMessages['post'] = (body, headers = {}, path = '/v1/messages') =>
    api.call('POST', path, body, { 'x-api-key': api.key, ...headers });
  return {
    ...{ api, acme, claude, post },
    async stream(body, headers) {
      const { status, body: text } = await post({ ...body, stream: true }, headers);
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(text)}`);
      return eventsOf(text as string);
    },
    close: () => hosted.close(),
  };
}

export function eventsOf(text: string): readonly StreamEvent[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((each) => {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(each) ?? [];
      const event = JSON.parse(data!) as { type: string };
      if (event.type !== name) throw new Error(`${name} is not ${event.type}`);
      return event;
    });
}

/** The message that a client puts together from a stream; the text of an input stays as it came. */
export function messageOf(events: readonly StreamEvent[]): StreamEvent {
  const [{ message }] = events;
  const content: StreamEvent[] = [];
  for (const { type, content_block, delta, ...event } of events.slice(1))
    if (type === 'content_block_start') content.push({ ...content_block });
    else if (type === 'content_block_delta') add(content[event.index], delta);
    else if (type === 'message_delta') Object.assign(message, delta, { usage: { ...message.usage, ...event.usage } });
  return { ...message, content };
}

function add(block: StreamEvent, { type, ...delta }: StreamEvent): void {
  if (type === 'input_json_delta') block.json = (block.json ?? '') + delta.partial_json;
  else if (type === 'citations_delta') block.citations = [...(block.citations ?? []), delta.citation];
  else for (const [name, piece] of Object.entries(delta)) block[name] = `${block[name] ?? ''}${piece}`;
}
