import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGenerator } from 'ts-json-schema-generator';
import type { EventTypeEntry } from '#log/event-types.js';
import type { Json, JsonObject } from '#domain/json.js';
import { categoryOf, type StreamCategory } from '#domain/streams.js';
import { upcasters } from '#domain/upcasters.js';

type Schema = JsonObject & {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly definitions?: Definitions;
};
type Definitions = Readonly<Record<string, Json>>;

interface Sample {
  readonly stream: string;
  readonly type: string;
  readonly data: JsonObject;
}

/**
 * Every type of event, sorted by name: its fields from the types in `libs/domain/<aggregate>/events.ts` with their comments, and its
 * example from the golden log.
 * @param root the root of the repository
 */
export function eventCatalogue(root: string): readonly EventTypeEntry[] {
  const samples = JSON.parse(readFileSync(join(root, 'test/golden/events.json'), 'utf8')) as readonly Sample[];
  const schemas = schemasOfEvents(root);
  const byType = Map.groupBy(samples, ({ type }) => type);
  return [...byType]
    .map(([type, [first, ...others]]): EventTypeEntry => {
      // Later samples have the fields that came later.
      const { stream, data } = others.at(-1) ?? first!;
      const { description = null, ...schema } = schemas.get(type) ?? {};
      const next = upcasters.all.find(({ from, to }) => from === type && to !== type)?.to ?? null;
      if ((next === null) !== schemas.has(type)) throw new Error(`${type} is in no events.ts, and nothing reads it`);
      return {
        type,
        category: categoryOf(stream) as StreamCategory,
        description: description as string | null,
        read_as: next,
        schema: next === null ? schema : null,
        example: data,
      };
    })
    .toSorted((a, b) => (a.type < b.type ? -1 : 1));
}

/** The schema of each type's data, with what the type itself has as comment in `description`. */
function schemasOfEvents(root: string): ReadonlyMap<string, Schema> {
  const folder = mkdtempSync(join(tmpdir(), 'anneal-event-catalogue-'));
  try {
    cpSync(join(root, 'libs/domain'), join(folder, 'domain'), { recursive: true });
    const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, types: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    // The generator does not follow the type that makes events of a table of their data: it gets the table instead.
    const decider = join(folder, 'domain/decider.ts');
    const table = readFileSync(decider, 'utf8').replace(/(?<=export type EventsOf<Data> = ).*?;/s, 'Data;');
    writeFileSync(decider, table);
    const entry = join(folder, 'events.ts');
    writeFileSync(entry, entryOf(folder));
    const generator = createGenerator({
      ...{ path: entry, tsconfig: join(folder, 'tsconfig.json'), skipTypeCheck: true },
      ...({ expose: 'none', topRef: false, jsDoc: 'extended', additionalProperties: true } as const),
    });
    const { properties = {}, definitions = {} } = generator.createSchema('Events') as Schema;
    return new Map(Object.values(properties).flatMap((aggregate) => dataSchemas(aggregate, definitions)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A module whose type `Events` has the events of every aggregate. */
function entryOf(folder: string): string {
  const found = globSync('domain/*/events.ts', { cwd: folder }).flatMap((file) => {
    const declared = readFileSync(join(folder, file), 'utf8').split(/^(?=export )/m);
    return declared.flatMap((text) => {
      const isEvents = /^export type \w+ = EventsOf</.test(text) || /^  readonly type: '[\w-]+\.v\d+';$/m.test(text);
      const name = isEvents ? /^export (?:type|interface) (\w+)/.exec(text)?.[1] : undefined;
      return name === undefined ? [] : [{ name, from: `./${file.replace(/ts$/, 'js')}` }];
    });
  });
  const imports = found.map(({ name, from }) => `import type { ${name} } from '${from}';`);
  return [...imports, 'export interface Events {', ...found.map(({ name }) => `${name}: ${name};`), '}'].join('\n');
}

/** Schemas of a table of data by type, or of one event with `type` and `data`. */
function dataSchemas(
  { properties = {}, description }: Schema,
  all: Definitions,
): readonly (readonly [string, Schema])[] {
  const { type, data } = properties;
  const found =
    type && data ? [[type['const'] as string, { description, ...data }] as const] : Object.entries(properties);
  return found.map(([name, schema]) => [name, withDefinitions(schema as Schema, all)]);
}

/** The schema with those definitions that it refers to, numbered: their names tell where they were made. */
function withDefinitions(schema: Schema, all: Definitions): Schema {
  const needed = new Map<string, Json>();
  const numbered = (part: Json): Json =>
    JSON.parse(
      JSON.stringify(part).replaceAll(/(?<="#\/definitions\/)[^"]+/g, (encoded) => {
        const name = decodeURIComponent(encoded);
        if (!needed.has(name)) {
          needed.set(name, null);
          needed.set(name, numbered(all[name]!));
        }
        return String([...needed.keys()].indexOf(name));
      }),
    ) as Json;
  const own = numbered(schema) as Schema;
  return needed.size === 0 ? own : { ...own, definitions: Object.fromEntries([...needed.values()].entries()) };
}
