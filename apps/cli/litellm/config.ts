import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';
import { deploymentOf, type Deployment } from './deployment.js';

/** The providers file and catalog that a configuration of LiteLLM's proxy becomes. */
export interface ReadConfig {
  /** The `providers` of a providers file. */
  readonly providers: Readonly<Record<string, JsonObject>>;
  /** The models and aliases that a catalog has in addition. */
  readonly models: readonly JsonObject[];
  readonly aliases: Readonly<Record<string, string>>;
  /** Environment variables that the start needs, each with a note if its value stood in the configuration. */
  readonly variables: ReadonlyMap<string, string | null>;
  /** Sentences: one for each thing that was assumed or left out. */
  readonly notes: readonly string[];
}

const ASSUMED_WINDOW = 128_000;
/** Modes of `model_info`, and the kind of model that each is here. */
const KINDS: Readonly<Record<string, JsonObject>> = {
  chat: { task_type: 'decoder' },
  responses: { task_type: 'decoder' },
  completion: { task_type: 'decoder', instruct: false },
  embedding: { task_type: 'embedding' },
};
/** Sections and their fields that are read here. */
const READ: Readonly<Record<string, readonly string[]>> = {
  litellm_settings: ['request_timeout', 'num_retries', 'fallbacks', 'drop_params'],
  router_settings: ['timeout', 'num_retries', 'fallbacks', 'model_group_alias'],
};

/** @param environment for addresses that are in variables */
export function readConfig(config: JsonObject, environment: Readonly<Record<string, string | undefined>>): ReadConfig {
  const reader = new ConfigReader(config, environment);
  reader.read();
  return reader;
}

class ConfigReader implements ReadConfig {
  readonly providers: Record<string, JsonObject> = {};
  readonly models: JsonObject[] = [];
  readonly aliases: Record<string, string> = {};
  readonly variables = new Map<string, string | null>();
  readonly notes: string[] = [];
  /** Variables that the configuration itself means, which no literal key may take. */
  private readonly meant = new Set<string>();
  /** The literal key of each provider that has one. */
  private readonly literals = new Map<string, string | null>();

  constructor(
    private readonly config: JsonObject,
    private readonly environment: Readonly<Record<string, string | undefined>>,
  ) {}

  read(): void {
    const groups = Map.groupBy(listOf(this.config['model_list']).map(objectOf), ({ model_name: name }) => textOf(name));
    const defaults = { ...this.settings, ...this.router };
    const read = (entry: JsonObject) => {
      const params = this.withCredential(objectOf(entry['litellm_params']));
      return typeof params === 'string' ? params : deploymentOf(params, defaults, this.environment);
    };
    const found = [...groups].map(([name, entries]) => [name, entries.map(read)] as const);
    for (const each of found.flatMap(([, all]) => all))
      if (typeof each !== 'string' && each.literalKey === null) this.meant.add(textOf(each.provider['api_key_env']));
    const served = new Map(found.map(([name, all]) => [name, this.hosted(name, all)] as const));
    const fallbacks = new Map(
      [...listOf(this.router['fallbacks']), ...listOf(this.settings['fallbacks'])].flatMap((each) =>
        Object.entries(objectOf(each)).map(([name, others]) => [name, listOf(others).map(textOf)] as const),
      ),
    );
    for (const [name, first] of served) {
      const others = (fallbacks.get(name) ?? []).flatMap((other) => served.get(other) ?? []);
      this.add(name, [...first, ...others], groups.get(name)!);
    }
    for (const [alias, target] of Object.entries(objectOf(this.router['model_group_alias'])))
      this.alias(alias, textOf(isRecord(target) ? target['model'] : target));
    this.noteSections();
  }

  /** With the values of the credential that a deployment names. @returns a text that says why it cannot be called */
  private withCredential({ litellm_credential_name: name, ...params }: JsonObject): JsonObject | string {
    if (name === undefined || name === null) return params;
    const credential = listOf(this.config['credential_list'])
      .map(objectOf)
      .find((each) => each['credential_name'] === name);
    if (credential === undefined) return `names a credential that credential_list lacks: ${quoted(textOf(name))}`;
    return { ...objectOf(credential['credential_values']), ...params };
  }

  private get settings(): JsonObject {
    return objectOf(this.config['litellm_settings']);
  }

  private get router(): JsonObject {
    return objectOf(this.config['router_settings']);
  }

  private hosted(name: string, deployments: readonly (Deployment | string)[]): readonly Hosted[] {
    const hosted = deployments.flatMap((found) => {
      if (typeof found === 'string') this.notes.push(`${quoted(name)} left out: it ${found}`);
      else if (found.leftOut.length > 0) this.notes.push(`${quoted(name)}: ${found.leftOut.join(', ')} left out`);
      return typeof found === 'string' ? [] : [{ name: this.providerOf(found), model: found.model }];
    });
    if (hosted.length > 1)
      this.notes.push(`${quoted(name)}: its ${hosted.length} deployments are asked in order, not in turn`);
    return hosted;
  }

