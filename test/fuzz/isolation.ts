import * as fc from 'fast-check';
import { bodySchemaOf, type Route } from './document.js';
import { kindOfPathParameter, Reference, type Kind } from './references.js';
import type { FuzzRequest } from './requests.js';
import type { Schemas } from './schemas.js';
import { valid } from './values.js';

/** The people of a team know of each other. */
const SHARED: ReadonlySet<Kind> = new Set(['member']);

/** Fields with the name of what is made, which another workspace's may equal. */
const MADE = /(?:upload\/url|pull-from-hub|from-feedback|label-existing|generate) dataset_name$| output_name$/;

/** A request that names one thing, by the id of something that another workspace has or nobody. */
export interface Naming {
  readonly kind: Kind;
  readonly request: FuzzRequest;
}

/** For a route, a likely request for each place in which it names a thing: in its path, or in a field of its body. */
export function namingsOf(schemas: Schemas, route: Route): readonly Naming[] {
  const names = [...route.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const kinds = names.map((name) => kindOfPathParameter(route.path, name));
  const schema = bodySchemaOf(route);
  const body = schema && { json: fc.sample(valid(schemas, schema, true), { numRuns: 1, seed: 1 })[0] };
  const place = (kind: Kind | null, whose: Reference['whose']) =>
    kind === null ? '1' : new Reference(kind, kind === 'version' ? 'own' : whose, 0);
  const request = (path: FuzzRequest['path'], json: unknown): FuzzRequest => ({
    ...{ route, credential: 'key', query: [], headers: [], path },
    body: body && { json },
  });
  const inPath = kinds.find((kind): kind is Kind => kind !== null && kind !== 'version' && !SHARED.has(kind));
  const found: Naming[] = [];
  if (inPath) {
    const path = kinds.map((kind) => place(kind, 'foreign'));
    found.push({ kind: inPath, request: request(path, body?.json) });
  }
  const own = kinds.map((kind) => place(kind, 'own'));
  for (const [kind, json] of body ? withOneForeign(body.json, route.path) : [])
    found.push({ kind, request: request(own, json) });
  return found;
}

/** The value with each of its references in turn to something foreign. @param place of the value: the route and the field */
function* withOneForeign(value: unknown, place: string): Generator<readonly [Kind, unknown]> {
  if (value instanceof Reference) {
    const { kind } = value;
    if (kind !== 'version' && !SHARED.has(kind) && !MADE.test(place)) yield [kind, new Reference(kind, 'foreign', 0)];
  } else if (Array.isArray(value)) {
    for (const [index, one] of value.entries())
      for (const [kind, changed] of withOneForeign(one, place)) yield [kind, value.with(index, changed)];
  } else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value))
      for (const [kind, changed] of withOneForeign(one, `${place} ${name}`))
        yield [kind, { ...value, [name]: changed }];
}

/** An id or a name of the same form, that nothing has. */
export const nobodys = (id: string): string =>
  /[0-9a-f]$/.test(id) ? `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}` : `${id}x`;
