import type { FastifyInstance } from 'fastify';
import { isRecord } from '#primitives/values.js';
import { printable } from '#calls/hosted/dropped.js';
import type { FastifyReply, FastifyRequest } from './http.js';

const HEADER = 'anneal-ignored';
/** The header says `...` for more. */
const MAX_NAMES = 20;

/** Undeclared fields by the body that has them. */
const ignored = new WeakMap<object, string[]>();

/** Notes a field of a body that its route does not know, by its path: the answer names it. */
export function ignore(body: object, path: readonly (string | number)[]): void {
  const names = ignored.get(body) ?? [];
  if (names.length <= MAX_NAMES) names.push(printable(path.join('.')));
  ignored.set(body, names);
}

/** Notes the fields of a body other than those known. */
export function ignoreOthers(body: unknown, known: ReadonlySet<string>): void {
  if (!isRecord(body)) return;
  for (const name of Object.keys(body)) if (!known.has(name)) ignore(body, [name]);
}

/** The names that were noted for a body; null if there are none. */
export const ignoredIn = (body: unknown): readonly string[] | null =>
  typeof body === 'object' && body !== null ? (ignored.get(body) ?? null) : null;

/** Names ignored fields in a header of the answer. */
export function nameIgnored(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request: FastifyRequest, reply: FastifyReply, payload, done) => {
    const names = ignoredIn(request.body);
    if (names !== null)
      void reply.header(
        HEADER,
        [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ['...'] : [])].join(', '),
      );
    done(null, payload);
  });
}
