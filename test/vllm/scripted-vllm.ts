import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** A request to generate, as the server was sent it. */
export interface AskedOfVllm {
  readonly path: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test says what it expects of it
  readonly body: any;
  /** Resolves when the connection is closed before the answer has ended. */
  readonly left: Promise<void>;
}

export type VllmAct = (response: ServerResponse, asked: AskedOfVllm) => void | Promise<void>;

interface Options {
  /** Name of the base model. */
  readonly model: string;
  readonly apiKey?: string;
  /** The server's view of a folder: paths of adapters begin with it; default: as the sender sees it. */
  readonly mounted?: { readonly at: string; readonly from: string };
  readonly maxModelLen?: number;
  /** Port to listen on again. */
  readonly port?: number;
}

export interface ScriptedVllm {
  /** Address for `base_url`. */
  readonly url: string;
  /** Adapters that are loaded, by name: the paths that they were loaded from. */
  readonly adapters: ReadonlyMap<string, string>;
  /** Each call of the LoRA routes, such as `load NAME`. */
  readonly changes: readonly string[];
  readonly asked: readonly AskedOfVllm[];
  /** Paths of all requests. */
  readonly paths: readonly string[];
  /** Scripts the next answers, in order; the last one repeats. */
  script(...acts: readonly VllmAct[]): void;
  /** Whether `/health` says that the engine is there. */
  isHealthy: boolean;
  /** Whether the LoRA routes exist. */
  takesAdapters: boolean;
  /** Loses the adapters, as a server that starts again does. */
  restart(): void;
  close(): Promise<void>;
}

/**
 * A server with vLLM's routes, statuses and bodies, as its documentation and sources have them (0.12 and later): `/health`,
 * `/v1/models`, `/v1/load_lora_adapter`, `/v1/unload_lora_adapter`, `/v1/chat/completions` and `/v1/completions`.
 */
export async function startScriptedVllm(options: Options): Promise<ScriptedVllm> {
  const { model, apiKey, mounted, maxModelLen = 64 } = options;
  const adapters = new Map<string, string>();
  const changes: string[] = [];
  const asked: AskedOfVllm[] = [];
  const paths: string[] = [];
  let acts: VllmAct[] = [says('scripted')];
  const isAdapter = (path: string) => {
    const here = mounted ? path.replace(mounted.at, mounted.from) : path;
    return ['adapter_config.json', 'adapter_model.safetensors'].every((file) => existsSync(join(here, file)));
  };
  const server: ScriptedVllm & { isHealthy: boolean; takesAdapters: boolean } = {
    ...{ url: '', adapters, changes, asked, paths, isHealthy: true, takesAdapters: true },
    script: (...next) => (acts = [...next]),
    restart: () => adapters.clear(),
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url!;
    paths.push(path);
    if (path === '/health') return void response.writeHead(server.isHealthy ? 200 : 503).end();
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`)
      return json(response, 401, { error: 'Unauthorized' });
    if (path === '/v1/models') {
      const data = [{ id: model, object: 'model', max_model_len: maxModelLen }];
      const loaded = [...adapters].map(([id, root]) => ({ id, object: 'model', root, parent: model }));
      return json(response, 200, { object: 'list', data: [...data, ...loaded] });
    }
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
    if (path.endsWith('_lora_adapter') && server.takesAdapters) return change(path, body, response);
    if (path !== '/v1/chat/completions' && path !== '/v1/completions')
      return json(response, 404, { detail: 'Not Found' });
    if (body['model'] !== model && !adapters.has(body['model'] as string))
      return failed(response, 404, 'NotFoundError', `The model \`${String(body['model'])}\` does not exist.`, 'model');
    const left = new Promise<void>((resolve) => {
      response.on('close', () => {
        if (!response.writableEnded) resolve();
      });
    });
    const one: AskedOfVllm = { path, body, left };
    asked.push(one);
    await (acts.length > 1 ? acts.shift()! : acts[0]!)(response, one);
  };
  const change = (path: string, body: Record<string, unknown>, response: ServerResponse) => {
    const name = body['lora_name'] as string;
    const isLoad = path === '/v1/load_lora_adapter';
    changes.push(`${isLoad ? 'load' : 'unload'} ${name}`);
    if (!isLoad) {
      if (!adapters.delete(name))
        return failed(response, 404, 'NotFoundError', `The lora adapter '${name}' cannot be found.`);
      return void response.end(`Success: LoRA adapter '${name}' removed successfully.`);
    }
    const at = body['lora_path'] as string;
    if (adapters.has(name))
      return failed(response, 400, 'InvalidUserInput', `The lora adapter '${name}' has already been loaded.`);
    if (!isAdapter(at))
      return failed(response, 404, 'NotFoundError', `Loading lora ${name} failed: No adapter found for ${at}`);
    adapters.set(name, at);
    return void response.end(`Success: LoRA adapter '${name}' added successfully.`);
  };
  const http = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => http.listen(options.port ?? 0, '127.0.0.1', resolve));
  return Object.assign(server, { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1` });
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function failed(
  response: ServerResponse,
  code: number,
  type: string,
  message: string,
  param: string | null = null,
): void {
  json(response, code, { error: { message, type, param, code } });
}

/** Refuses a request as vLLM does. */
export const refuses =
  (status: number, message: string, param: string | null = null): VllmAct =>
  (response) =>
    failed(response, status, status === 400 ? 'BadRequestError' : 'InternalServerError', message, param);

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

/** The chunk of a piece of text in the style of the route. */
const piece = ({ path, body }: AskedOfVllm, fields: object, text: object) =>
  event({
    ...{ id: 'c', created: 1, model: (body as { model: string }).model },
    choices: [{ index: 0, finish_reason: null, stop_reason: null, ...fields, ...(path.includes('chat') ? text : {}) }],
  });

interface Said {
  readonly finish?: 'stop' | 'length' | 'tool_calls';
  /** The stop sequence that ended it. */
  readonly stopped?: string;
  readonly usage?: object | null;
  /** Deltas of a chat in place of the text. */
  readonly deltas?: readonly object[];
  /** Log probabilities of the first piece. */
  readonly logprobs?: object;
}

/** Streams a text, a word at a time, and its usage. */
export const says =
  (text: string, { finish = 'stop', stopped, usage, deltas, logprobs }: Said = {}): VllmAct =>
  (response, asked) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const words = (text.match(/\S*\s*/g) ?? []).filter((word) => word !== '');
    if (asked.path.includes('chat')) response.write(piece(asked, {}, { delta: { role: 'assistant', content: '' } }));
    for (const delta of deltas ?? []) response.write(piece(asked, {}, { delta }));
    for (const [index, word] of words.entries()) {
      const more = index === 0 && logprobs ? { logprobs } : {};
      response.write(piece(asked, { text: word, ...more }, { text: undefined, delta: { content: word } }));
    }
    const end = { text: '', finish_reason: finish, stop_reason: stopped ?? null };
    response.write(piece(asked, end, { text: undefined, delta: {} }));
    const counted = usage === undefined ? { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } : usage;
    if (counted) response.write(event({ id: 'c', choices: [], usage: counted }));
    response.end('data: [DONE]\n\n');
  };

/** Streams one word and then nothing, or breaks off. */
export const begins =
  (word: string, then: 'hang' | 'cut'): VllmAct =>
  (response, asked) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(piece(asked, { text: word }, { text: undefined, delta: { content: word } }), () => {
      if (then === 'cut') response.destroy();
    });
  };
