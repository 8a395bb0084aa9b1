import { startTestApi, type TestApi, type TestSystem } from './api.js';
import { hostedSettings } from './hosted-settings.js';
import { startScriptedAnthropic } from './scripted-anthropic.js';
import { startScriptedProvider, type ScriptedProvider } from './scripted-provider.js';

/** A whole system with a scripted provider of each style: of `acme/chat` and its like, and of `acme/claude`. */
export interface HostedApi {
  readonly api: TestApi;
  readonly openai: ScriptedProvider;
  readonly claude: ScriptedProvider;
  close(): Promise<void>;
}

export interface HostedSystem extends HostedApi {
  readonly api: TestSystem;
}

/** @param limits of the providers, as their settings name them */
export async function startHostedApi(limits: object = {}): Promise<HostedSystem> {
  const openai = await startScriptedProvider();
  const claude = await startScriptedAnthropic();
  const hosted = await hostedSettings(openai.url, limits, claude.url);
  const api = await startTestApi(hosted.values);
  return {
    ...{ api, openai, claude },
    async close() {
      await api.close();
      await hosted.remove();
      await openai.close();
      await claude.close();
    },
  };
}

/** The JSON of each event of a stream, and whether it ended with `[DONE]`. */
export function eventsIn(stream: string) {
  const said = stream.split('\n\n').filter((event) => event.startsWith('data: '));
  const isDone = said.at(-1) === 'data: [DONE]';
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test says what it expects of them
  const chunks: any[] = said.slice(0, isDone ? -1 : undefined).map((event) => JSON.parse(event.slice(6)));
  return { chunks, isDone };
}
