import { InvalidError, type InvalidField } from '#domain/errors.js';
import { isRecord } from '#primitives/values.js';
import type { Gliner2Body } from './dto.js';

type Path = InvalidField['path'];
type Sent = Pick<Gliner2Body, 'task' | 'schema'>;

/**
 * Runs a function that reads or requires the native form of a schema.
 * @throws InvalidError naming the fields as the client sent them
 */
export async function namingSent<T>(sent: Sent, run: () => T): Promise<Awaited<T>> {
  try {
    return await run();
  } catch (error) {
    throw asSent(sent, error);
  }
}

/** An error about the native form of a schema, naming the fields as the client sent them; any other unchanged. */
export function asSent(sent: Sent, error: unknown): unknown {
  if (!(error instanceof InvalidError)) return error;
  return new InvalidError(error.fields.map(({ path, ...fault }) => ({ path: sentPath(sent, path), ...fault })));
}

/** @param path to a place in the native schema, perhaps below `body` */
export function sentPath({ task, schema }: Sent, path: Path): Path {
  const at = path.indexOf('schema') + 1;
  if (at === 0) return path;
  const [before, rest] = [path.slice(0, at), path.slice(at)];
  const [head, ...inner] = rest;
  const fields: Record<string, unknown> = isRecord(schema) ? schema : {};
  if (task === 'extract_entities' && head === 'entities' && isRecord(schema) && !('entities' in schema))
    return [...before, ...inner];
  if (task === 'extract_json' && head === 'structures' && !isRecord(fields['structures'])) return [...before, ...inner];
  if (head !== 'classifications') return path;
  const [task0, field, ...label] = inner;
  const { classifications, categories } = fields;
  if (task === 'classify_text' && (categories !== undefined || Array.isArray(schema))) {
    if (field !== 'labels') return [...before, ...(Array.isArray(schema) ? [] : ['categories'])];
    return [...before, ...(Array.isArray(schema) ? label : ['categories', ...label])];
  }
  const definition =
    isRecord(classifications) || Array.isArray(classifications) ? own(classifications, task0) : undefined;
  if (!isRecord(definition) || task0 === undefined) return path;
  const to = [...before, head, task0];
  if (field === 'labels') return [...to, field, ...label];
  return field === 'threshold' && definition['threshold'] === undefined && definition['cls_threshold'] !== undefined
    ? [...to, 'cls_threshold', ...label]
    : path;
}

const own = (of: object, key: string | number | undefined): unknown =>
  key !== undefined && Object.hasOwn(of, key) ? (of as Record<string, unknown>)[key] : undefined;
