import { ACCEPTED_VALUES } from './accepted.js';
import { PROVIDER_STYLES } from '../provider-styles.js';
import type { FieldReceiver, DialectFields, Fate } from './field.js';

const titleOf = (backend: FieldReceiver): string =>
  backend in PROVIDER_STYLES ? `provider of style \`${backend}\`` : `${backend} here`;

const HEAD = `# Request fields

What becomes of each field of a request on the compatible routes, by where its model is served. Read this page when an answer names a field that
was refused or dropped (\`x-anneal-dropped\`). \`npm run docs:fields\` writes it from \`libs/calls/hosted/fields\`; \`test/fields\` tries each line.

| in the tables | meaning |
| --- | --- |
| sent | the model or its provider gets the field as it is |
| → \`field\` | the model or its provider gets it as that field |
| here | the field is for Anneal itself |
| unused | accepted, and has nothing to change there: sampling of an encoder, whose answers are always the same; an engine's cache marks |
| dropped | a [hint](../guides/hosted-models.md#hints): left out, and named in \`x-anneal-dropped\` and in the record |
| refused | 422, naming the field |

\`messages[user]\` are the items whose \`role\` or \`type\` is \`user\`, \`[*]\` those of all other kinds; \`*\` is any other field. One that no table names, in a message, a tool or
another object, is dropped where the style is not its own. What is said of a field
holds for all below it that have no line of their own. Values that every model applies anyway (\`n: 1\`, \`service_tier: "auto"\`, \`null\`) are accepted
everywhere. A decoder here refuses what its engine cannot do (\`seed\`, \`logprobs\`, \`tools\`, ...); the column is for one that can do all. The fields of
Anneal itself (\`schema\`, \`threshold\`, ...) are in \`/openapi.json\`.
`;

/** The page docs/reference/request-fields.md. */
export const fieldsPage = (dialects: readonly DialectFields[]): string =>
  [HEAD, acceptedSection(), ...dialects.map(sectionOf)].join('\n');

function acceptedSection(): string {
  const rows = ACCEPTED_VALUES.map(({ style, fields, accepts, others }) => [
    ...[`\`${style}\``, fields.map((field) => `\`${field}\``).join(', '), accepts, others],
  ]);
  const titles = ['style', 'fields', 'what the provider accepts', 'other values'];
  const why =
    'Translated requests keep to it. In a body of its own style a provider judges itself, but for ids, names, signatures and what says nothing.';
  return `## What providers accept\n\n${why}\n\n${tableOf([titles, ...rows])}`;
}

const tableOf = ([titles, ...rows]: readonly (readonly string[])[]): string =>
  [titles!, titles!.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

function sectionOf({ name, path, backends, fields }: DialectFields): string {
  const alike = Map.groupBy(Object.entries(fields), ([, fates]) => fates.map(said).join(' | '));
  const rows = [...alike].map(([fates, entries]) => [entries.map(([field]) => `\`${field}\``).join(', '), fates]);
  const titles = backends.map(titleOf);
  return `## ${name}\n\n\`POST ${path}\`\n\n${tableOf([['fields', ...titles], ...rows])}`;
}

const said = (fate: Fate): string => (fate.startsWith('-> ') ? `→ \`${fate.slice(3)}\`` : fate);
