import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { withoutAlias } from './edge/aliases.js';
import { rebased } from './edge/base-urls.js';
import type { ApiParts } from './api.module.js';
import { credentialsOf } from './edge/auth/credentials.js';
import { addConnections, Connections } from './edge/connections/connections.js';
import { connectionLimits } from './edge/connections/limits.js';
import { sendError } from './edge/errors/filter.js';
import { refuseUnreadable } from './edge/errors/unreadable.js';
import { addCommonHeaders } from './edge/request-hook.js';

/** Fastify for the API, with a server that watches its connections. */
export function apiAdapter(
  { settings, logger }: Pick<ApiParts, 'settings' | 'logger'>,
  limits = connectionLimits(settings.bodyMaxBytes),
): FastifyAdapter {
  const connections = new Connections(limits, settings.trustedProxies === null);
  const adapter = new FastifyAdapter({
    logger: false,
    bodyLimit: settings.bodyMaxBytes,
    trustProxy: settings.trustedProxies ?? false,
    genReqId: requestId,
    rewriteUrl: (request: IncomingMessage) => withoutAlias({ method: request.method, url: rebased(request) }),
    forceCloseConnections: 'idle',
    serverFactory: (handler: RequestListener) => connections.createServer(handler),
    routerOptions: { maxParamLength: 2_000, ignoreTrailingSlash: true },
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      // No hook runs, because the address cannot be parsed.
      addCommonHeaders(request, reply);
      sendError(whoAsks(request) ?? error, request, reply, logger);
    },
    clientErrorHandler: refuseUnreadable,
    // This API's own has the shape of every other error.
    return503OnClosing: false,
    skipMiddie: true,
  });
  addConnections(adapter.getInstance(), connections);
  return adapter;
}

/** A request without credentials is 401, whatever its route. */
function whoAsks({ headers }: FastifyRequest): unknown {
  try {
    credentialsOf(headers);
    return null;
  } catch (error) {
    return error;
  }
}

/** The client's own id if it is valid, so that both sides' logs correspond. */
function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9._:-]{1,128}$/.test(given) ? given : randomUUID();
}
