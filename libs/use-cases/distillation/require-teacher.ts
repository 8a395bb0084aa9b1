import type { Caller } from '#application/caller.js';
import type { Models } from '#calls/models.js';
import { InvalidError, NotFoundError } from '#domain/errors.js';
import type { Path } from '#primitives/reader.js';
import type { KeyGate } from '../limits/key-gate.js';

/**
 * The catalog id of a teacher.
 * @param path of the field that names it
 * @param mend what to do where there is no such model
 * @throws InvalidError there is none, or it does not generate text; ForbiddenError the caller's key may not call it
 */
export async function requireTeacher(
  { models, keys }: { readonly models: Models; readonly keys: KeyGate },
  caller: Caller,
  id: string,
  path: Path,
  mend = 'GET /base-models lists those that there are',
): Promise<string> {
  const refused = (message: string) => new InvalidError({ path: [...path], message, type: 'not_allowed' });
  const { entry, named, trainingJobId } = await models.resolve(caller, id).catch((error: unknown) => {
    if (!(error instanceof NotFoundError)) throw error;
    throw refused(`must be a model here that generates text, and there is none ${JSON.stringify(id)}: ${mend}`);
  });
  if (named || trainingJobId !== null || entry.task_type !== 'decoder')
    throw refused('must be the catalog id of a model that generates text');
  await keys.requireModel(caller, entry.id);
  return entry.id;
}
