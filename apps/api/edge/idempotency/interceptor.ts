import type { FastifyInstance, RouteOptions } from 'fastify';
import type { IdempotencyRecords, Run } from '#log/idempotency/index.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { HttpError, badRequest } from '../errors/http-error.js';
import type { FastifyRequest } from '../http.js';
import type { IncomingMessage } from 'node:http';

/**
 * Serves `Idempotency-Key` on the routes marked `@Idempotent()`; the others ignore it. Runs after the body was read, so
 * that a malformed request never takes a key, and before the handler; the outcome is recorded before the answer is
 * sent, so that a client with the answer finds the key done.
 */
export function addIdempotency(fastify: FastifyInstance, records: IdempotencyRecords, secret: SecretKey): void {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    if (!route.config?.idempotent) return;
    const runs = new WeakMap<FastifyRequest, Run>();
    route.preHandler = async (request) => {
      const run = await begin(request, records, secret);
      if (!run) return;
      runs.set(request, run);
      request.commandId = run.commandId;
      request.repeated = run.repeated;
    };
    route.onSend = async (request, reply, payload) => {
      await runs.get(request)?.finish(reply.statusCode);
      return payload;
    };
  });
}

async function begin(request: FastifyRequest, records: IdempotencyRecords, secret: SecretKey): Promise<Run | null> {
  const key = idempotencyKeyOf(request.raw);
  if (key === null || !request.caller) return null;
  const { workspaceId } = request.caller;
  const scopes = secret
    .macs('idempotency', `${request.routeOptions.url}\n${key}`)
    .map((mac) => `${workspaceId}:${mac}`);
  // The place of the secret under which the first request of this key was stored; with one secret it is known.
  const place = scopes.length === 1 ? 0 : Math.max(0, await records.firstKnown(scopes));
  const scope = scopes[place]!;
  const mac = (text: string) => secret.macs('idempotency', text)[place]!;
  // A streamed body is not read yet: its handler distinguishes its parts by their ids.
  const { url, body, routeOptions } = request;
  const begun = await records.begin(scope, mac(`${url}\n${canonical(routeOptions.config.streamBody ? null : body)}`));
  switch (begun.kind) {
    case 'go':
      return begun.run;
    case 'running':
      throw new HttpError(409, 'a request with this Idempotency-Key is in progress; try again', {
        code: 'idempotency_in_flight',
        retryAfterSeconds: 1,
      });
    case 'other-request':
      throw new HttpError(422, 'this Idempotency-Key was used for another request; send a new key', {
        code: 'idempotency_mismatch',
        errors: [
          { loc: ['header', 'Idempotency-Key'], msg: 'was already sent with another request', type: 'not_unique' },
        ],
      });
  }
}

/** The order of an object's fields does not matter. */
const canonical = (body: unknown): string =>
  JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  ) ?? '';

/**
 * The `Idempotency-Key` of a request, null without one. The draft requires a quoted string (RFC 8941); most clients
 * send it bare.
 * @throws HttpError 400
 */
function idempotencyKeyOf({ rawHeaders }: IncomingMessage): string | null {
  const given = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'idempotency-key');
  const [header] = given;
  if (header === undefined) return null;
  if (given.length > 1) throw badRequest('the Idempotency-Key header is given twice; send one key');
  const key = /^\s*"((?:[^"\\]|\\["\\])*)"\s*$/.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1') ?? header.trim();
  if (!/^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(key))
    throw badRequest('the Idempotency-Key header must be 1 to 255 printable ASCII characters, such as a UUID');
  return key;
}
