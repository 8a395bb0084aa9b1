import {
  HostedModelError,
  type GenerateOptions,
  type GenerationEvent,
  type GenerationRequest,
  type HostedModels,
  textMessage,
} from '#calls/hosted/port.js';
import { hostedModels } from '#calls/hosted/open.js';
import { checkProviders } from '#calls/hosted/providers.js';
import { startScriptedAnthropic } from './scripted-anthropic.js';
import type { ScriptedProvider } from './scripted-provider.js';

export const CLAUDE_KEY = 'sk-ant-very-secret-key-1234567890';
export const CLAUDE = { name: 'claude', model: 'claude-1' };
export const CLAUDE_REQUEST: GenerationRequest = { messages: [textMessage('user', 'Say hello')], maxTokens: 20 };

/** A scripted provider of style `anthropic`, and its models as they are used here: anew for each test. */
export class ClaudeForTests {
  provider!: ScriptedProvider;
  models!: HostedModels;

  async start(): Promise<void> {
    this.provider = await startScriptedAnthropic();
    this.open();
  }

  async stop(): Promise<void> {
    await this.models.close();
    await this.provider.close();
  }

  /** @param settings more fields of the provider */
  open(settings: object = {}): void {
    const claude = { style: 'anthropic', base_url: this.provider.url, api_key_env: 'KEY', max_retries: 0, ...settings };
    this.models = hostedModels(checkProviders({ providers: { claude } }, { KEY: CLAUDE_KEY }));
  }

  batches(asked = CLAUDE_REQUEST, options?: GenerateOptions): Promise<(readonly GenerationEvent[])[]> {
    return Array.fromAsync(this.models.generate(CLAUDE, asked, options));
  }

  async generate(asked = CLAUDE_REQUEST, options?: GenerateOptions): Promise<GenerationEvent[]> {
    return (await this.batches(asked, options)).flat();
  }

  async failure(asked = CLAUDE_REQUEST, options?: GenerateOptions): Promise<HostedModelError> {
    const error = await this.generate(asked, options).catch((reason: unknown) => reason);
    if (error instanceof HostedModelError) return error;
    throw new Error('it did not fail as a hosted model does', { cause: error });
  }

  /** The body that the provider was sent. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test says what it expects of it
  async sent(asked: Partial<GenerationRequest>, options?: GenerateOptions): Promise<any> {
    await this.generate({ ...CLAUDE_REQUEST, ...asked }, options);
    return this.provider.seen.at(-1)!.body;
  }
}
