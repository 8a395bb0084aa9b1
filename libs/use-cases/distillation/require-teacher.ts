import type { Caller } from '#application/caller.js';
import type { Models } from '#calls/models.js';
import { InvalidError } from '#domain/errors.js';
import type { Path } from '#primitives/reader.js';
import type { KeyGate } from '../limits/key-gate.js';

/**
 * The catalog id of a teacher.
 * @param path of the field that names it
 * @throws NotFoundError; InvalidError it does not generate text; ForbiddenError the caller's key may not call it
 */
export async function requireTeacher(
  { models, keys }: { readonly models: Models; readonly keys: KeyGate },
  caller: Caller,
  id: string,
  path: Path,
): Promise<string> {
  const { entry, named, trainingJobId } = await models.resolve(caller, id);
  if (named || trainingJobId !== null || entry.task_type !== 'decoder')
    throw new InvalidError({
      path: [...path],
      message: 'must be the catalog id of a model that generates text',
      type: 'not_allowed',
    });
  await keys.requireModel(caller, entry.id);
  return entry.id;
}
