import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import type { FastifyRequest } from '../http.js';
import { withRouteConfig } from '../route-config.js';

/** The route answers without a key or session. */
export const Public = (): MethodDecorator =>
  applyDecorators(withRouteConfig({ access: 'public' }), ApiExtension('x-public', true));

/** The route needs a browser session: with an API key it is 403. */
export const SessionOnly = (): MethodDecorator =>
  applyDecorators(withRouteConfig({ access: 'session' }), ApiSecurity('session'));

/** The authenticated caller. Only for routes that are not public. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!caller) throw new Error('@CurrentCaller() on a public route');
  return caller;
});

/** The request's id, as in the `X-Request-Id` header of its response. */
export const RequestId = createParamDecorator(
  (_: unknown, context: ExecutionContext): string => context.switchToHttp().getRequest<FastifyRequest>().id,
);
