import asciichart from 'asciichart';
import Table from 'cli-table3';

/** Plots on a logarithmic scale, because the first epoch's loss would flatten the others. */
export function lossChart(losses: readonly number[]): string {
  // A chart of one point has no line.
  if (losses.length < 2) return `loss ${losses.map((loss) => loss.toFixed(3)).join(', ')}`;
  const stretched = losses.flatMap((loss) => Array<number>(4).fill(Math.log10(Math.max(loss, 1e-6))));
  return asciichart.plot(stretched, { height: 8, format: (exponent) => (10 ** exponent).toFixed(3).padStart(9) });
}

export interface LabelRow {
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
  readonly support: number;
}

export function labelTable(perLabel: Readonly<Record<string, LabelRow>>): string {
  const table = new Table({
    head: ['label', 'precision', 'recall', 'F1', 'support'],
    colAligns: ['left', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  });
  for (const [label, { precision, recall, f1, support }] of Object.entries(perLabel).sort())
    table.push([label, ...[precision, recall, f1].map((figure) => figure.toFixed(3)), support]);
  return table.toString();
}

interface Hit {
  readonly text: string;
  readonly confidence: number;
}

/** `Maria Rossi` person .98 · billing .91 */
export function resultLine(result: {
  entities?: Readonly<Record<string, readonly Hit[]>>;
  classification?: { label: string; confidence: number };
}): string {
  const hits = Object.entries(result.entities ?? {}).flatMap(([label, found]) =>
    found.map(({ text, confidence }) => `${label}=${JSON.stringify(text)} (${confidence.toFixed(2)})`),
  );
  const { classification } = result;
  if (classification) hits.unshift(`[${classification.label} ${classification.confidence.toFixed(2)}]`);
  return hits.join('  ');
}

export const indented = (text: string): string => text.replace(/^/gm, '    ');

/** Prints a line of a step. */
export function say(text: string): void {
  console.log(text.startsWith('\n') ? text : `    ${text}`);
}
