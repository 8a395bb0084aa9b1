import type { FastifyInstance, RouteOptions } from 'fastify';
import { withoutAlias } from './aliases.js';
import { atOwnBase } from './base-urls.js';
import { HttpError } from './errors/http-error.js';

/**
 * Answers 405 with `Allow` if a path has routes, but none for the method of the request; OPTIONS is 204 with the same, where CORS has
 * not answered it. A path without routes stays 404. Call it before routes are made, and after the hook that checks
 * credentials: a client without any gets the same 401 for every path, and cannot find out which of them exist.
 */
export function refuseOtherMethods(fastify: FastifyInstance): void {
  const paths = new Map<string, RegExp[]>();
  fastify.addHook('onRoute', ({ method, url }: RouteOptions) => {
    for (const each of [method].flat()) paths.set(each, [...(paths.get(each) ?? []), pathPattern(url)]);
  });
  fastify.addHook('onRequest', ({ is404, method, originalUrl, headers }, reply, done) => {
    if (!is404) return done();
    const has = (other: string) => {
      const path = pathOf(withoutAlias({ method: other, url: atOwnBase(other, originalUrl) }));
      return paths.get(other)?.some((pattern) => pattern.test(path)) === true;
    };
    const allow = METHODS.filter(has).join(', ');
    if (allow === '') return done();
    if (method === 'OPTIONS') return void reply.code(204).header('allow', allow).send();
    if (headers.upgrade?.toLowerCase() === 'websocket') return done(noWebSocket(allow));
    const message = `this path does not take ${method}; it takes ${allow}`;
    done(new HttpError(405, message, { code: 'method_not_allowed', headers: { allow } }));
  });
}

/**
 * Clients of the Responses API fall back to HTTP at once on this status, and after some retries on others (Codex:
 * https://github.com/openai/codex). A 426 has to name the protocol that is spoken instead (RFC 9110, section 15.5.22).
 */
const noWebSocket = (allow: string): HttpError =>
  new HttpError(426, `this path has no WebSocket transport; it takes ${allow} over HTTP`, {
    code: 'websocket_not_supported',
    headers: { allow, upgrade: 'HTTP/1.1', connection: 'upgrade, close' },
  });

/** The methods of routes, in the order of `Allow`. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Paths that a route of Fastify takes: a parameter is any part of a path, `*` any rest of it. */
function pathPattern(url: string): RegExp {
  const parts = url
    .split(/(:\w+|\*)/)
    .map((part) => (part === '*' ? '.*' : part.startsWith(':') ? '[^/]*' : escaped(part)));
  return new RegExp(`^${parts.join('')}$`);
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The path of an address as the router compares it: decoded, and without the slash at its end. */
function pathOf(url: string): string {
  const path = url.replace(/[?#].*$/s, '').replace(/(?<=.)\/$/, '');
  try {
    return decodeURI(path);
  } catch {
    // The router accepts no such address, with any method.
    return '';
  }
}
