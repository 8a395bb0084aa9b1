import type { JsonObject } from '../json.js';
import type { DriftSeen, ModelEvent, Traffic, VersionSource } from './events.js';
import type { ModelReferenceByName } from './names.js';

export type ModelState =
  | { readonly status: 'none' }
  | NamedModel
  /** Version numbers continue when a model of the same name is created again. */
  | { readonly status: 'deleted'; readonly lastVersion: number; readonly events: number };

export type ModelVersion = VersionSource & {
  readonly version: number;
  readonly addedBy: string;
  readonly addedAt: string;
};

type Promotion = {
  readonly version: number;
  readonly previous: number | null;
  readonly rollback: boolean;
  readonly reason: string;
  readonly actor: string;
  readonly at: string;
};

export type NamedModel = {
  readonly status: 'active';
  readonly modelId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string | null;
  /** A name that only trainings gave may still be given by a person. */
  readonly givenBy: 'person' | 'training' | 'training, then person';
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastVersion: number;
  /** In order of their numbers. */
  readonly versions: readonly ModelVersion[];
  /** Number of the version that the bare name refers to; null: none yet. */
  readonly inUse: number | null;
  /** Versions that were in use before, oldest first: a rollback returns to the last of them. At most 100. */
  readonly earlier: readonly number[];
  readonly labels: Readonly<Record<string, number>>;
  readonly traffic: Traffic | null;
  readonly shadow: number | null;
  readonly policy: JsonObject | null;
  /** Newest first; the last 100. */
  readonly promotions: readonly Promotion[];
  /** Drift that is on record, by `driftKey`; the last 100. */
  readonly drifts: readonly string[];
  /** On the stream so far. */
  readonly events: number;
};

const MAX_REMEMBERED = 100;

export function evolve(state: ModelState, event: ModelEvent): ModelState {
  const events = state.status === 'none' ? 1 : state.events + 1;
  if (event.type === 'model-created.v1') {
    const { actor, at, trainingJobId, ...model } = event.data;
    const created = { createdBy: actor, createdAt: at, updatedAt: at, events };
    if (state.status === 'active') return { ...state, ...model, ...created, givenBy: 'training, then person' };
    return {
      ...{ status: 'active', ...model, ...created, givenBy: trainingJobId === undefined ? 'person' : 'training' },
      ...{ lastVersion: state.status === 'deleted' ? state.lastVersion : 0, versions: [], inUse: null, earlier: [] },
      ...{ labels: {}, traffic: null, shadow: null, policy: null, promotions: [], drifts: [] },
    };
  }
  if (state.status !== 'active') return state;
  const next = { ...state, events, updatedAt: event.data.at };
  switch (event.type) {
    case 'model-version-added.v1': {
      const { version, target, trainingJobId, baseModel, distillationId, actor, at } = event.data;
      const source = { target, trainingJobId, baseModel, ...(distillationId !== undefined && { distillationId }) };
      const added = { version, ...source, addedBy: actor, addedAt: at };
      return { ...next, lastVersion: version, versions: [...state.versions, added] };
    }
    case 'model-version-promoted.v1': {
      const { version, previous, rollback, reason, actor, at } = event.data;
      const promotion = { version, previous, rollback, reason, actor, at };
      return {
        ...next,
        inUse: version,
        earlier: earlierAfter(state, version, rollback),
        promotions: [promotion, ...state.promotions].slice(0, MAX_REMEMBERED),
        // The version in use needs no share of the calls and no shadow.
        traffic: state.traffic?.version === version ? null : state.traffic,
        shadow: state.shadow === version ? null : state.shadow,
      };
    }
    case 'model-label-set.v1':
      return { ...next, labels: { ...state.labels, [event.data.label]: event.data.version } };
    case 'model-label-removed.v1': {
      const { [event.data.label]: _, ...labels } = state.labels;
      return { ...next, labels };
    }
    case 'model-traffic-set.v1':
      return { ...next, traffic: event.data.traffic };
    case 'model-shadow-set.v1':
      return { ...next, shadow: event.data.version };
    case 'model-policy-set.v1':
      return { ...next, policy: event.data.policy };
    case 'drift-detected.v1':
      // Nobody changed the model.
      return { ...state, events, drifts: [...state.drifts, driftKey(event.data)].slice(-MAX_REMEMBERED) };
    case 'model-deleted.v1':
      return { status: 'deleted', lastVersion: state.lastVersion, events };
  }
}

/** Key by which a drift is reported once. */
export const driftKey = ({ version, week, measure }: Pick<DriftSeen, 'version' | 'week' | 'measure'>): string =>
  `${version}/${week}/${measure}`;

function earlierAfter({ earlier, inUse }: NamedModel, version: number, isRollback: boolean): readonly number[] {
  if (isRollback) {
    const last = earlier.lastIndexOf(version);
    return last < 0 ? earlier : earlier.slice(0, last);
  }
  return inUse === null ? earlier : [...earlier, inUse].slice(-MAX_REMEMBERED);
}

export const versionOf = ({ versions }: NamedModel, version: number | null | undefined): ModelVersion | null =>
  versions.find((each) => each.version === version) ?? null;

/** The version that a reference resolves to; null if there is none. */
export function referredVersion(model: NamedModel, ref: ModelReferenceByName['ref']): ModelVersion | null {
  if (ref === null) return versionOf(model, model.inUse);
  return versionOf(model, 'version' in ref ? ref.version : labelled(model, ref.label));
}

/** Number of the version that has a label. */
export const labelled = ({ labels }: NamedModel, label: string): number | undefined =>
  Object.hasOwn(labels, label) ? labels[label] : undefined;
