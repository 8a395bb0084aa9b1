import type { CallRequest } from '#calls/request.js';
import type { JsonObject } from '#domain/json.js';
import type { FastifyRequest } from '../../edge/http.js';

/** A decoded body, and whose request it came in. */
export interface Incoming<Request> extends Pick<CallRequest, 'caller' | 'correlationId' | 'signal'> {
  readonly request: Request;
  /** The body as it was sent. */
  readonly sent: JsonObject;
}

export const incoming = <Request>(http: FastifyRequest, request: Request, signal?: AbortSignal): Incoming<Request> => ({
  caller: http.caller!,
  correlationId: http.id,
  request,
  sent: http.body as JsonObject,
  signal,
});
