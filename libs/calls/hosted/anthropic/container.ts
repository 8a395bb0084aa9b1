import { createHash } from 'node:crypto';
import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';
import { fields, text, without } from '../changed.js';
import type { Dropped } from '../dropped.js';
import type { Provider } from '../providers.js';

/**
 * The id of a container in which a provider runs code is marked in answers with the provider that has it: a conversation may go on
 * with another one, which knows no such container and would refuse the request.
 */
const MARK = /^(.+)\.([0-9a-f]{8})$/s;
const markOf = ({ name }: Provider): string => createHash('sha256').update(name).digest('hex').slice(0, 8);

/** The same fields of an answer, with the provider's mark on the id of its container. */
export const markedContainer = (answer: JsonObject, provider: Provider): JsonObject =>
  fields({ container: fields({ id: text((id) => `${id}.${markOf(provider)}`) }) })(answer) as JsonObject;

/** The body for a provider: its own container without the mark, and none of another provider, of which the caller is told. */
export function withOwnContainer(body: JsonObject, provider: Provider, dropped: Dropped): JsonObject {
  const { container } = body;
  const given = isRecord(container) ? container['id'] : container;
  const [, id, mark] = typeof given === 'string' ? (MARK.exec(given) ?? []) : [];
  if (id === undefined) return body;
  const isOwn = mark === markOf(provider);
  if (!isOwn) dropped.drop('container.id');
  const rest = isRecord(container) ? without(container, (name) => name === 'id') : {};
  const own: Json = isRecord(container) ? { ...(isOwn && { id }), ...rest } : id;
  if (isOwn || Object.keys(rest).length > 0) return { ...body, container: own };
  return without(body, (name) => name === 'container');
}
