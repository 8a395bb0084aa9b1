import type { EventTypes } from '../decider.js';

/** The roles of processes whose settings are recorded, each in a stream of its own, and the files of models and providers. */
export const SETTINGS_OF = ['standalone', 'api', 'worker', 'catalog'] as const;
export type SettingsOf = (typeof SETTINGS_OF)[number];

/** A value that is not what was last recorded; null: the default, or none. */
export type ChangedValue = {
  /** A setting, such as `ANNEAL_HUB_URL`; or a field of a model or a provider, such as `model acme/chat input_price_per_million`. */
  readonly name: string;
  /** Of a secret only a keyed hash. */
  readonly before: string | null;
  readonly after: string | null;
};

/** What a process found changed: at its start, or in the files of models and providers while it ran. */
export type SettingsEvent = {
  readonly type: 'settings-changed.v1';
  readonly data: {
    readonly of: SettingsOf;
    /** By name. Very many are in several events. */
    readonly changes: readonly ChangedValue[];
    readonly foundAt: string;
  };
};

export const SETTINGS_EVENT_TYPES: EventTypes<SettingsEvent> = {
  'settings-changed.v1': true,
};
