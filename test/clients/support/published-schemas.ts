import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createFormatter,
  createParser,
  createProgram,
  DEFAULT_CONFIG,
  SchemaGenerator,
} from 'ts-json-schema-generator';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const SOURCE = join(ROOT, 'test/clients/support/published-types.ts');
const PACKAGES = ['openai', '@anthropic-ai/sdk', 'anthropic-sdk-0', 'ts-json-schema-generator'];

/**
 * A JSON schema for each type that `published-types.ts` names. They are made once, which takes some seconds, and kept in the
 * temporary folder for as long as the SDKs and that file are the same.
 */
export async function schemasOfPublishedTypes(): Promise<Readonly<Record<string, object>>> {
  const source = await readFile(SOURCE, 'utf8');
  const path = join(tmpdir(), `anneal-published-types-${await fingerprint(source)}.json`);
  const kept = await readFile(path, 'utf8').catch(() => null);
  if (kept !== null) return JSON.parse(kept) as Readonly<Record<string, object>>;
  const made = make(namesIn(source));
  // Several test files may do this at once: each writes a whole file, and the last one stays.
  const own = `${path}.${process.pid}`;
  await writeFile(own, JSON.stringify(made));
  await rename(own, path);
  return made;
}

async function fingerprint(source: string): Promise<string> {
  const hash = createHash('sha256').update(source);
  hash.update(await readFile(fileURLToPath(import.meta.url)));
  for (const name of PACKAGES) hash.update(await readFile(join(ROOT, 'node_modules', name, 'package.json')));
  return hash.digest('hex').slice(0, 16);
}

const namesIn = (source: string): readonly string[] =>
  [...source.matchAll(/^export type (\w+)/gm)].map(([, name]) => name!);

function make(names: readonly string[]): Readonly<Record<string, object>> {
  const config = {
    ...DEFAULT_CONFIG,
    ...{ path: SOURCE, tsconfig: join(ROOT, 'tsconfig.json'), skipTypeCheck: true },
    ...({ expose: 'all', jsDoc: 'none' } as const),
  };
  const program = createProgram(config);
  const generator = (additionalProperties: boolean) => {
    const own = { ...config, additionalProperties };
    return new SchemaGenerator(program, createParser(program, own), createFormatter(own), own);
  };
  // An API refuses fields that it does not know; an answer may have more than its type.
  const ofBodies = generator(false);
  const ofAnswers = generator(true);
  return Object.fromEntries(
    names.map((name) => [name, asSent((name.endsWith('Body') ? ofBodies : ofAnswers).createSchema(name))]),
  );
}

type Schema = ReturnType<SchemaGenerator['createSchema']>;

/** Fields that types have and answers need not: the SDK computes `output_text` itself, and a text without `citations` lacks the field. */
const NOT_SENT = ['output_text', 'citations'];

function asSent(schema: Schema): Schema {
  for (const definition of Object.values(schema.definitions ?? {})) {
    if (typeof definition !== 'object') continue;
    if (definition.required) definition.required = definition.required.filter((name) => !NOT_SENT.includes(name));
    const { type, description } = definition.properties ?? {};
    // The API says null where a format of an answer has no description.
    if (typeof type === 'object' && type.const === 'json_schema' && typeof description === 'object')
      description.type = ['string', 'null'];
  }
  return schema;
}
