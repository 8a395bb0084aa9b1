import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import { v7 as uuid7 } from 'uuid';
import type { Caller, RequestIdentity } from '#application/caller.js';
import type { FastifyRequest } from '../http.js';
import { withRouteConfig } from '../route-config.js';
import { whyOf } from '../why.js';

/** The route answers without a key or session. */
export const Public = (): MethodDecorator =>
  applyDecorators(withRouteConfig({ access: 'public' }), ApiExtension('x-public', true));

/** The route takes a password: sites and networks are checked before its body is read. */
export const SignsIn = (): MethodDecorator => withRouteConfig({ signsIn: true });

/** The route is a GET that has side effects. */
export const Changes = (): MethodDecorator => withRouteConfig({ changes: true });

/** The route needs a browser session: with an API key it is 403. */
export const SessionOnly = (): MethodDecorator =>
  applyDecorators(withRouteConfig({ access: 'session' }), ApiSecurity('session'));

/** The authenticated caller. Only for routes that are not public. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!caller) throw new Error('@CurrentCaller() on a public route');
  return caller;
});

/** The request's id, and the command id under which it acts. */
export const Identity = createParamDecorator((_: unknown, context: ExecutionContext): RequestIdentity => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const { id, commandId, repeated, query, routeOptions, ip } = request;
  const why = whyOf(query, routeOptions.config.why);
  return { requestId: id, commandId: commandId ?? uuid7(), repeated, why, ip };
});
