import type { SettingsEvent } from './events.js';

/** The last recorded values that are not the default, by name. */
export type RecordedValues = ReadonlyMap<string, string>;

export const NOTHING_RECORDED: RecordedValues = new Map();

export function evolve(state: RecordedValues, { data }: SettingsEvent): RecordedValues {
  const values = new Map(state);
  for (const { name, after } of data.changes)
    if (after === null) values.delete(name);
    else values.set(name, after);
  return values;
}
