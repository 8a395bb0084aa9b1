import type { ReadyVersion } from '#domain/dataset/index.js';
import { DamagedError } from '#domain/errors.js';
import type { ObjectStore } from '#ports/object-store/port.js';
import { DamagedObjectError, requireWhole } from '#ports/object-store/whole.js';

/** Call it before a row of the version is shown. @throws DamagedError naming the version */
export async function requireWholeRows(
  store: ObjectStore,
  version: Pick<ReadyVersion, 'name' | 'versionNumber' | 'object'>,
): Promise<void> {
  await requireWhole(store, version.object).catch((error: unknown) => {
    if (!(error instanceof DamagedObjectError)) throw error;
    throw damagedRows(version, error);
  });
}

export function damagedRows(
  { name, versionNumber }: Pick<ReadyVersion, 'name' | 'versionNumber'>,
  error: { readonly isMissing: boolean },
): DamagedError {
  const what = error.isMissing ? 'no longer stored' : 'damaged: their sha256 is not the recorded one';
  return new DamagedError(
    `the stored rows of dataset ${JSON.stringify(name)} version ${versionNumber} are ${what}; restore the object store from a backup, or upload the file again`,
    { cause: error },
  );
}
