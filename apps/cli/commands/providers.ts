import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load, YAML11_SCHEMA, YAMLException } from 'js-yaml';
import type { CommandModule } from 'yargs';
import { OperationError } from '#apps/operator/operation.js';
import { checkProviders, ProvidersError } from '#calls/hosted/providers.js';
import type { Json, JsonObject } from '#domain/json.js';
import { printableLines } from '#domain/printable.js';
import { CatalogError, checkCatalog } from '#models/catalog/check.js';
import { builtInCatalog } from '#models/catalog/read.js';
import { isRecord } from '#primitives/values.js';
import { besideBuiltIn } from '../litellm/beside-built-in.js';
import { readConfig, type ReadConfig } from '../litellm/config.js';
import { keyCommandsOf } from '../litellm/keys.js';

interface Import {
  readonly config: string;
  readonly keys?: string;
  readonly out: string;
  readonly force: boolean;
  readonly json: boolean;
}

const FILES = { providers: 'providers.json', catalog: 'catalog.json' } as const;

const importConfig: CommandModule = {
  command: 'import <config>',
  describe: "Write a providers file and a catalog from the config.yaml of LiteLLM's proxy",
  builder: (yargs) =>
    yargs.positional('config', { type: 'string', demandOption: true, describe: 'The config.yaml' }).options({
      keys: { type: 'string', describe: 'Virtual keys, as GET /key/list?return_full_object=true has them' },
      out: { type: 'string', default: '.', describe: `The folder for ${Object.values(FILES).join(' and ')}` },
      force: { type: 'boolean', default: false, describe: 'Replace these files' },
    }),
  // yargs shows the stack of an error that a handler throws; of a promise's it shows the message.
  handler: (args) => Promise.try(takeOver, args as unknown as Import),
};

function takeOver({ config, keys, out, force, json }: Import): void {
  const read = besideBuiltIn(builtInCatalog(), readConfig(yamlOf(config), process.env));
  const files = filesOf(read);
  const names = new Set(
    [files.catalog].flatMap(({ models, aliases }) => [
      ...(models as JsonObject[]).map(({ id }) => id as string),
      ...Object.keys(aliases as JsonObject),
    ]),
  );
  const commands = keys === undefined ? [] : keyCommandsOf(jsonOf(keys), names);
  if (json) return console.log(JSON.stringify({ ...files, notes: read.notes, key_commands: commands }));
  const paths = write(files, out, force);
  console.log(printableLines([...written(read, paths), ...commands].join('\n')));
}

/** `anneal providers import` */
export const providerCommands: CommandModule = {
  command: 'providers <command>',
  describe: 'Take over the providers of another gateway',
  builder: (yargs) => yargs.command(importConfig).demandCommand(1),
  handler: () => {},
};

/** @throws OperationError when nothing in the configuration can be called */
function filesOf({ providers, models, aliases, variables, notes }: ReadConfig): Record<keyof typeof FILES, JsonObject> {
  if (models.length === 0)
    throw new OperationError(['no model of the configuration can be called here', ...notes].join('\n'));
  const own = builtInCatalog();
  const files = {
    providers: { providers },
    catalog: { models: [...own.models, ...models], aliases: { ...own.aliases, ...aliases } } as unknown as JsonObject,
  };
  try {
    // The keys themselves are needed at the start alone.
    checkProviders(files.providers, Object.fromEntries([...variables.keys()].map((name) => [name, 'set'])));
    checkCatalog(files.catalog);
  } catch (error) {
    if (!(error instanceof ProvidersError) && !(error instanceof CatalogError)) throw error;
    throw new OperationError(`the configuration cannot be taken over: ${error.message}`);
  }
  return files;
}

/** @returns the paths of the files */
function write(files: Record<keyof typeof FILES, JsonObject>, out: string, force: boolean): typeof FILES {
  const paths = { providers: join(out, FILES.providers), catalog: join(out, FILES.catalog) };
  const present = Object.values(paths).find((path) => existsSync(path));
  if (present !== undefined && !force)
    throw new OperationError(`${present} exists: name another folder with --out, or replace it with --force`);
  mkdirSync(out, { recursive: true });
  for (const name of ['providers', 'catalog'] as const)
    writeFileSync(paths[name], `${JSON.stringify(files[name], null, 2)}\n`);
  return paths as typeof FILES;
}

function written({ providers, models, variables, notes }: ReadConfig, paths: typeof FILES): readonly string[] {
  const names = [...variables].map(([name, literal]) => (literal === null ? name : `${name} (${literal})`));
  return [
    `${paths.providers}: ${Object.keys(providers).join(', ')}`,
    `${paths.catalog}: ${models.map(({ id }) => id as string).join(', ')}, beside the built-in models`,
    ...(names.length > 0 ? [`Set these variables: ${names.join(', ')}`] : []),
    `Then start: ANNEAL_PROVIDERS=${paths.providers} ANNEAL_MODEL_CATALOG=${paths.catalog} npm start`,
    ...notes.map((note) => `- ${note}`),
  ];
}

/** YAML 1.1, which has the merge keys that LiteLLM reads. @throws OperationError, which quotes nothing of the file */
function yamlOf(path: string): JsonObject {
  const text = textOf(path);
  let config: unknown;
  try {
    config = load(text, { schema: YAML11_SCHEMA });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark === undefined || error.mark === null ? '' : ` in line ${error.mark.line + 1}`;
    throw new OperationError(`${path} is not YAML: ${error.reason}${line}`);
  }
  if (isRecord(config) && Array.isArray(config['model_list'])) return config as JsonObject;
  throw new OperationError(`${path} has no model_list, as the config.yaml of LiteLLM's proxy has`);
}

function jsonOf(path: string): Json {
  try {
    return JSON.parse(textOf(path)) as Json;
  } catch (error) {
    if (error instanceof OperationError) throw error;
    throw new OperationError(`${path} is not JSON`);
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new OperationError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
  }
}
