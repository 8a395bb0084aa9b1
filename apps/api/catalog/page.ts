import { badRequest } from '../errors/http-error.js';
import type { Model, ModelList, ModelsQuery } from './dto.js';

/**
 * A page in the form of both SDK families. `before_id` selects the models just before it.
 * @throws HttpError 400 for both cursors at once, or one that is not in the list
 */
export function pageOf(models: readonly Model[], { limit, before_id, after_id }: ModelsQuery): ModelList {
  if (before_id !== undefined && after_id !== undefined) throw badRequest('give before_id or after_id, not both');
  const end = before_id === undefined ? models.length : indexOf(models, 'before_id', before_id);
  const start = after_id === undefined ? 0 : indexOf(models, 'after_id', after_id) + 1;
  const rest = models.slice(start, end);
  const data = before_id === undefined ? rest.slice(0, limit) : rest.slice(-limit);
  return {
    object: 'list',
    data,
    has_more: rest.length > data.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}

function indexOf(models: readonly Model[], name: string, id: string): number {
  const index = models.findIndex((model) => model.id === id);
  if (index < 0) throw badRequest(`${name}: there is no model ${JSON.stringify(id)} in the list`);
  return index;
}
