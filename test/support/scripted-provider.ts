import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that the provider was sent. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test says what it expects of it
  readonly body: any;
  /** Resolves when the connection is closed before the answer has ended. */
  readonly left: Promise<void>;
}

/** The provider's reaction to one request. */
export type Act = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

export interface ScriptedProvider {
  /** Address for `base_url`. */
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  /** Sets the acts for the next requests, in order; the last one repeats. */
  script(...acts: readonly Act[]): void;
  /** Resolves with the next request, or with one that came already and was not asked for. */
  next(): Promise<SeenRequest>;
  /** Resolves with `seen[index]` once there is one. */
  request(index: number): Promise<SeenRequest>;
  /** As if it had just started. */
  forget(): void;
  close(): Promise<void>;
}

/** A provider of hosted models that does what a test says, over real HTTP. */
export async function startScriptedProvider(first: Act = streams('scripted')): Promise<ScriptedProvider> {
  const seen: SeenRequest[] = [];
  const waiting = new Map<number, PromiseWithResolvers<SeenRequest>>();
  let asked = 0;
  let acts: Act[] = [first];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const left = new Promise<void>((resolve) => {
        response.on('close', () => {
          if (!response.writableEnded) resolve();
        });
      });
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const one: SeenRequest = { path: request.url!, headers: request.headers, body, left };
      waiting.get(seen.push(one) - 1)?.resolve(one);
      void (acts.length > 1 ? acts.shift()! : acts[0]!)(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const requestAt = (index: number) => {
    if (seen[index]) return Promise.resolve(seen[index]);
    if (!waiting.has(index)) waiting.set(index, Promise.withResolvers());
    return waiting.get(index)!.promise;
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    script: (...next) => (acts = [...next]),
    next: () => requestAt(asked++),
    request: requestAt,
    forget() {
      seen.length = 0;
      waiting.clear();
      asked = 0;
      acts = [first];
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface ScriptedUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number; readonly cache_write_tokens?: number };
}

export const SCRIPTED_USAGE: ScriptedUsage = { prompt_tokens: 12, completion_tokens: 3 };

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish_reason: string | null = null) =>
  event({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });

/** A chat completion as a stream, a word at a time. */
export const streams =
  (text: string, usage: ScriptedUsage | null = SCRIPTED_USAGE, finish = 'stop'): Act =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant', content: '' }));
    for (const piece of text.match(/\S*\s*/g) ?? []) if (piece !== '') response.write(chunk({ content: piece }));
    response.write(chunk({}, finish));
    if (usage) response.write(event({ id: 'c', choices: [], usage }));
    response.end('data: [DONE]\n\n');
  };

/** A chat completion as one JSON. */
export const answersWhole =
  (text: string, usage: ScriptedUsage = SCRIPTED_USAGE): Act =>
  (response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ choices: [{ message: { content: text }, finish_reason: 'stop' }], usage }));
  };

/** The first words of a stream, and then nothing: the connection stays open, or is cut. */
export const begins =
  (text: string, then: 'hang' | 'cut' | 'end'): Act =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ content: text }), () => {
      if (then === 'cut') response.destroy();
      if (then === 'end') response.end();
    });
  };

/** Takes the request and never answers. */
export const hangs: Act = () => undefined;

/** Closes the connection without an answer. */
export const cuts: Act = (response) => void response.destroy();

export const refuses =
  (status: number, body: unknown = {}, headers: Readonly<Record<string, string>> = {}): Act =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

/** Status 200 with whatever is given. */
export const sends =
  (text: string, contentType = 'application/json'): Act =>
  (response) => {
    response.writeHead(200, { 'content-type': contentType });
    response.end(text);
  };

/** Streams as fast as the client reads, until it leaves. */
export const floods: Act = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const piece = chunk({ content: 'x'.repeat(64 * 1024) });
  const pour = () => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', pour);
  };
  pour();
};
