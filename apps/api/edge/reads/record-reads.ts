import type { FastifyInstance, RouteOptions } from 'fastify';
import { actorOf } from '#application/caller.js';
import type { FastifyReply, FastifyRequest } from '../http.js';
import type { ContentReads } from './content-reads.js';
import { asksForContent, resourceOf } from './decorator.js';

/** Records each successful answer of a route with `@ReadsContent`, also one that its client did not read to its end. */
export function recordReads(fastify: FastifyInstance, reads: ContentReads): void {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    const content = route.config?.readsContent;
    // A HEAD route, made for each GET, answers without contents.
    if (content === undefined || [route.method].flat().includes('HEAD')) return;
    const name = `${[route.method].flat().join(', ')} ${route.url}`;
    route.onRequest = [
      ...[route.onRequest ?? []].flat(),
      (request: FastifyRequest, { raw }: FastifyReply, done: () => void) => {
        raw.once('close', () => {
          const { caller } = request;
          if (!caller || !raw.headersSent || raw.statusCode >= 300 || !asksForContent(content, request)) return;
          const resource = resourceOf(content.resource, request);
          reads.add({ workspaceId: caller.workspaceId, actor: actorOf(caller), resource, route: name });
        });
        done();
      },
    ];
  });
  fastify.addHook('onClose', () => reads.stop());
}
