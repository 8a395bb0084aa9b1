import { fromRow, textOfRow, type Row } from './row.js';

export interface Example {
  readonly label: string;
  readonly row: Row;
}

/** Longer texts show little beside another one. */
const MAX_CHARACTERS = 300;
/** More are no examples any more. */
const MAX_EXAMPLES = 24;

/** A short row of each label, the first of the dataset that has it. @param besides the index of a row that is none */
export function examplesOf(rows: readonly Row[], besides: number): readonly Example[] {
  const found = new Map<string, Row>();
  for (const [index, row] of rows.entries()) {
    if (index === besides || textOfRow(row).length > MAX_CHARACTERS) continue;
    const { spans, classes } = fromRow(row);
    for (const label of [...spans.map((span) => span.label), ...Object.values(classes).flat()])
      if (!found.has(label)) found.set(label, row);
    if (found.size >= MAX_EXAMPLES) break;
  }
  return [...found].map(([label, row]) => ({ label, row })).slice(0, MAX_EXAMPLES);
}
