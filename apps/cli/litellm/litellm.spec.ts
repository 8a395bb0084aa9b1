import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '#domain/json.js';
import { checkProviders } from '#calls/hosted/providers.js';
import { checkCatalog } from '#models/catalog/check.js';
import { builtInCatalog } from '#models/catalog/read.js';
import { besideBuiltIn } from './beside-built-in.js';
import { readConfig } from './config.js';
import { keyCommandsOf } from './keys.js';

const model = (model_name: string, litellm_params: JsonObject, model_info?: JsonObject): JsonObject => ({
  ...{ model_name, litellm_params },
  ...(model_info && { model_info }),
});
const read = (...model_list: readonly JsonObject[]) => readConfig({ model_list }, {});
const azure = { model: 'azure/mine', api_base: 'os.environ/AZURE_API_BASE', api_key: 'os.environ/AZURE_API_KEY' };

describe("a configuration of LiteLLM's proxy", () => {
  it('becomes providers with references to variables, and models with prices for a million tokens', () => {
    const { providers, models, variables, notes } = read(
      model(
        'gpt-4o',
        { model: 'openai/gpt-4o', api_key: 'os.environ/MY_KEY', input_cost_per_token: 0.0000025, timeout: 90 },
        { max_input_tokens: 128_000, output_cost_per_token: 0.00001 },
      ),
    );
    expect(providers).toEqual({
      openai: {
        ...{ style: 'openai', base_url: 'https://api.openai.com/v1', api_key_env: 'MY_KEY' },
        ...{ max_tokens_field: 'max_completion_tokens', total_timeout_ms: 90_000 },
      },
    });
    expect(models).toMatchObject([
      {
        ...{
          id: 'gpt-4o',
          task_type: 'decoder',
          context_window: 128_000,
          provider: { name: 'openai', model: 'gpt-4o' },
        },
        ...{ input_price_per_million: 2.5, output_price_per_million: 10 },
      },
    ]);
    expect([[...variables], notes]).toEqual([[['MY_KEY', null]], []]);
  });

  it('never shows a key that it has literally, and gives each a variable that nothing else means', () => {
    const config = read(
      model('a', { model: 'gpt-4o', api_key: 'sk-one', rpm: 5 }),
      model('b', { model: 'gpt-4o', api_key: 'sk-two' }),
      model('c', { model: 'gpt-4o' }),
      model('d', { model: 'openai/gpt-5', api_key: 'sk-one', extra_headers: { 'x-secret': 'sk-three' } }),
    );
    expect(config.models.map(({ provider }) => (provider as JsonObject)['name'])).toEqual([
      ...['openai', 'openai-2', 'openai-3', 'openai'],
    ]);
    expect([...config.variables.keys()]).toEqual(['OPENAI_API_KEY_2', 'OPENAI_API_KEY_3', 'OPENAI_API_KEY']);
    expect(config.notes).toContain('"a": rpm left out');
    expect(config.notes).toContain('"d": extra_headers left out');
    expect(JSON.stringify([config.providers, config.models, [...config.variables], config.notes])).not.toMatch(/sk-/);
  });

  it.each([
    ['anthropic/claude-x', {}, { style: 'anthropic', base_url: 'https://api.anthropic.com/v1' }, 'claude-x'],
    ['claude-x', {}, { style: 'anthropic', api_key_env: 'ANTHROPIC_API_KEY' }, 'claude-x'],
    ['azure/mine', { api_base: 'https://acme.example/' }, { base_url: 'https://acme.example/openai/v1' }, 'mine'],
    ['ollama/llama3', { api_base: 'http://gpu:11434' }, { base_url: 'http://gpu:11434/v1' }, 'llama3'],
    ['hosted_vllm/meta/llama', { api_base: 'http://gpu/v1/' }, { base_url: 'http://gpu/v1' }, 'meta/llama'],
    ['mine', { custom_llm_provider: 'openai', api_base: 'http://gpu/v1' }, { base_url: 'http://gpu/v1' }, 'mine'],
  ])('calls %s where LiteLLM does', (named, params, provider, id) => {
    const { providers, models } = read(model('m', { model: named, ...params }));
    expect(Object.values(providers)).toMatchObject([provider]);
    expect(models).toMatchObject([{ provider: { model: id } }]);
  });

  it.each([
    [{ model: 'bedrock/claude' }, 'it is of bedrock'],
    [{ model: 'openai/*' }, 'it stands for several models'],
    [azure, 'it has its address in AZURE_API_BASE: set it'],
    [{ model: 'hosted_vllm/a' }, 'it has no api_base'],
    [{ model: 'openai/a', api_base: 'https://user:pw@host/v1' }, 'it has credentials'],
    [{}, 'it has no litellm_params.model'],
  ])('leaves out by name what cannot be called: %j', (params, reason) => {
    expect(read(model('m', params)).notes).toEqual([expect.stringContaining(`"m" left out: ${reason}`)]);
  });

  it('turns deployments of one name and fallbacks into fallbacks, and aliases of groups into aliases', () => {
    const { models, aliases, notes } = readConfig(
      {
        model_list: [
          model('fast', azure),
          model('fast', { model: 'groq/llama' }),
          model('slow', { model: 'claude-x' }),
          model('text-embed', { model: 'text-embedding-3-small' }),
        ],
        router_settings: { model_group_alias: { 'gpt-4': 'fast', other: 'gone' }, routing_strategy: 'simple-shuffle' },
        litellm_settings: { fallbacks: [{ slow: ['fast'] }], cache: true },
        general_settings: { master_key: 'sk-master' },
      },
      { AZURE_API_BASE: 'https://acme.example' },
    );
    const [azureModel, groqModel] = [
      { name: 'azure', model: 'mine' },
      { name: 'groq', model: 'llama' },
    ];
    expect(models).toMatchObject([
      { id: 'fast', provider: { ...azureModel, fallbacks: [groqModel] } },
      { id: 'slow', provider: { name: 'anthropic', model: 'claude-x', fallbacks: [azureModel, groqModel] } },
      { id: 'text-embed', task_type: 'embedding' },
    ]);
    expect(aliases).toEqual({ 'gpt-4': 'fast' });
    expect(notes).toEqual(
      expect.arrayContaining([
        expect.stringContaining('asked in order'),
        expect.stringContaining('there is no model "gone"'),
        'router_settings: routing_strategy left out',
        'litellm_settings: cache left out',
        'general_settings: master_key left out',
      ]),
    );
  });

  it('has the values of credentials that models name, and no model of one that is not there', () => {
    const deployment = (name: string) => ({ model: 'openai/gpt-4.1', litellm_credential_name: name });
    const { providers, models, notes } = readConfig(
      {
        model_list: [
          { model_name: 'a', litellm_params: deployment('mine'), model_info: { max_tokens: 16_384 } },
          { model_name: 'b', litellm_params: deployment('gone') },
        ],
        credential_list: [{ credential_name: 'mine', credential_values: { api_key: 'os.environ/MY_KEY' } }],
      },
      {},
    );
    expect(providers).toMatchObject({ openai: { api_key_env: 'MY_KEY' } });
    expect(models).toMatchObject([{ id: 'a', context_window: 128_000 }]);
    expect(notes).toContain('"b" left out: it names a credential that credential_list lacks: "gone"');
  });

  it('becomes keys by commands with their limits, which name those that keys here lack', () => {
    const keys = [
      { token: 'hash', key_alias: "desk's; rm", expires: '2027-01-01T00:00:00Z', max_budget: 10, rpm_limit: null },
      { key_alias: 'old', blocked: true },
      { key_alias: 'poor', max_budget: 0 },
      { key_alias: 'none', models: ['no-default-models'] },
      'a2c4',
      { key_alias: '--yes' },
      {
        ...{ key_alias: 'app', models: ['gpt-4o', 'qwen/*', 'my model'], rpm_limit: 60, tpm_limit: 90_000 },
        ...{
          max_budget: 2.5,
          budget_duration: '30d',
          spend: 1.25,
          max_parallel_requests: 4,
          team_id: 't',
          metadata: {},
        },
      },
    ];
    expect(keyCommandsOf({ keys })).toEqual([
      "npx anneal key create 'desk'\\''s; rm' --expires-at '2027-01-01T00:00:00Z' --budget 10",
      "# 'old' is blocked there: no key",
      "# 'poor' may call nothing there: no key",
      "# 'none' may call nothing there: no key",
      '# entry 5 is no key: list them with return_full_object=true',
      "npx anneal key create '__yes'",
      "npx anneal key create 'app' --requests-per-minute 60 --tokens-per-minute 90000 --budget 2.5 --budget-period month --models 'gpt-4o' 'qwen/*' 'my-model'",
      '#   left out: max_parallel_requests 4, team_id "t"',
      '#   spend 1.25 there is not counted here',
    ]);
  });

  it.each([
    [{ models: [] }, '', []],
    [{ models: ['all-proxy-models', 'x'] }, '', []],
    [{ models: ['all-team-models'] }, '', ['#   left out: models ["all-team-models"]']],
    [{ models: ['no-default-models', 'a'] }, " --models 'a'", ['#   left out: models ["no-default-models","a"]']],
    [{ models: ['*-mini'] }, '', ['#   left out: models ["*-mini"]']],
    [{ models: ['a', 'group', 'b*'] }, " --models 'a' 'group' 'b*'", ['#   no model here has the name group']],
    [{ rpm_limit: 0.5, tpm_limit: 0.5 }, '', ['#   left out: rpm_limit 0.5, tpm_limit 0.5']],
    [{ max_budget: 1e-7, budget_duration: '1d' }, ' --budget 0.0000001 --budget-period day', []],
    [{ max_budget: 5, budget_duration: '12h' }, '', ['#   left out: max_budget 5, budget_duration "12h"']],
    [{ max_budget: 2e6 }, '', ['#   left out: max_budget 2000000']],
    [{ budget_duration: '7d' }, '', ['#   left out: budget_duration "7d"']],
  ])('makes limits of %j', (key, options, comments) => {
    const commands = keyCommandsOf([{ key_alias: 'k', ...key }], new Set(['a', 'b-1']));
    expect(commands).toEqual([`npx anneal key create 'k'${options}`, ...comments]);
  });
});

