import { Injectable } from '@nestjs/common';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { Budget } from '#application/budget.js';
import type { FastifyReply, FastifyRequest } from './http.js';
import { withRouteConfig } from './route-config.js';

const MIB = 1024 * 1024;
/** Limit on JSON. While an answer is built, documents, records and text coexist: about four times as much memory. */
const MAX_BYTES = 64 * MIB;
const MAX_WORKSPACE_BYTES = 16 * MIB;
/** Requests of one workspace that wait. */
const MAX_WAITING = 200;
const MAX_WAIT_MS = 30_000;

/** A page of stored content ends once it exceeds this, whatever its `limit`. */
export const MAX_PAGE_BYTES = MIB;

/** Bytes of stored content in all answers that are being built or sent. */
@Injectable()
export class AnswerBudget extends Budget {
  constructor() {
    super({
      total: MAX_BYTES,
      perKey: MAX_WORKSPACE_BYTES,
      maxWaiting: MAX_WAITING,
      maxWaitMs: MAX_WAIT_MS,
      busy: 'too many large answers are being sent at once',
    });
  }
}

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
