import type { FastifyContextConfig } from 'fastify';

/**
 * The metadata key under which Nest's Fastify adapter finds a route's config (`@RouteConfig` would replace, not merge).
 */
const METADATA = '__fastify_route_config__';

/** A method decorator that adds to its route's Fastify config. */
export const withRouteConfig =
  (config: Partial<FastifyContextConfig>): MethodDecorator =>
  (_target, _name, descriptor) => {
    addRouteConfig(descriptor.value as object, config);
  };

export function addRouteConfig(handler: object, config: Partial<FastifyContextConfig>): void {
  Reflect.defineMetadata(METADATA, { ...routeConfigOf(handler), ...config }, handler);
}

/** The config of a route so far. */
export const routeConfigOf = (handler: object): Partial<FastifyContextConfig> =>
  (Reflect.getMetadata(METADATA, handler) ?? {}) as Partial<FastifyContextConfig>;

/** Gives the handler the body as a stream (`@Req() request: request.body`), unread and unlimited. */
export const StreamBody = (): MethodDecorator => withRouteConfig({ streamBody: true });
