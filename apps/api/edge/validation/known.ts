import { Body, Query, type Type } from '@nestjs/common';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { HttpError, summaryOf, type FieldError } from '../errors/http-error.js';
import type { FastifyRequest } from '../http.js';
import { addRouteConfig, withRouteConfig } from '../route-config.js';
import { fieldsOf } from './fields.js';
import { MAX_PROBLEMS } from './problems.js';
import { isRecord } from '#primitives/values.js';

/** Passes the query as its DTO. Undeclared parameters are 422 by name. */
export const KnownQuery = (): ParameterDecorator => documented(Query(), 'query');

/** The classes of bodies that routes take by `KnownBody`. */
export const knownBodies = new Set<Type<object>>();

/** Passes the body as its DTO. Undeclared fields are 422 by name. */
export const KnownBody = (): ParameterDecorator => documented(Body(), 'body');

/** Accepts any query parameter: for pages and signed addresses. */
export const AnyQuery = (): MethodDecorator => withRouteConfig({ query: 'any' });

/** The parameter of `@AsOf()`. */
export const AS_OF = 'as_of';

const documented =
  (decorate: ParameterDecorator, part: 'query' | 'body'): ParameterDecorator =>
  (controller, name, index) => {
    decorate(controller, name, index);
    const types = Reflect.getMetadata('design:paramtypes', controller, name ?? '') as readonly Type<object>[];
    const handler = (controller as Record<string | symbol, object>)[name ?? ''];
    if (handler) addRouteConfig(handler, { [part]: types[index] });
    if (part === 'body' && types[index]) knownBodies.add(types[index]);
  };

/**
 * Refuses input that a native route would silently drop: unknown query parameters, and fields of a body if the route
 * has none. Clients of compatible routes send some of their own (`?beta=true`), which are ignored. No client of another
 * system sends `as_of`, so no route drops it.
 */
export function refuseUnknownInput(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    const { query, asOf = false, why = [], body, bodyLimits, streamBody } = route.config ?? {};
    if (query === 'any' || /^\/(?:docs|openapi\.json)/.test(route.url)) return;
    const isCompatible = route.url.startsWith('/v1/');
    const takesBody = body !== undefined || bodyLimits !== undefined || streamBody === true;
    route.preValidation = (request: FastifyRequest, _reply, done) => {
      const hasQuery = request.url.includes('?');
      const problems = [
        ...(hasQuery
          ? unknownParameters(request.query as object, {
              query,
              others: [...(asOf ? [AS_OF] : []), ...why],
              isCompatible,
            })
          : []),
        ...(isCompatible || takesBody || !isRecord(request.body) ? [] : fieldsOfNone(request.body)),
      ].slice(0, MAX_PROBLEMS);
      if (problems.length === 0) return done();
      done(new HttpError(422, summaryOf(problems), { errors: problems, code: 'invalid' }));
    };
  });
}

interface Taken {
  readonly query: Type<object> | 'any' | undefined;
  /** Parameters that are no fields of `query`. */
  readonly others: readonly string[];
  /** Whether the route's clients may send parameters of their own. */
  readonly isCompatible: boolean;
}

function unknownParameters(given: object, { query, others, isCompatible }: Taken): FieldError[] {
  const known = [...(typeof query === 'function' ? fieldsOf(query).keys() : []), ...others];
  const msg = `is not a parameter of this route, which takes ${known.join(', ') || 'none'}`;
  return Object.keys(given).flatMap((name) =>
    known.includes(name) || (isCompatible && name !== AS_OF)
      ? []
      : [{ loc: ['query', name], msg, type: 'unknown_parameter' }],
  );
}

const fieldsOfNone = (body: object): FieldError[] =>
  Object.keys(body).map((name) => ({
    loc: ['body', name],
    msg: 'is not a field of this request, which takes no body',
    type: 'unknown_field',
  }));
