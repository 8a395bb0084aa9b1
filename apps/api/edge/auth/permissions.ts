import { applyDecorators, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { ApiExtension } from '@nestjs/swagger';
import { forbidden, may, type Caller } from '#application/caller.js';
import type { Permission } from '#domain/permissions.js';
import type { CallerCommand } from '#use-cases/commands-and-queries.js';
import type { RouteRequest } from '../http.js';
import { routeConfigOf, withRouteConfig } from '../route-config.js';

/** Declares the permissions of a route: a caller needs any one of them. */
export const Needs = (...permissions: readonly [Permission, ...Permission[]]): MethodDecorator =>
  applyDecorators(withRouteConfig({ needs: permissions }), ApiExtension('x-needs', permissions));

/** The route gives this command, and needs and counts what the command declares. */
export const Gives = (command: Pick<typeof CallerCommand, 'needs' | 'rateLimit'>): MethodDecorator =>
  applyDecorators(Needs(...command.needs), withRouteConfig({ rateLimit: command.rateLimit }));

/**
 * Declares the permissions of those routes of a controller that declare none: GET needs `reading`, but `content` instead of
 * `history` where it `@ReadsContent`; all others need `write`.
 */
export const ReadingNeeds =
  (reading: Permission): ClassDecorator =>
  ({ prototype }: { readonly prototype: object }) => {
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      const handler = descriptor.value as object;
      const method = typeof handler === 'function' ? methodOf(handler) : undefined;
      if (method === undefined) continue;
      const { access, needs, readsContent } = routeConfigOf(handler);
      if (access === 'public' || needs !== undefined) continue;
      const needed = readsContent !== undefined && reading === 'history' ? 'content' : reading;
      Needs(method === RequestMethod.GET ? needed : 'write')(prototype, name, descriptor);
    }
  };

const methodOf = (handler: object): RequestMethod | undefined =>
  Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;

/** @throws ForbiddenError if the caller lacks every permission that allows this route */
export function requirePermission(caller: Caller, { method, routeOptions }: RouteRequest): void {
  // A route without a declaration needs the widest permissions.
  const needs = routeOptions.config.needs ?? [method === 'GET' || method === 'HEAD' ? 'content' : 'write'];
  if (!needs.some((permission) => may(caller, permission))) throw forbidden(caller, needs);
}
