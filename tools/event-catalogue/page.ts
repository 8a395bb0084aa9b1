import { format, resolveConfig } from 'prettier';
import type { EventTypeEntry } from '#log/event-types.js';
import { STREAM_CATEGORIES, type StreamCategory } from '#domain/streams.js';

/** The bound of a stream's events that the page does not repeat. */
const BOUND = 1000;

const HEAD = `# Event types

Every type of event that a log may hold: in which streams it stands and who writes it. Read this page to make sense of \`GET /events\` and of
\`npx anneal events tail\`. \`npm run docs:events\` writes it from the types in \`libs/domain/*/events.ts\`; [event-log.md](../operate/event-log.md) says what
holds for all events.

\`\`\`sh
api /events/types    # all that is said of each type, its fields with their meaning, as a JSON schema, and an example
\`\`\`

Times are ISO 8601 in UTC. Money is in picodollars (10⁻¹² dollars), as a decimal string. Names with \`Ms\` are milliseconds, those with \`Bytes\` bytes. Each
heading is a category of streams, \`<category>-<id>\`: below it what a stream holds and who writes it. A stream can be deleted, and has at most ${BOUND} events, where
nothing else is said.
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
  const facts = [
    retention === 'kept' && 'kept for ever',
    bound !== BOUND && `at most ${size}`,
    `by ${writers.join(', ')}`,
  ];
  return `## ${category}

${capitalised(holds)}. ${capitalised(facts.filter(Boolean).join('; '))}.

${entries.map(lineOf).join('')}`;
}

const capitalised = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

function lineOf({ type, description, read_as }: EventTypeEntry): string {
  const meaning = read_as === null ? firstSentenceOf(description) : `Read as \`${read_as}\`.`;
  return `- \`${type}\`${meaning ? `: ${meaning}` : ''}\n`;
}

/** The page has the beginning of a description, `GET /events/types` all of it. */
const firstSentenceOf = (text: string | null): string | undefined =>
  text?.replaceAll(/\s*\n\s*/g, ' ').split(/(?<=\.) (?=[A-Z`])/)[0];
