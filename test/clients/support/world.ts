import { RATE_LIMITS } from '#use-cases/limits/limit-table.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { hostedSettings } from '#test/support/hosted-settings.js';
import { startScriptedProvider, type ScriptedProvider } from '#test/support/scripted-provider.js';
import { anthropicUpstream } from './anthropic-upstream.js';
import { problemsOf } from './check-exchange.js';
import { Exchanges, type Exchange } from './exchanges.js';
import { openAiUpstream } from './openai-upstream.js';
import { Published } from './published.js';

/** The models that clients are tried on. */
export const MODELS = {
  openai: 'acme/chat',
  anthropic: 'acme/claude',
  encoder: 'anneal/encoder-base-v1',
  base: 'acme/base',
  embedding: 'acme/embed',
  ownEmbedding: 'anneal/embedder-base-v1',
} as const;

/** The options of a client. */
export interface Connection {
  /** Base address including `/v1`. */
  readonly baseUrl: string;
  readonly key: string;
  readonly fetch: typeof fetch;
  readonly retries: number;
}

/** A server with an upstream of each style, and what clients exchange with it. */
export interface World {
  readonly api: TestApi;
  readonly upstreams: { readonly openai: ScriptedProvider; readonly anthropic: ScriptedProvider };
  connection(differing?: Partial<Connection>): Connection;
  /** The key of somebody who has made all the calls that the limits of this minute and the next allow. */
  keyOverLimit(): Promise<string>;
  /** The exchanges since the last call of this. */
  exchanges(): readonly Exchange[];
  /** Problems by the types that the SDKs publish. */
  problemsOf(exchanges: readonly Exchange[]): readonly string[];
  close(): Promise<void>;
}

export async function startWorld(): Promise<World> {
  const published = await Published.read();
  const [openai, anthropic] = await Promise.all([startScriptedProvider(), startScriptedProvider()]);
  openai.script(openAiUpstream(published));
  anthropic.script(anthropicUpstream(published));
  // Tests make upstreams fail one after another: that is no reason not to ask them any more.
  const hosted = await hostedSettings(openai.url, { circuit_failure_percent: 100 }, anthropic.url);
  const api = await startTestApi(hosted.values);
  const exchanges = new Exchanges();
  return {
    ...{ api, upstreams: { openai, anthropic } },
    connection: (differing) => ({
      ...{ baseUrl: `${api.url}/v1`, key: api.key, fetch: exchanges.fetch, retries: 0, ...differing },
    }),
    keyOverLimit: () => keyOverLimit(api),
    exchanges: () => exchanges.all.splice(0),
    problemsOf: (all) => all.flatMap((exchange) => problemsOf(published, exchange)),
    async close() {
      await api.close();
      await hosted.remove();
      await Promise.all([openai.close(), anthropic.close()]);
    },
  };
}

async function keyOverLimit(api: TestApi): Promise<string> {
  const { key, session } = await api.colleague();
  const { body } = await api.call('GET', '/auth/session', undefined, { authorization: `Bearer ${session}` });
  const { name, limit, windowMs } = RATE_LIMITS.inference;
  const window = Math.floor(Date.now() / windowMs);
  for (const each of [window, window + 1]) {
    const counter = `rate:${name}:${body.user_id}:${each}`;
    await api.application.ports.coordination.increment(counter, limit, 3 * windowMs, limit);
  }
  return key;
}
