import type { JsonObject } from '#domain/json.js';
import type { FastifyRequest } from '../../edge/http.js';
import type { SentBody } from '../../edge/in-process.js';

/** A decoded body, and whose request it came in. */
export interface Incoming<Request> extends SentBody {
  readonly request: Request;
}

export const incoming = <Request>(http: FastifyRequest, request: Request, signal?: AbortSignal): Incoming<Request> => ({
  caller: http.caller!,
  correlationId: http.id,
  request,
  sent: http.body as JsonObject,
  signal,
});
