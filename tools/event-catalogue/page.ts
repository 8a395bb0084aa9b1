import { format, resolveConfig } from 'prettier';
import type { EventTypeEntry } from '#log/event-types.js';
import { STREAM_CATEGORIES, type StreamCategory } from '#domain/streams.js';

const HEAD = `# Event types

Every type of event that a log may hold: in which streams it stands and who writes it. Read this page to make sense of \`GET /events\` and of
\`npx anneal events tail\`. \`npm run docs:events\` writes it from the types in \`libs/domain/*/events.ts\`; [event-log.md](../operate/event-log.md) says what
holds for all events.

\`\`\`sh
api /events/types    # the fields of each type with their meaning, as a JSON schema, and an example
\`\`\`

Times are ISO 8601 in UTC. Money is in picodollars (10⁻¹² dollars), as a decimal string. Names with \`Ms\` are milliseconds, those with \`Bytes\` bytes. Each
heading is a category of streams, \`<category>-<id>\`: below it what a stream holds, how long and how much of it is kept, and who writes it.
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

${holds[0]!.toUpperCase()}${holds.slice(1)}. ${retention === 'kept' ? 'Kept for ever' : 'Deletable'}; at most ${size}; by ${writers.join(', ')}.

${entries.map(lineOf).join('')}`;
}

function lineOf({ type, description, read_as }: EventTypeEntry): string {
  const meaning = read_as === null ? description : `Read as \`${read_as}\`.`;
  return `- \`${type}\`${meaning ? `: ${meaning.replaceAll(/\s*\n\s*/g, ' ')}` : ''}\n`;
}
