import type { FastifyInstance } from 'fastify';
import type { Caller } from '#application/caller.js';
import type { RefusedNetworks } from './auth/refused-networks.js';
import type { Authenticator } from './auth/authenticator.js';
import { credentialsOf, showsApiKey } from './auth/credentials.js';
import { requirePermission } from './auth/permissions.js';
import type { SeenKeys } from './auth/seen-keys.js';
import { refuseOtherSites, requireSameSite, type Site } from './auth/same-site.js';
import { clientNetwork } from './connections/client-network.js';
import { dialectOf } from './errors/envelope.js';
import { HttpError } from './errors/http-error.js';
import type { FastifyReply, FastifyRequest } from './http.js';
import type { RateVerdict } from '#use-cases/limits/fixed-windows.js';
import { addLimitHeaders, type RateLimiter } from './limits/rate-limiter.js';

interface Gate {
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly refusedNetworks: RefusedNetworks;
  readonly seenKeys: SeenKeys;
  readonly site: Site;
}

/**
 * Authenticates and limits a request before its body is read, so that 401 and 429 precede any error about the body. A
 * Fastify hook, because a Nest guard would run after the body; without a promise when the answer is cached.
 */
export function addGate(fastify: FastifyInstance, gate: Gate): void {
  fastify.decorateRequest('caller', null);
  fastify.decorateRequest('commandId', null);
  fastify.decorateRequest('repeated', false);
  fastify.addHook('onRequest', (request, reply, done) => {
    addCommonHeaders(request, reply);
    try {
      const passing = pass(request, reply, gate);
      if (passing) passing.then(() => done(), done);
      else done();
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Sets the headers of every answer. Pages and files override some of them. */
export function addCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = reply;
  raw.setHeader('cache-control', 'no-store');
  raw.setHeader('x-request-id', request.id);
  const dialect = dialectOf(request.originalUrl, request.headers['anthropic-version'] !== undefined);
  if (dialect === 'anthropic' || dialect === 'anthropic+detail') raw.setHeader('request-id', request.id);
  raw.setHeader('x-content-type-options', 'nosniff');
  raw.setHeader('referrer-policy', 'no-referrer');
  raw.setHeader('x-frame-options', 'DENY');
}

function pass(request: FastifyRequest, reply: FastifyReply, gate: Gate): void | Promise<void> {
  const { config, url } = request.routeOptions;
  const { headers } = request;
  if (config.signsIn) {
    refuseOtherSites(headers, gate.site);
    gate.refusedNetworks.requireAllowed(clientNetwork(request.ip));
  }
  if (config.access === 'public' || isDocumentation(url)) return;
  if (config.access === 'session' && showsApiKey(headers))
    throw new HttpError(403, 'this needs a browser session; an API key cannot do it', { code: 'forbidden' });
  const credentials = credentialsOf(headers);
  const caller = gate.authenticator.authenticate(credentials);
  const say = (verdict: RateVerdict | null): void => {
    if (verdict) addLimitHeaders(reply.raw, verdict);
  };
  const admit = (who: Caller): void | Promise<void> => {
    if (credentials.kind === 'session' && credentials.byCookie) requireSameSite(request.method, headers, gate.site);
    requirePermission(who, request);
    request.caller = who;
    gate.seenKeys.saw(who, request);
    const verdict = gate.limiter.take(config.rateLimit ?? 'default', who);
    return verdict instanceof Promise ? verdict.then(say) : say(verdict);
  };
  return caller instanceof Promise ? caller.then(admit) : admit(caller);
}

/** Routes of @nestjs/swagger, which cannot be decorated. */
const isDocumentation = (url: string | undefined): boolean =>
  url === '/openapi.json' || url === '/docs' || url?.startsWith('/docs/') === true;
