import type { Application } from '#application/application.js';
import { datasetStreamId } from '#application/datasets.js';
import { datasetDecider, refuseFullDataset } from '#domain/dataset/index.js';
import { requireOwnName } from '../datasets/own-name.js';

/**
 * @param name null: nothing is saved
 * @throws InvalidError it is the name of a benchmark, which the rows would hide
 * @throws ConflictError the dataset takes no new version
 * @throws QuotaExceededError
 */
export async function requireNameToSaveIn(
  application: Application,
  workspaceId: string,
  name: string | null,
): Promise<void> {
  if (name === null) return;
  await requireOwnName(application, workspaceId, name, 'dataset_name');
  await application.storage.requireRoom(workspaceId);
  refuseFullDataset(name, await application.load(datasetDecider, datasetStreamId(workspaceId, name)));
}
