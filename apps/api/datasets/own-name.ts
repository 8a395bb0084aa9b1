import type { Application } from '#application/application.js';
import { isBenchmark } from '#application/datasets.js';
import { InvalidError } from '#domain/errors.js';

/** @throws InvalidError when a new version is to get the name of a benchmark, which would hide that from its workspace */
export async function requireOwnName(application: Application, name: string, field: string): Promise<void> {
  if (await isBenchmark(application, name))
    throw new InvalidError({
      path: ['body', field],
      message: `${JSON.stringify(name)} is the name of a benchmark dataset; choose another`,
      type: 'not_allowed',
    });
}
