import type { Caller } from '#application/caller.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimitName } from './limits/limits.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who makes the request; null on public routes. */
    caller: Caller | null;
    /** Set where the request has an `Idempotency-Key`. */
    commandId: string | null;
    /** A request with this command id came before. */
    repeated: boolean;
  }

  /**
   * What a route says of itself with the decorators `@Public`, `@SignsIn`, `@SessionOnly`, `@RateLimit`, `@StreamBody`, `@Idempotent`
   * and `@AnswerBytes`.
   */
  interface FastifyContextConfig {
    access?: 'public' | 'session';
    /** It takes a password. */
    signsIn?: boolean;
    rateLimit?: RateLimitName;
    /** The body is given as a stream, whatever its media type. */
    streamBody?: boolean;
    /** It takes an `Idempotency-Key`. */
    idempotent?: boolean;
    /** The most bytes of stored content that its answer holds. */
    answerBytes?: (request: FastifyRequest) => number;
  }
}

export type { FastifyReply, FastifyRequest };
