import type { Application } from '#application/application.js';
import { isBenchmark, seenVersions } from '#application/datasets.js';
import { InvalidError } from '#domain/errors.js';

/**
 * A name that the workspace gave a dataset before the operator gave it to a benchmark stays its own.
 * @throws InvalidError when a new dataset is to get the name of a benchmark, which would hide that from its workspace
 */
export async function requireOwnName(
  application: Application,
  workspaceId: string,
  name: string,
  field: string,
): Promise<void> {
  if (!(await isBenchmark(application, name))) return;
  const [seen] = await seenVersions(application, workspaceId, name);
  if (seen?.workspaceId === workspaceId) return;
  throw new InvalidError({
    path: ['body', field],
    message: `${JSON.stringify(name)} is the name of a benchmark dataset; choose another`,
    type: 'not_allowed',
  });
}
