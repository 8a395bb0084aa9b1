import type { BlockSettings } from '../blocks.js';

const NAN = /^\s*nan\s*$/i;
/** As pandas, Python, R and spreadsheets write it in cells without a type. The class `none` is another word. */
const NO_VALUE = /^\s*(?:[Nn][Aa][Nn]|None|null|NULL|N\/A|n\/a|NA|<NA>|#N\/A)\s*$/;

/** Whether a text in a column of labels is how the file writes that there is no label: none is in JSON, which has null. */
export function noLabelIn({
  form,
  labelNames,
}: Pick<BlockSettings, 'form' | 'labelNames'>): (label: string) => boolean {
  if (form.kind === 'lines') return () => false;
  const written = form.kind === 'csv' ? NO_VALUE : NAN;
  const names = new Set(namesIn(Object.values(labelNames)));
  return (label) => written.test(label) && !names.has(label);
}

const namesIn = (names: unknown): readonly string[] =>
  typeof names === 'string'
    ? [names]
    : typeof names === 'object' && names !== null
      ? Object.values(names).flatMap(namesIn)
      : [];
