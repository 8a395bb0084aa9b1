import type { FastifyRequest } from '../../edge/http.js';

/** Headers of the agent's request that its own requests to routes carry: who asks, and from where. */
const CARRIED = [
  'authorization',
  'x-api-key',
  'user-agent',
  'host',
  'x-forwarded-for',
  'x-forwarded-proto',
  'forwarded',
];

export interface OwnRequest {
  readonly method: 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';
  /** Path and query. */
  readonly url: string;
  readonly body?: object | string;
}

export interface OwnAnswer {
  readonly status: number;
  readonly text: string;
  /** Names of fields that the route does not know and did without. */
  readonly ignored?: string | undefined;
}

/** Asks a route of this API in the caller's name, through every hook: it is admitted, limited, priced and recorded like the caller's own request. */
export type AskRoute = (request: OwnRequest) => Promise<OwnAnswer>;

export function routesFor({ server, headers, socket }: FastifyRequest): AskRoute {
  const carried = Object.fromEntries(CARRIED.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])));
  return async ({ method, url, body }) => {
    const answer = await server.inject({
      method,
      url,
      headers: carried,
      ...(socket.remoteAddress !== undefined && { remoteAddress: socket.remoteAddress }),
      ...(body !== undefined && { payload: body }),
    });
    const ignored = answer.headers['anneal-ignored'];
    return {
      status: answer.statusCode,
      text: answer.payload,
      ignored: ignored === undefined ? undefined : String(ignored),
    };
  };
}
