import type { Application } from '#application/application.js';
import { requireOwnName } from '../datasets/own-name.js';

/** @param name null: nothing is saved @throws InvalidError it is the name of a benchmark, which the rows would hide */
export async function requireNameToSaveIn(
  application: Application,
  workspaceId: string,
  name: string | null,
): Promise<void> {
  if (name !== null) await requireOwnName(application, workspaceId, name, 'dataset_name');
}
