import { format, resolveConfig } from 'prettier';
import type { EventTypeEntry } from '#application/event-types.js';
import type { JsonObject } from '#domain/json.js';
import { STREAM_CATEGORIES, type StreamCategory } from '#domain/streams.js';

const HEAD = `# Event types

Every type of event that a log may hold: in which streams it stands, who writes it, and its fields. Read this page to make sense of \`GET /events\` and of
\`npx anneal events tail\`. \`npm run docs:events\` writes it from the types in \`libs/domain/*/events.ts\`; [event-log.md](../operate/event-log.md) says what
holds for all events.

\`\`\`sh
api /events/types    # a JSON schema of each type, the meaning of each field, and an example
\`\`\`

Times are ISO 8601 in UTC. Money is in picodollars (10⁻¹² dollars), as a decimal string. Names with \`Ms\` are milliseconds, those with \`Bytes\` bytes. A field
with \`?\` may be absent, mostly from older events.
`;

/** Text as the repository formats files of this name. */
export const formatted = async (filepath: string, text: string): Promise<string> =>
  format(text, { ...(await resolveConfig(filepath)), filepath });

/** The page docs/reference/events.md. */
export function pageOf(catalogue: readonly EventTypeEntry[]): string {
  const groups = Map.groupBy(catalogue, ({ category }) => category);
  const known = Object.keys(STREAM_CATEGORIES) as StreamCategory[];
  return [HEAD, ...known.map((category) => sectionOf(category, groups.get(category) ?? []))].join('\n');
}

function sectionOf(category: StreamCategory, entries: readonly EventTypeEntry[]): string {
  const { retention, bound, holds, writers } = STREAM_CATEGORIES[category];
  const size = typeof bound === 'number' ? `${bound} events` : bound;
  return `## ${category}

Streams \`${category}-<id>\`: ${holds}. ${retention === 'kept' ? 'Never deleted' : 'Deletable'}; at most ${size}. Written by: ${writers.join(', ')}.

| type | meaning | fields |
| --- | --- | --- |
${entries.map(rowOf).join('')}`;
}

function rowOf({ type, description, read_as, schema }: EventTypeEntry): string {
  const meaning = read_as === null ? cell(description ?? '') : `Read as \`${read_as}\`.`;
  return `| \`${type}\` | ${meaning} | ${schema === null ? '' : fieldsOf(schema).join(', ')} |\n`.replaceAll('|  |', '| |');
}

/** The names of the fields, in code quotes. */
function fieldsOf({ properties = {}, required = [] }: JsonObject): readonly string[] {
  const always = required as readonly string[];
  return Object.keys(properties as JsonObject).map((name) => `\`${name}${always.includes(name) ? '' : '?'}\``);
}

const cell = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');
