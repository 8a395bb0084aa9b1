import type { Route } from './document.js';
import type { WireRequest } from './send.js';

/** An error of a 422 as native routes write it. */
interface FieldError {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/**
 * Errors of a 422 that name anything but a field of the request: one that was sent, or one that is missing beside it.
 * @param value the answer's body
 */
export function unknownFields(route: Route, sent: WireRequest, value: unknown): readonly string[] {
  const { errors } = (value ?? {}) as { readonly errors?: readonly FieldError[] };
  if (!Array.isArray(errors)) return [];
  const body = bodyOf(sent);
  // A body that is no JSON has no fields to compare with.
  if (body === undefined && sent.body !== null) return [];
  const query = Object.fromEntries(new URL(sent.target, 'http://x').searchParams);
  return (errors as readonly FieldError[]).flatMap(({ loc, msg, type }) => {
    const [where, ...path] = loc;
    if (where === 'path') return route.path.includes(`{${path[0]}}`) ? [] : [`names ${loc.join('.')}: ${msg}`];
    const whole = where === 'query' ? query : where === 'body' ? body : sent.headers;
    const isThere = where === 'header' || isIn(whole, path, type);
    return isThere ? [] : [`names ${loc.join('.')} (${type}), which the request lacks: ${msg}`];
  });
}

/** Whether a path leads to a value, or from one to a key that it lacks and should have. */
function isIn(whole: unknown, path: readonly (string | number)[], type: string): boolean {
  let at: unknown = whole ?? {};
  for (const [index, key] of path.entries()) {
    const isLast = index === path.length - 1;
    if (typeof at !== 'object' || at === null) return false;
    const found = Array.isArray(at)
      ? (at as unknown[])[Number(key)]
      : Object.hasOwn(at, key)
        ? (at as Record<string, unknown>)[key]
        : undefined;
    if (found === undefined) return isLast && type === 'missing';
    at = found;
  }
  return true;
}

function bodyOf({ body }: WireRequest): unknown {
  if (body === null) return undefined;
  try {
    return JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'));
  } catch {
    return undefined;
  }
}
