import { format, resolveConfig } from 'prettier';
import type { EventTypeEntry } from '#log/event-types.js';
import type { JsonObject } from '#domain/json.js';
import { STREAM_CATEGORIES, type StreamCategory } from '#domain/streams.js';

const HEAD = `# Event types

Every type of event that a log may hold: in which streams it stands, who writes it, and its fields. Read this page to make sense of \`GET /events\` and of
\`npx anneal events tail\`. \`GET /events/types\` answers the same with a JSON schema and an example of each. \`npm run docs:events\` writes this page from
the types in \`libs/domain/*/events.ts\`; what holds for all events stands in [event-log.md](event-log.md).

Times are ISO 8601 in UTC. Money is in picodollars (10⁻¹² dollars), as a decimal string. Names with \`Ms\` are milliseconds, those with \`Bytes\` bytes. A field
with \`?\` may be absent, mostly from events of older releases.
`;

/** Text as the repository formats files of this name. */
export const formatted = async (filepath: string, text: string): Promise<string> =>
  format(text, { ...(await resolveConfig(filepath)), filepath });

/** The page docs/events.md, before it is formatted. */
export function pageOf(catalogue: readonly EventTypeEntry[]): string {
  const groups = Map.groupBy(catalogue, ({ category }) => category);
  const known = Object.keys(STREAM_CATEGORIES) as StreamCategory[];
  return [HEAD, ...known.flatMap((category) => sectionOf(category, groups.get(category) ?? []))].join('\n');
}

function sectionOf(category: StreamCategory, entries: readonly EventTypeEntry[]): readonly string[] {
  const { retention, bound, holds, writers } = STREAM_CATEGORIES[category];
  const size = typeof bound === 'number' ? `${bound} events` : bound;
  const about = `Streams \`${category}-<id>\`: ${holds}. ${retention === 'kept' ? 'Never deleted' : 'Deletable'}; at most ${size}. Written by: ${writers.join(', ')}.`;
  return [`## ${category}\n`, `${about}\n`, ...entries.flatMap(entryOf)];
}

function entryOf({ type, description, read_as, schema }: EventTypeEntry): readonly string[] {
  const rows = schema === null ? [] : fieldsOf(schema, '');
  const table = rows.map(({ name, type, meaning }) => `| \`${name}\` | ${type} | ${meaning} |`);
  return [
    `### ${type}\n`,
    ...(description === null ? [] : [`${cell(description)}\n`]),
    ...(read_as === null ? [] : [`Of earlier releases; read as \`${read_as}\`.\n`]),
    ...(rows.length === 0 ? [] : ['| field | type | meaning |', '| --- | --- | --- |', ...table, '']),
  ];
}

interface Field {
  readonly name: string;
  readonly type: string;
  readonly meaning: string;
}

/** A field, and below it those of an object or of the objects of a list; what refers to itself is not followed. */
function fieldsOf(schema: JsonObject, path: string): readonly Field[] {
  const required = (schema['required'] ?? []) as readonly string[];
  return Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, JsonObject>>).flatMap(([key, each]) => {
    const name = `${path}${key}${required.includes(key) ? '' : '?'}`;
    const whole = alternatives(each);
    const below = whole.flatMap((one) => {
      const items = one['items'] as JsonObject | undefined;
      if (items !== undefined) return alternatives(items).flatMap((item) => fieldsOf(item, `${path}${key}[].`));
      return fieldsOf(one, `${path}${key}.`);
    });
    const type = [...new Set(whole.map(typeOf))].join(' or ');
    return [{ name, type, meaning: cell((each['description'] ?? '') as string) }, ...below];
  });
}

const alternatives = (schema: JsonObject): readonly JsonObject[] =>
  (schema['anyOf'] as readonly JsonObject[] | undefined)?.flatMap(alternatives) ?? [schema];

function typeOf(schema: JsonObject): string {
  const { type, items } = schema;
  if ('const' in schema) return code(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map(code).join(', ');
  if (type === 'array')
    return items === undefined
      ? 'list'
      : `list of ${alternatives(items as JsonObject)
          .map(typeOf)
          .join(' or ')}`;
  if (Array.isArray(type)) return type.join(' or ');
  return typeof type === 'string' ? type : 'any JSON';
}

const code = (value: unknown): string => `\`${String(JSON.stringify(value)).replace(/^"|"$/g, '')}\``;
const cell = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
