import type { FinishedJob, TrainingRequest } from '#domain/training-job/index.js';

/** Parts of the model cards of trained models, in Markdown. They name datasets and hold no text of their rows. */

type Value = string | readonly string[];
type Counts = Pick<FinishedJob['metrics'], 'judgedRows' | 'excludedRows'>;

/** Strings of JSON are strings of YAML. */
export const yaml = (head: Readonly<Record<string, Value>>): string =>
  Object.entries(head)
    .map(([key, value]) =>
      typeof value === 'string'
        ? `${key}: ${JSON.stringify(value)}\n`
        : `${key}:\n${value.map((each) => `- ${JSON.stringify(each)}\n`).join('')}`,
    )
    .join('');

/** A word of the characters that hubs accept. */
export const slug = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replaceAll(/^[-.]+|[-.]+$/g, '') || 'unnamed';

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** A name that people chose, as plain text in a line of Markdown. */
export const inline = (text: string): string => text.replaceAll(/[\\|`*_<>[\]#]/g, '\\$&').replaceAll(/\s+/g, ' ');

/** Ids and hashes. */
export const code = (text: string): string => `\`${text.replaceAll(/[`|\s]+/g, ' ')}\``;

/** How many rows were learned: those that were held out or excluded were not. */
export function learnedRows({ datasets }: TrainingRequest, { judgedRows, excludedRows }: Counts, kind: string): string {
  const rows = datasets.reduce((sum, pin) => sum + pin.rows, 0);
  if (judgedRows === null) return `some of ${rows} ${kind}`;
  const learned = rows - judgedRows - (excludedRows ?? 0);
  return learned === rows ? `${rows} ${kind}` : `${learned} of ${rows} ${kind}`;
}

export function figuresTable(rows: readonly (readonly [string, number | null])[], judgedRows: number | null): string {
  if (!judgedRows) return 'None: no row could be held out.';
  const shown = rows.map(([name, value]) => [name, value === null ? 'not measured' : value.toFixed(4)]);
  return `On ${judgedRows} held-out rows.\n\n${table(['figure', 'value'], shown)}`;
}

export const datasetsTable = ({ datasets }: TrainingRequest): string =>
  table(
    ['dataset', 'version', 'rows', 'sha256'],
    datasets.map(({ name, versionNumber, rows, object }) => [
      inline(name),
      `${versionNumber}`,
      `${rows}`,
      code(object.sha256),
    ]),
  );

export const settingsTable = ({ configuration }: TrainingRequest): string =>
  table(
    ['setting', 'value'],
    Object.entries(configuration).map(([name, value]) => [name, JSON.stringify(value)]),
  );
