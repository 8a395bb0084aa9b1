import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { fileURLToPath } from 'node:url';
import type { ObjectStore } from '#ports/object-store/port.js';
import type { FastifyReply, FastifyRequest } from '../http.js';
import { preloadsOf } from './preloads.js';

/** The folder of the built console, `dist/apps/console`. */
const BUNDLE = fileURLToPath(new URL('../../../console/', import.meta.url));
/** The bundler puts a hash of a file's content into its name. */
const FOR_EVER = { maxAge: '1y', immutable: true };
const PAGE = 'index.html';

/**
 * Serves the console below `/console/`: files of the bundle, and its page for every other address, since the page
 * routes by itself.
 * @param objects address of uploads, possibly of another origin
 */
export function serveConsole(fastify: FastifyInstance, objects: ObjectStore): void {
  void fastify.register(fastifyStatic, { root: BUNDLE, serve: false, preCompressed: true });
  // The page's own addresses have search parameters.
  const config = { access: 'public', query: 'any' } as const;
  const page = async (request: FastifyRequest, reply: FastifyReply) =>
    sendPage(reply.header('link', await preloadsOf(BUNDLE, request.url)), await originOf(objects));
  fastify.get('/console', { config }, page);
  fastify.get('/console/*', { config }, page);
  fastify.get<{ Params: { '*': string } }>('/console/assets/*', { config }, (request, reply) =>
    reply.sendFile(`assets/${request.params['*']}`, FOR_EVER),
  );
}

const sendPage = (reply: FastifyReply, objectsOrigin: string): FastifyReply =>
  reply
    .header('content-security-policy', contentSecurityPolicy(objectsOrigin))
    .header('cache-control', 'no-cache')
    .sendFile(PAGE, { cacheControl: false });

const originOf = async (objects: ObjectStore): Promise<string> =>
  new URL(await objects.presignPut('console/origin', { expiresInSeconds: 1, maxBytes: 0 })).origin;

/** Nothing of other origins is run, shown or requested; scripts and styles must be files of this server. */
const contentSecurityPolicy = (objectsOrigin: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    `connect-src 'self' ${objectsOrigin}`,
    "img-src 'self' data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
