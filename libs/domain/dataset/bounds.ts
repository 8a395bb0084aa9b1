import { ConflictError } from '../errors.js';
import type { DatasetState } from './state.js';

/** Limit per dataset name, deleted versions included: their numbers are never reused. */
export const MAX_VERSIONS = 1000;
/** Limit on events of the stream, because every command reads it. Beyond it no version, claim or push begins; work in progress still ends. */
export const MAX_DATASET_EVENTS = 20_000;

/** Limit on the JSON of a version's number names, because an event holds them. */
export const MAX_LABEL_NAMES_BYTES = 100_000;

/** @throws ConflictError when the dataset accepts no new version */
export function refuseFullDataset(name: string, state: DatasetState): void {
  refuseFullHistory(name, state);
  if (state.versions.length < MAX_VERSIONS) return;
  throw new ConflictError(
    `dataset ${JSON.stringify(name)} has had ${MAX_VERSIONS} versions, deleted ones included, the maximum; ` +
      'use another name',
  );
}

/** @throws ConflictError when the stream is too long for new work */
export function refuseFullHistory(name: string, { eventCount }: DatasetState): void {
  if (eventCount < MAX_DATASET_EVENTS) return;
  throw new ConflictError(
    `dataset ${JSON.stringify(name)} has a history of ${MAX_DATASET_EVENTS} events, the maximum; ` +
      'store its rows under another name',
  );
}
