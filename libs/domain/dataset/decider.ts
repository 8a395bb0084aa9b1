import type { Decider, Env } from '../decider.js';
import { InvalidError } from '../errors.js';
import { refuseFullDataset } from './bounds.js';
import { claim, release } from './claims.js';
import type { CommandOf, DatasetCommand } from './commands.js';
import { describeVersion, firstDescription } from './description.js';
import { deleteDataset, deleteVersion, eraseVersion, purgeVersion, restore } from './deletion.js';
import { DATASET_EVENT_TYPES, type DatasetEvent, type GenerationType, type VersionInitialized } from './events.js';
import { newVersionId } from './ids.js';
import { advance } from './processing.js';
import { evolve, foldDataset, initialDataset, type DatasetState } from './state.js';
import { versionById } from './versions.js';

/** Attempts after which a file that crashes its reader is given up. */
export const MAX_PROCESSING_ATTEMPTS_IN_VAIN = 3;
/** Attempts after which a file is given up if the server crashed each time while reading it. */
export const MAX_PROCESSING_ATTEMPTS = 20;

export const DATASET_NAME = /^[A-Za-z0-9._ -]{1,128}$/;

/**
 * Decides for all versions of one dataset. Its stream holds five to ten events per version and two per job or
 * evaluation.
 */
export const datasetDecider: Decider<DatasetCommand, DatasetEvent, DatasetState> = {
  category: 'dataset',
  eventTypes: DATASET_EVENT_TYPES,
  initial: initialDataset,
  decide,
  evolve,
  folding: foldDataset,
};

function decide(command: DatasetCommand, state: DatasetState, env: Env): readonly DatasetEvent[] {
  switch (command.type) {
    case 'initialize-version':
      return initialize(command, command.generationType ?? 'upload', state, env);
    case 'merge-versions':
      return merge(command, state, env);
    case 'import-version':
      return importFromHub(command, state, env);
    case 'claim-version':
      return claim(command, state, env);
    case 'release-claims':
      return release(command, state, env);
    case 'delete-version':
      return deleteVersion(command, state, env);
    case 'delete-dataset':
      return deleteDataset(command, state, env);
    case 'restore-versions':
      return restore(command, state, env);
    case 'purge-version':
      return purgeVersion(command, state, env);
    case 'erase-version':
      return eraseVersion(command, state, env);
    case 'describe-version':
      return describeVersion(command, state, env);
    case 'record-push':
      return recordPush(command, state, env);
    default:
      return advance(command, versionById(state, command.versionId, command.workspaceId), env);
  }
}

type Beginning = CommandOf<'initialize-version' | 'merge-versions' | 'import-version'>;

function initialize(
  command: Beginning,
  generationType: GenerationType,
  state: DatasetState,
  env: Env,
): readonly DatasetEvent[] {
  if (!DATASET_NAME.test(command.name))
    throw new InvalidError({
      path: ['datasetName'],
      message: 'must be 1 to 128 letters, digits, spaces or any of . _ -',
      type: 'out_of_range',
    });
  const versionId = newVersionId(env);
  if (state.versions.some((version) => version.versionId === versionId)) return [];
  refuseFullDataset(command.name, state);
  const { workspaceId, name, datasetType, format, layout, fileName, columnMapping, labelNames, projectId } = command;
  const { onError } = command;
  const data: VersionInitialized = {
    ...{ workspaceId, name, datasetType, format, fileName, columnMapping, projectId },
    ...(layout !== undefined && { layout }),
    ...(labelNames && Object.keys(labelNames).length > 0 && { labelNames }),
    ...(onError !== undefined && { onError }),
    versionId,
    // Deleted versions stay in the list, so their numbers are never given out again.
    versionNumber: 1 + Math.max(0, ...state.versions.map((version) => version.versionNumber)),
    uploadKey: `uploads/${workspaceId}/${versionId}`,
    kind: command.type === 'initialize-version' ? (command.kind ?? 'training') : 'training',
    generationType,
    ...('purpose' in command && command.purpose !== undefined && { purpose: command.purpose }),
    ...('mergedWith' in command && command.mergedWith && { mergedWith: command.mergedWith }),
    initializedAt: env.now,
  };
  const described = command.type === 'initialize-version' ? command.described : undefined;
  return [
    { type: 'dataset-version-initialized.v1', data },
    ...(described ? firstDescription(versionId, described.description, described.by, env) : []),
  ];
}

function merge(command: CommandOf<'merge-versions'>, state: DatasetState, env: Env): readonly DatasetEvent[] {
  const begun = initialize(command, 'merge', state, env);
  if (begun.length === 0) return [];
  const { sources, contents } = command;
  const requested = { versionId: newVersionId(env), sources, contents, requestedAt: env.now };
  return [...begun, { type: 'dataset-version-merge-requested.v1', data: requested }];
}

function importFromHub(command: CommandOf<'import-version'>, state: DatasetState, env: Env): readonly DatasetEvent[] {
  const begun = initialize(command, 'hub', state, env);
  if (begun.length === 0) return [];
  const requested = { versionId: newVersionId(env), from: command.from, requestedAt: env.now };
  return [...begun, { type: 'dataset-version-import-requested.v1', data: requested }];
}

function recordPush(
  { versionId, repoId, commit, url, isNewRepository }: CommandOf<'record-push'>,
  state: DatasetState,
  env: Env,
): readonly DatasetEvent[] {
  const pushId = env.newId('push');
  if (state.lastPush?.pushId === pushId) return [];
  const pushed = { pushId, versionId, repoId, commit, url, isNewRepository, pushedAt: env.now };
  return [{ type: 'dataset-version-pushed.v1', data: pushed }];
}