  /** The name of the provider in the file, which deployments with the same entry share. */
  private providerOf({ prefix, provider, literalKey }: Deployment): string {
    const same = Object.keys(this.providers).find(
      (name) =>
        JSON.stringify({ ...this.providers[name], api_key_env: null }) ===
          JSON.stringify({ ...provider, api_key_env: null }) &&
        (literalKey === null
          ? this.providers[name]!['api_key_env'] === provider['api_key_env'] && this.literals.get(name) === null
          : this.literals.get(name) === literalKey),
    );
    if (same !== undefined) return same;
    const name = free(prefix.replaceAll('_', '-'), (each) => Object.hasOwn(this.providers, each), '-');
    const env = this.variableOf(provider['api_key_env'], literalKey);
    this.providers[name] = { ...provider, ...(env !== null && { api_key_env: env }) };
    this.literals.set(name, literalKey);
    if (env !== null)
      this.variables.set(env, literalKey === null ? null : `the key that the configuration has for ${name}`);
    return name;
  }

  /** A key of the configuration has a variable of its own. */
  private variableOf(named: Json | undefined, literalKey: string | null): string | null {
    if (typeof named !== 'string') return null;
    return literalKey === null ? named : free(named, (each) => this.meant.has(each) || this.variables.has(each), '_');
  }

  /** @param entries of the list; the first that has a price or a window tells it */
  private add(name: string, hosted: readonly Hosted[], entries: readonly JsonObject[]): void {
    const [first, ...others] = hosted;
    if (first === undefined) return;
    const id = idOf(name);
    if (id === '' || this.models.some((model) => model['id'] === id))
      return void this.notes.push(`${quoted(name)} left out: its name cannot be the id of a model`);
    if (id !== name) this.notes.push(`${quoted(name)} is offered as ${quoted(id)}`);
    const [params, info] = ['litellm_params', 'model_info'].map((part) =>
      Object.fromEntries(entries.toReversed().flatMap((entry) => Object.entries(objectOf(entry[part])))),
    ) as [JsonObject, JsonObject];
    const mode = textOf(info['mode']) || (/embed/i.test(first.model) ? 'embedding' : 'chat');
    const kind = Object.hasOwn(KINDS, mode) ? KINDS[mode]! : null;
    if (kind === null) return void this.notes.push(`${quoted(name)} left out: there are no models of mode ${mode}`);
    // `max_tokens` is the limit of the output.
    const window = info['max_input_tokens'];
    const [input, output] = (['input_cost_per_token', 'output_cost_per_token'] as const).map((field) =>
      perMillion(params[field] ?? info[field]),
    );
    const assumed = [
      ...(typeof window === 'number' ? [] : [`context_window ${ASSUMED_WINDOW}`]),
      ...(input === null || input === undefined ? ['prices 0'] : []),
    ];
    if (assumed.length > 0)
      this.notes.push(`${quoted(name)}: ${assumed.join(' and ')} assumed; correct it in the catalog`);
    this.models.push({
      ...{ id, label: name, description: `${first.model} of ${first.name}.`, ...kind, family: first.name },
      context_window: typeof window === 'number' ? window : ASSUMED_WINDOW,
      ...{ input_price_per_million: input ?? 0, output_price_per_million: output ?? 0 },
      ...{ supports_inference: true, supports_training: false, supports_on_demand_inference: false },
      provider: { ...first, ...(others.length > 0 && { fallbacks: others as unknown as Json }) },
    });
  }

  private alias(alias: string, target: string): void {
    const has = (id: string) => this.models.some((model) => model['id'] === id);
    const [id, other] = [idOf(target), idOf(alias)];
    if (has(id) && !has(other) && other !== '') this.aliases[other] = id;
    else
      this.notes.push(`the alias ${quoted(alias)} left out: there is no model ${quoted(target)}, or it has that name`);
  }

  private noteSections(): void {
    for (const [section, value] of Object.entries(this.config)) {
      if (section === 'model_list' || section === 'credential_list') continue;
      const names = Object.keys(objectOf(value)).filter((name) => !(READ[section] ?? []).includes(name));
      if (names.length > 0) this.notes.push(`${section}: ${names.join(', ')} left out`);
      else if (!isRecord(value)) this.notes.push(`${section} left out`);
    }
  }
}

interface Hosted {
  readonly name: string;
  readonly model: string;
}

/** A first name that is free, else the next with a number. */
function free(name: string, isTaken: (name: string) => boolean, joint: string): string {
  for (let number = 1; ; number += 1) {
    const each = number === 1 ? name : `${name}${joint}${number}`;
    if (!isTaken(each)) return each;
  }
}

/** The id of a model: characters that ids lack become dashes. */
export const idOf = (name: string): string =>
  name
    .replaceAll(/[^A-Za-z0-9._:/-]/g, '-')
    .replace(/^([^/]*\/)(.*)$/s, (_, first: string, rest: string) => first + rest.replaceAll('/', '-'))
    .replaceAll(/^\/+|\/+$/g, '')
    .slice(0, 200);

/** Dollars for a million tokens from dollars for one. */
const perMillion = (price: Json | undefined): number | null =>
  typeof price === 'number' && price >= 0 ? Number((price * 1e6).toPrecision(12)) : null;

const quoted = (name: string): string => JSON.stringify(name);
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const objectOf = (value: Json | undefined): JsonObject => (isRecord(value) ? value : {});
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
