import type { ChangedValue, SettingsOf } from './events.js';

/** A change in one sentence. @param by the user of the operating system who ran the process; null if unknown */
export function sentenceOf({ name, before, after }: ChangedValue, of: SettingsOf, by: string | null): string {
  const change =
    before === null
      ? `${name} was set to ${after}`
      : after === null
        ? `${name} was removed (was ${before})`
        : `${name} changed from ${before} to ${after}`;
  const found = of === 'catalog' ? 'found in the files of models and providers' : `found at the start of ${of}`;
  return by === null ? `${change}, ${found}` : `${change}, ${found} by ${by}`;
}
