import type { Caller } from '#application/caller.js';
import type { Why } from '#log/context.js';
import type { Permission } from '#domain/permissions.js';
import type { Type } from '@nestjs/common';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import type { JsonBounds } from '#primitives/text/json-shape.js';
import type { RateLimitName } from '#use-cases/limits/limit-table.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller; null on public routes. */
    caller: Caller | null;
    /** Set if the request has an `Idempotency-Key`. */
    commandId: string | null;
    /** A request with this command id came before. */
    repeated: boolean;
  }

  /**
   * The facts that a route states with the decorators of `auth`, `limits`, `validation` and `idempotency`, and with `@StreamBody`,
   * `@BodyLimit`, `@AnswerBytes` and `@ReadsContent`.
   */
  interface FastifyContextConfig {
    access?: 'public' | 'session';
    /** The route takes a password. */
    signsIn?: boolean;
    /** Any one of these permissions lets a caller use the route. */
    needs?: readonly Permission[];
    /** A GET that has side effects. */
    changes?: boolean;
    rateLimit?: RateLimitName;
    /** The handler gets the body as a stream, whatever its media type. */
    streamBody?: boolean;
    /** The bounds of the body; without, `FEW_FIELDS`. */
    bodyLimits?: JsonBounds;
    /** The DTO of its query, which has no other parameters; without a DTO, it has none. */
    query?: Type<object> | 'any';
    /** Whether the route takes `as_of`. */
    asOf?: boolean;
    /** Parameters that say why something is changed. */
    why?: readonly (keyof Why)[];
    /** The DTO of its body. */
    body?: Type<object>;
    /** Stored contents that the answer shows, as `@ReadsContent` names them, and the query parameter without which it shows none. */
    readsContent?: { readonly resource: string; readonly ifAsked?: string };
    /** Whether the route accepts an `Idempotency-Key`. */
    idempotent?: boolean;
    /** The most bytes of stored content that its answer holds. */
    answerBytes?: (request: FastifyRequest) => number;
  }
}

/** A request that came over a connection or from this process. */
export interface RouteRequest extends Pick<FastifyRequest, 'id' | 'method' | 'url' | 'body'> {
  readonly routeOptions: { readonly url?: string | undefined; readonly config: FastifyContextConfig };
}

export type { FastifyReply, FastifyRequest };
