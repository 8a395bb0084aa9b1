import type { Provider } from '#calls/hosted/providers.js';
import { EngineUnavailableError } from '../decoder-engine.js';

const HEALTH_MS = 5_000;
const MODELS_MS = 10_000;
/** An adapter of some hundred megabytes from a network's disk. */
const LOAD_MS = 60_000;
const MAX_LOGGED_CHARACTERS = 1_000;

const NOT_READY = 'The server that generates with this model is not ready';

/**
 * The routes of vLLM other than generation: its models, and loading of adapters
 * (https://docs.vllm.ai/en/latest/features/lora/). Callers learn that the server cannot do something; the reason goes
 * to the operator's log.
 */
export class LoraRoutes {
  private readonly headers: Readonly<Record<string, string>>;

  constructor(private readonly server: Provider) {
    const { key, headers } = server;
    this.headers = { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers };
  }

  /** @throws EngineUnavailableError when the server does not answer, or reports that its engine has died */
  async health(): Promise<void> {
    const { status, text } = await this.ask('GET', new URL('/health', this.server.baseUrl).href, HEALTH_MS);
    if (status !== 200) throw this.failed(NOT_READY, `is not healthy (status ${status}): ${text}`);
  }

  /** Names of the models and adapters that it serves. @throws EngineUnavailableError */
  async models(): Promise<readonly string[]> {
    const { status, text } = await this.ask('GET', `${this.server.baseUrl}/models`, MODELS_MS);
    if (status !== 200) throw this.failed(NOT_READY, `does not list its models (status ${status}): ${text}`);
    const names = namesIn(text);
    if (names === null) throw this.failed(NOT_READY, 'answered /models with something that is no list of models');
    return names;
  }

  /** @param path of the adapter's folder as the server sees it @throws EngineUnavailableError */
  async load(name: string, path: string): Promise<void> {
    const { status, text } = await this.ask('POST', `${this.server.baseUrl}/load_lora_adapter`, LOAD_MS, {
      lora_name: name,
      lora_path: path,
    });
    // The answer to an earlier request may have been lost.
    if (status === 200 || (status === 400 && ALREADY_LOADED.test(text))) return;
    const hint = status === 404 && !/lora|adapter/i.test(text) ? `; ${SWITCHED_OFF}` : '';
    throw this.failed(
      "The server that generates with this model cannot load the model's adapter",
      `does not load the adapter ${path} (status ${status}): ${text}${hint}`,
    );
  }

  /** Lets the server forget an adapter. A failure is logged only: it holds a place there until the server starts again. */
  async unload(name: string): Promise<void> {
    const url = `${this.server.baseUrl}/unload_lora_adapter`;
    const answer = await this.ask('POST', url, LOAD_MS, { lora_name: name }).catch(() => null);
    if (answer && answer.status !== 200 && answer.status !== 404)
      this.log(`does not unload the adapter ${name} (status ${answer.status}): ${answer.text}`);
  }

  /** Writes a line for the operator. */
  log(line: string): void {
    console.error(`generation server ${this.server.name} ${this.withoutKey(line)}`);
  }

  private failed(message: string, line: string): EngineUnavailableError {
    this.log(line);
    return new EngineUnavailableError(message);
  }

  private async ask(
    method: 'GET' | 'POST',
    url: string,
    patienceMs: number,
    body?: object,
  ): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const answer = await fetch(url, {
        ...{ method, redirect: 'error', signal: AbortSignal.timeout(patienceMs) },
        headers: { ...this.headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, text: await answer.text() };
    } catch (error) {
      const { name, cause } = error as Error & { cause?: { code?: string } };
      const why = name === 'TimeoutError' ? `did not answer within ${patienceMs / 1_000} s` : 'cannot be reached';
      throw this.failed(
        NOT_READY,
        `${why} (${method} ${new URL(url).pathname}${cause?.code ? `, ${cause.code}` : ''})`,
      );
    }
  }

  private withoutKey(line: string): string {
    const { key } = this.server;
    const said = key === null ? line : line.replaceAll(key, '[key]');
    return said.length > MAX_LOGGED_CHARACTERS ? `${said.slice(0, MAX_LOGGED_CHARACTERS)}...` : said;
  }
}

const ALREADY_LOADED = /already been\s*loaded/;
const SWITCHED_OFF = 'start it with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True';

function namesIn(text: string): readonly string[] | null {
  try {
    const { data } = JSON.parse(text) as { readonly data: readonly { readonly id: string }[] };
    return data.map(({ id }) => id);
  } catch {
    return null;
  }
}