describe('a configuration beside the built-in catalog', () => {
  const own = builtInCatalog();
  const [alias, builtIn] = Object.entries(own.aliases!)[0]!;

  it('lacks the models and aliases that are named like its own, and says how to rename them', () => {
    const names = [builtIn, alias, 'mine'];
    const config = {
      model_list: names.map((name) => model(name, { model: 'openai/gpt-4o' }, { max_input_tokens: 9 })),
      router_settings: { model_group_alias: { other: 'mine', [`${builtIn}-1`]: 'mine' } },
    };
    const taken = { models: own.models, aliases: { ...own.aliases, [`${builtIn}-1`]: builtIn } };
    const { models, aliases, notes } = besideBuiltIn(taken, readConfig(config, {}));
    expect([models.map(({ id }) => id), aliases]).toEqual([['mine'], { other: 'mine' }]);
    for (const name of [builtIn, alias, `${builtIn}-1`])
      expect(notes).toContain(
        `"${name}" left out: a built-in model has this name; give it another model_name in the configuration`,
      );
  });

  it('lacks a model that a catalog cannot have, and its aliases', () => {
    const config = {
      model_list: ['odd', 'mine'].map((name) =>
        model(name, { model: 'openai/gpt-4o' }, { max_input_tokens: name === 'odd' ? 0.5 : 9 }),
      ),
      router_settings: { model_group_alias: { other: 'odd' } },
    };
    const { models, aliases, notes } = besideBuiltIn(own, readConfig(config, {}));
    expect([models.map(({ id }) => id), aliases]).toEqual([['mine'], {}]);
    expect(
      notes.filter((note) => /"(?:odd|other)" left out: .*(?:context_window|is left out)/.test(note)),
    ).toHaveLength(2);
  });
});

