import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Content of the scripted provider's key file, which must occur nowhere else. */
export const PROVIDER_KEY = 'sk-scripted-provider-key-0123456789';

export interface HostedSettings {
  /** Settings of a system that serves the scripted provider's models beside the built-in ones. */
  readonly values: { readonly modelCatalog: string; readonly providers: string };
  remove(): Promise<void>;
}

const PRICES = { input_price_per_million: 2, output_price_per_million: 8 };
const decoder = (id: string, more: object = {}) => ({
  ...{ id, label: id, description: 'A scripted decoder.', family: 'acme', task_type: 'decoder', context_window: 8192 },
  ...PRICES,
  ...{ cache_read_multiplier: 0.1, cache_write_multiplier: 1.25 },
  ...{ supports_inference: true, supports_training: false, supports_on_demand_inference: false },
  provider: { name: 'acme', model: id.replace('acme/', '') },
  ...more,
});

/** Hosted models of every kind; `acme/chat` is the ordinary one: $2 in, $8 out, cache reads 0.2 and writes 2.5. */
const MODELS = [
  decoder('acme/chat'),
  decoder('acme/paced'),
  decoder('acme/base', { instruct: false }),
  decoder('acme/embed', { task_type: 'embedding' }),
  decoder('acme/secret', { hidden: true, rollout: 'secret' }),
  decoder('acme/restricted', { blocked_regions: ['KP'] }),
  decoder('acme/train-only', { supports_inference: false }),
];

/** Models beside two providers of Anthropic's style. The one above and the first of them both serve the last two, in different orders. */
const WITH_CLAUDE = [
  // Agents ask for more output than `acme/chat` has room for.
  decoder('acme/agent', { context_window: 200_000 }),
  decoder('acme/claude', { context_window: 200_000, provider: { name: 'claude', model: 'claude' } }),
  decoder('acme/other-claude', { provider: { name: 'other-claude', model: 'claude' } }),
  decoder('acme/chat-or-claude', {
    provider: { name: 'acme', model: 'chat-1', fallbacks: [{ name: 'claude', model: 'claude-2' }] },
  }),
  decoder('acme/claude-or-chat', {
    provider: { name: 'claude', model: 'claude-1', fallbacks: [{ name: 'acme', model: 'chat-2' }] },
  }),
];

/**
 * Writes a catalog and a providers file.
 * @param settings more fields of the providers
 * @param anthropicUrl of a second provider, of Anthropic's style, which serves `acme/claude`
 */
export async function hostedSettings(
  providerUrl: string,
  settings: object = {},
  anthropicUrl: string | null = null,
): Promise<HostedSettings> {
  const directory = await mkdtemp(join(tmpdir(), 'anneal-hosted-'));
  const path = (name: string) => join(directory, name);
  const catalog = JSON.parse(
    readFileSync(new URL('../../libs/models/catalog/catalog.json', import.meta.url), 'utf8'),
  ) as {
    models: object[];
  };
  await writeFile(path('key'), PROVIDER_KEY);
  const all = { api_key_file: path('key'), max_retries: 0, ...settings };
  const anthropic = { style: 'anthropic', base_url: anthropicUrl, ...all };
  const providers = {
    acme: { style: 'openai', base_url: providerUrl, ...all },
    ...(anthropicUrl !== null && { claude: anthropic, 'other-claude': anthropic }),
  };
  const models = [...catalog.models, ...MODELS, ...(anthropicUrl === null ? [] : WITH_CLAUDE)];
  await writeFile(path('providers.json'), JSON.stringify({ providers }));
  await writeFile(path('catalog.json'), JSON.stringify({ ...catalog, models }));
  return {
    values: { modelCatalog: path('catalog.json'), providers: path('providers.json') },
    remove: () => rm(directory, { recursive: true }),
  };
}
