import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError, InvalidError, NotFoundError } from '../errors.js';
import type { JsonObject } from '../json.js';
import { MODEL_EVENT_TYPES, type DriftSeen, type ModelEvent, type Traffic, type VersionSource } from './events.js';
import { isModelName, MODEL_LABEL, MODEL_LABEL_IN_WORDS, MODEL_NAME_IN_WORDS } from './names.js';
import { driftKey, evolve, labelled, versionOf, type ModelState, type NamedModel } from './state.js';

/** Versions of one name; their numbers are never reused. */
const MAX_MODEL_VERSIONS = 1_000;
const MAX_MODEL_LABELS = 50;
/** Every call by a name reads its stream, at most once a second: beyond this number only deletion is accepted. */
const MAX_MODEL_EVENTS = 5_000;

/** The model that a command is about, and the actor of the command. */
interface ModelAddress {
  readonly modelId: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly actor: string;
}

type Changes = {
  'create-model': { description: string | null };
  'add-version': VersionSource;
  /** What a training with this name made: the first version is in use if `promotes`, others are candidates. */
  'add-trained': VersionSource & { readonly trainingJobId: string; readonly promotes: boolean };
  'promote-version': { version: number; reason: string };
  /** @see previousVersion for the default version */
  'roll-back': { version: number; reason: string };
  'set-label': { label: string; version: number; reason: string | null };
  'remove-label': { label: string };
  'set-traffic': { traffic: Traffic | null; reason: string | null };
  'set-shadow': { version: number | null; reason: string | null };
  'set-policy': { policy: JsonObject | null };
  'detect-drift': DriftSeen;
  'delete-model': object;
};

type ModelCommand = CommandsOf<{ [Type in keyof Changes]: ModelAddress & Changes[Type] }>;
/** A command without its address. */
export type ModelChange = CommandsOf<Changes>;

/** A name of a workspace, its versions, and the version it refers to. */
export const modelDecider: Decider<ModelCommand, ModelEvent, ModelState> = {
  category: 'model',
  eventTypes: MODEL_EVENT_TYPES,
  initial: { status: 'none' },
  decide,
  evolve,
};

function decide(command: ModelCommand, state: ModelState, env: Env): readonly ModelEvent[] {
  const { modelId, workspaceId, name, actor } = command;
  const named = { modelId, workspaceId, name, actor, at: env.now };
  if (command.type === 'create-model') {
    refuseName(name);
    if (state.status === 'active' && state.givenBy !== 'training') {
      // The command was decided before: its own event is the complete result.
      const isNew = state.events === 1 || state.givenBy === 'training, then person';
      if (isNew && state.createdBy === actor && state.createdAt === env.now) return [];
      throw new ConflictError(`model ${name} exists already; add a version to it`);
    }
    if (state.status === 'deleted') refuseFull(name, state);
    return [{ type: 'model-created.v1', data: { ...named, description: command.description } }];
  }
  if (command.type === 'add-trained') return trained(command, state, named);
  if (command.type === 'delete-model' && state.status === 'deleted') return [];
  if (state.status !== 'active') throw new NotFoundError('model', name);
  if (command.type === 'delete-model') return [{ type: 'model-deleted.v1', data: named }];
  const events = changed(command, state, named);
  if (events.length > 0) refuseFull(name, state);
  return events;
}

/** The label of the newest version that a training made. */
const CANDIDATE = 'candidate';

function trained(
  { trainingJobId, target, baseModel, promotes }: ModelAddress & Changes['add-trained'],
  state: ModelState,
  named: ModelAddress & { at: string },
): readonly ModelEvent[] {
  const { name } = named;
  const model = state.status === 'active' ? state : null;
  if (model?.versions.some((each) => each.trainingJobId === trainingJobId)) return [];
  refuseName(name);
  if (state.status !== 'none') refuseFull(name, state);
  if (model) refuseMoreVersions(model);
  const version = (state.status === 'none' ? 0 : state.lastVersion) + 1;
  const previous = (model && labelled(model, CANDIDATE)) ?? null;
  return [
    ...(model ? [] : [{ type: 'model-created.v1', data: { ...named, description: null, trainingJobId } } as const]),
    { type: 'model-version-added.v1', data: { ...named, version, target, trainingJobId, baseModel } },
    promotes && (model === null || model.versions.length === 0)
      ? {
          type: 'model-version-promoted.v1',
          data: { ...named, version, previous: null, rollback: false, reason: 'the first one trained with this name' },
        }
      : { type: 'model-label-set.v1', data: { ...named, label: CANDIDATE, version, previous, reason: null } },
  ];
}