describe('anneal providers import', () => {
  const folder = mkdtempSync(join(tmpdir(), 'litellm-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  function anneal(yaml: string, ...args: string[]) {
    writeFileSync(join(folder, 'config.yaml'), yaml);
    const command = [join(import.meta.dirname, '..', 'main.js'), 'providers', 'import', 'config.yaml', ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
    return { status, stdout, stderr };
  }

  it('writes files that a start takes, and replaces none unless told', () => {
    const yaml = 'model_list:\n- {model_name: a, litellm_params: {model: gpt-4o, api_key: sk-literal}}\n';
    const { status, stdout } = anneal(yaml);
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining('OPENAI_API_KEY (the key that the configuration has'),
    ]);
    const file = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
    expect(checkProviders(file('providers.json'), { OPENAI_API_KEY: 'x' }).get('openai')).toMatchObject({ key: 'x' });
    expect(checkCatalog(file('catalog.json')).models.map(({ id }) => id)).toContain('a');
    expect(stdout + readFileSync(join(folder, 'providers.json'), 'utf8')).not.toContain('sk-literal');
    expect(anneal(yaml)).toMatchObject({ status: 1, stderr: expect.stringContaining('--force') });
  });

  it.each([
    ['model_list: [', 'is not YAML'],
    ['models: []', 'has no model_list'],
    [
      'model_list: [{model_name: anneal/encoder-base-v1, litellm_params: {model: gpt-4o}}]',
      'give it another model_name',
    ],
    ['model_list: [{model_name: a, litellm_params: {model: bedrock/x}}]', '"a" left out: it is of bedrock'],
  ])('refuses %j, and writes nothing', (yaml, reason) => {
    const { status, stderr } = anneal(yaml, '--out', 'none');
    expect([status, stderr]).toEqual([1, expect.stringContaining(reason)]);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(existsSync(join(folder, 'none'))).toBe(false);
  });
});
