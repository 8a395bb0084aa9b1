import type { FastifyInstance, RouteOptions } from 'fastify';
import type { AnswerBudget } from '#use-cases/calls/answer-budget.js';
import type { FastifyReply, FastifyRequest } from './http.js';
import { withRouteConfig } from './route-config.js';

/**
 * Limits the stored content that an answer of this route holds in memory. The answer waits for its share of all
 * answers, else it is 503.
 */
export const AnswerBytes = (bytes: (request: FastifyRequest) => number): MethodDecorator =>
  withRouteConfig({ answerBytes: bytes });

/** Returns the share of an answer when it has been sent, or its client has disconnected. */
export function addAnswerBudget(fastify: FastifyInstance, budget: AnswerBudget): void {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    const bytesOf = route.config?.answerBytes;
    if (!bytesOf) return;
    route.preHandler = async (request: FastifyRequest, { raw }: FastifyReply) => {
      const giveBack = await budget.take(bytesOf(request), request.caller?.workspaceId ?? '');
      if (raw.closed) giveBack();
      else raw.once('close', giveBack);
    };
  });
}