function refuseMoreVersions({ name, versions }: NamedModel): void {
  if (versions.length >= MAX_MODEL_VERSIONS)
    throw new ConflictError(`model ${name} has ${MAX_MODEL_VERSIONS} versions, the maximum; use another name`);
}

type Change = Exclude<ModelCommand, { type: 'create-model' | 'add-trained' | 'delete-model' }>;

function changed(command: Change, state: NamedModel, named: ModelAddress & { at: string }): readonly ModelEvent[] {
  switch (command.type) {
    case 'add-version': {
      const { target, trainingJobId, baseModel, distillationId } = command;
      // Adding the newest target again adds no version.
      if (state.versions.at(-1)?.target === target) return [];
      refuseMoreVersions(state);
      const version = state.lastVersion + 1;
      const source = { target, trainingJobId, baseModel, ...(distillationId !== undefined && { distillationId }) };
      return [{ type: 'model-version-added.v1', data: { ...named, version, ...source } }];
    }
    case 'promote-version':
    case 'roll-back': {
      const { version, reason } = command;
      requireVersion(state, version);
      const previous = state.inUse;
      if (previous === version) return [];
      const rollback = command.type === 'roll-back';
      if (rollback && (previous === null || (version > previous && !state.earlier.includes(version))))
        throw new ConflictError(
          `version ${version} of model ${state.name} is not earlier than the one in use; promote it instead`,
        );
      return [{ type: 'model-version-promoted.v1', data: { ...named, version, previous, rollback, reason } }];
    }
    case 'set-label': {
      const { label, version, reason } = command;
      refuseLabel(label);
      requireVersion(state, version);
      const previous = labelled(state, label) ?? null;
      if (previous === version) return [];
      if (previous === null && Object.keys(state.labels).length >= MAX_MODEL_LABELS)
        throw new ConflictError(`model ${state.name} has ${MAX_MODEL_LABELS} labels, the maximum; remove one`);
      return [{ type: 'model-label-set.v1', data: { ...named, label, version, previous, reason } }];
    }
    case 'remove-label': {
      const previous = labelled(state, command.label);
      if (previous === undefined) return [];
      return [{ type: 'model-label-removed.v1', data: { ...named, label: command.label, previous } }];
    }
    case 'set-traffic': {
      const { traffic, reason } = command;
      if (traffic?.version === state.traffic?.version && traffic?.percent === state.traffic?.percent) return [];
      if (traffic !== null) requireOther(state, traffic.version, 'a share of the traffic');
      return [{ type: 'model-traffic-set.v1', data: { ...named, traffic, reason } }];
    }
    case 'set-shadow': {
      const { version, reason } = command;
      if (version === state.shadow) return [];
      if (version !== null) requireOther(state, version, 'shadow calls');
      return [{ type: 'model-shadow-set.v1', data: { ...named, version, reason } }];
    }
    case 'set-policy': {
      const { policy } = command;
      if (JSON.stringify(policy) === JSON.stringify(state.policy)) return [];
      return [{ type: 'model-policy-set.v1', data: { ...named, policy } }];
    }
    case 'detect-drift': {
      const { version, week, measure, against, psi, bound } = command;
      requireVersion(state, version);
      if (state.drifts.includes(driftKey(command))) return [];
      return [{ type: 'drift-detected.v1', data: { ...named, version, week, measure, against, psi, bound } }];
    }
  }
}

/** @throws InvalidError naming the field `name` */
function refuseName(name: string): void {
  if (isModelName(name)) return;
  const message = `must be ${MODEL_NAME_IN_WORDS}, and not the id of a job (got ${JSON.stringify(name)})`;
  throw new InvalidError({ path: ['name'], message, type: 'not_allowed' });
}

function refuseLabel(label: string): void {
  if (MODEL_LABEL.test(label)) return;
  const message = `must be ${MODEL_LABEL_IN_WORDS} (got ${JSON.stringify(label)})`;
  throw new InvalidError({ path: ['label'], message, type: 'not_allowed' });
}

function refuseFull(name: string, { events }: { readonly events: number }): void {
  if (events >= MAX_MODEL_EVENTS)
    throw new ConflictError(`model ${name} has a history of ${MAX_MODEL_EVENTS} events, the maximum; use another name`);
}

/** @throws NotFoundError */
function requireVersion(model: NamedModel, version: number): void {
  if (!versionOf(model, version)) throw new NotFoundError('version', `${model.name}@${version}`);
}

/** @throws NotFoundError, ConflictError */
function requireOther(model: NamedModel, version: number, what: string): void {
  requireVersion(model, version);
  if (model.inUse === null) throw new ConflictError(`model ${model.name} has no version in use; promote one first`);
  if (model.inUse === version)
    throw new ConflictError(`version ${version} of model ${model.name} is in use; ${what} can go to another one only`);
}
