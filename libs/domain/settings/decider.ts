import type { Decider } from '../decider.js';
import { SETTINGS_EVENT_TYPES, type ChangedValue, type SettingsEvent, type SettingsOf } from './events.js';
import { evolve, NOTHING_RECORDED, type RecordedValues } from './state.js';

/** Changes in one event, which is far below the limit of an append. */
const MAX_CHANGES = 500;

export interface FoundValue {
  readonly name: string;
  readonly value: string;
  /** What the same value may have been recorded as: hashes under earlier keys. */
  readonly alike?: readonly string[];
}

/** All values that are not the default. */
interface RecordValues {
  readonly type: 'record-values';
  readonly of: SettingsOf;
  readonly found: readonly FoundValue[];
}

/** Records only differences: a start that finds nothing changed writes nothing, and of several at once, one writes. */
export const settingsDecider: Decider<RecordValues, SettingsEvent, RecordedValues> = {
  category: 'settings',
  eventTypes: SETTINGS_EVENT_TYPES,
  initial: NOTHING_RECORDED,
  decide({ of, found }, state, { now }) {
    const names = new Set(found.map(({ name }) => name));
    const gone = [...state].filter(([name]) => !names.has(name));
    const changes: readonly ChangedValue[] = [
      ...found
        .map(({ name, value, alike = [] }) => ({ name, before: state.get(name) ?? null, after: value, alike }))
        .filter(({ before, after, alike }) => before !== after && !(before !== null && alike.includes(before)))
        .map(({ name, before, after }) => ({ name, before, after })),
      ...gone.map(([name, before]) => ({ name, before, after: null })),
    ].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const events: SettingsEvent[] = [];
    for (let at = 0; at < changes.length; at += MAX_CHANGES)
      events.push({
        type: 'settings-changed.v1',
        data: { of, changes: changes.slice(at, at + MAX_CHANGES), foundAt: now },
      });
    return events;
  },
  evolve,
};
