import type { FastifyInstance, RouteOptions } from 'fastify';
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Caller } from '#application/caller.js';
import type { FastifyReply, FastifyRequest } from './http.js';

/** The answer depends on the caller, so a cache must not share it; its CORS headers depend on the page. */
export const VARY = 'X-API-Key, Authorization, Cookie, Origin';

/**
 * Gives every JSON answer of a GET an `ETag` over the rendered body, and answers a request with that `ETag` with 304
 * (RFC 9110, section 13.1.2). Strong, since it identifies the exact bytes; of the workspace too, so that a browser in
 * which another user has signed in gets everything again. The client may store the answers (`private`), but must
 * revalidate them each time (`no-cache`). Public routes, files and streams without their own `ETag` are unchanged.
 */
export function addConditionalRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    const methods = [route.method].flat();
    if (route.config?.access === 'public') return;
    if (methods.includes('GET')) route.onSend = answerConditionally;
    // Fastify's own HEAD routes, which omit the body and send its length.
    else if (methods.includes('HEAD'))
      route.onSend = [answerConditionally, ...[route.onSend ?? []].flat(), withoutLength];
  });
}

/** @param state the answer itself, or what changes whenever the answer does */
export const etagOf = ({ workspaceId }: Caller, state: string): string =>
  `"${hash('sha256', `${workspaceId}\n${state}`, 'base64url').slice(0, 27)}"`;

async function answerConditionally(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (reply.statusCode !== 200 || request.caller === null) return payload;
  // A stream has only the tag that its route gave it.
  const tag = typeof payload === 'string' ? etagOf(request.caller, payload) : reply.getHeader('etag');
  if (typeof tag !== 'string') return payload;
  void reply.header('etag', tag).header('cache-control', 'private, no-cache').header('vary', VARY);
  if (!matches(request.headers['if-none-match'], tag)) return payload;
  if (payload instanceof Readable) payload.destroy();
  void reply.code(304).removeHeader('content-type').removeHeader('content-length');
  return '';
}

/** A 304 without a length keeps the client's copy; a length of 0 would declare it empty. */
async function withoutLength(_request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (reply.statusCode === 304) void reply.removeHeader('content-length');
  return payload;
}

/** Weak comparison with each entry of a list; `*` matches anything. */
export function matches(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const given = ifNoneMatch.match(/(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [];
  return given.some((each) => each.replace(/^W\//, '') === tag);
}
