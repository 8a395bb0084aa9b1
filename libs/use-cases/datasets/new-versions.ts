import {
  datasetDecider,
  type DatasetType,
  type DatasetVersion,
  type FilePurpose,
  type GenerationType,
  type PinnedObject,
  type VersionReference,
} from '#domain/dataset/index.js';
import type { Application } from '#application/application.js';
import type { CommandContext } from '#log/context.js';
import { DATASETS_VISIBLE_IN, datasetStreamId } from '#application/datasets.js';
import { derivedId } from '#log/execute.js';

interface NewVersion {
  readonly workspaceId: string;
  readonly name: string;
  readonly datasetType: DatasetType;
  readonly generationType: GenerationType;
  readonly projectId: string | null;
  readonly fileName?: string;
  /** Absent: the rows decide. */
  readonly layout?: string;
  /** Absent: examples. */
  readonly purpose?: FilePurpose;
  /** Absent: none. */
  readonly mergedWith?: VersionReference;
}

/**
 * A new version of a named dataset, which has no rows yet. Repeated under the same command id it is the same version.
 * @throws DomainError as the dataset refuses it
 */
export async function initializeVersion(
  application: Application,
  { workspaceId, name, ...version }: NewVersion,
  context: CommandContext,
): Promise<DatasetVersion> {
  const { state } = await application.execute(
    datasetDecider,
    datasetStreamId(workspaceId, name),
    { type: 'initialize-version', workspaceId, name, fileName: null, ...version, format: 'jsonl', columnMapping: {} },
    { ...context, commandId: initializedBy(context) },
    DATASETS_VISIBLE_IN,
  );
  // The command's own event is the last one of this state.
  return state.versions.at(-1)!;
}

/** The command id under which `initializeVersion` creates a version. */
export const initializedBy = ({ commandId }: Pick<CommandContext, 'commandId'>): string =>
  derivedId(commandId, 'initialize-version');

/** Gives a version its rows; it is then processed like an upload. A repeat changes nothing. */
export async function sealVersion(
  application: Application,
  { workspaceId, name, versionId }: Pick<DatasetVersion, 'workspaceId' | 'name' | 'versionId'>,
  source: PinnedObject,
  context: CommandContext,
  collected?: PinnedObject,
): Promise<void> {
  const commandId = derivedId(context.commandId, 'seal-version');
  await application.execute(
    datasetDecider,
    datasetStreamId(workspaceId, name),
    { type: 'seal-version', workspaceId, versionId, source, ...(collected && { collected }) },
    { ...context, commandId },
    DATASETS_VISIBLE_IN,
  );
}
