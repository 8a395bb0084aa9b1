import type { FastifyInstance, RouteOptions } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from './http.js';

type Method = 'GET' | 'POST' | 'DELETE';

/** A renamed route. `:id` stands for the same part of the path in all its names. */
interface Renamed {
  readonly route: string;
  readonly methods: readonly Method[];
  /** The first is the name to use; others were the newest in between. */
  readonly names: readonly [string, ...string[]];
}

const job = (rest: string, ...methods: Method[]): Renamed => ({
  route: `/felix/training-jobs${rest}`,
  methods,
  names: [`/v1/training/jobs${rest}`, `/v1/training-jobs${rest}`],
});
const prefixed = (path: string, ...methods: Method[]): Renamed => ({ route: path, methods, names: [`/v1${path}`] });
const dataset = (rest: string, ...methods: Method[]): Renamed => ({
  route: `/felix/datasets${rest}`,
  methods,
  names: [`/v1/datasets${rest}`],
});

/**
 * The routes that Fastino's public API has renamed since this interface was written, as its documentation names them
 * (https://docs.fastino.ai/openapi.json, September 2026; `training-jobs` became `training/jobs` in October 2026).
 */
export const RENAMED: readonly Renamed[] = [
  prefixed('/gliner-2', 'POST'),
  prefixed('/inferences', 'GET'),
  prefixed('/inferences/:id', 'GET'),
  prefixed('/inferences/:id/feedback', 'GET', 'POST'),
  prefixed('/base-models', 'GET'),
  dataset('', 'GET'),
  dataset('/:name', 'GET', 'DELETE'),
  dataset('/upload/url', 'POST'),
  dataset('/upload/process', 'POST'),
  job('', 'GET', 'POST'),
  job('/:id', 'GET', 'DELETE'),
  job('/:id/logs', 'GET'),
  job('/:id/checkpoints', 'GET'),
  job('/:id/checkpoints/:checkpoint/deploy', 'POST'),
  job('/:id/download', 'GET'),
  job('/:id/stop', 'POST'),
];

/** When the older names were deprecated, in the form of RFC 9745. */
const DEPRECATED_AT = `@${Date.UTC(2026, 10, 23) / 1000}`;

/** `/v1/training/jobs/:id/logs` as a pattern of paths, and their targets. */
const ALIASES = RENAMED.flatMap(({ route, methods, names }) =>
  names.map((name) => ({
    methods: new Set<string | undefined>(methods.includes('GET') ? [...methods, 'HEAD'] : methods),
    pattern: new RegExp(`^${name.replaceAll(/:\w+/g, '([^/?]+)')}/?(?=\\?|$)`),
    route: route.split(/:\w+/).reduce((path, part, at) => `${path}$${at}${part}`),
  })),
);
/** First parts of the aliases after `/v1/`: most requests have another, and are looked at no further. */
const FIRST_PARTS = new Set(RENAMED.flatMap(({ names }) => names.map((name) => name.split('/')[2])));

/** The address of a request under the name that its route has here. Fastify's `rewriteUrl`. */
export function withoutAlias({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): string {
  if (!url.startsWith('/v1/') || !FIRST_PARTS.has(/^[^/?]*/.exec(url.slice(4))![0])) return url;
  const alias = ALIASES.find(({ methods, pattern }) => methods.has(method) && pattern.test(url));
  return alias ? url.replace(alias.pattern, alias.route) : url;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The newer name of the route. */
    successor?: string;
  }
}

/**
 * Points clients of the older names to the newer ones, by `Deprecation` (RFC 9745) and `Link`. Call it before routes
 * are made, and before hooks that refuse requests.
 * @param publicUrl null: links are relative to the host
 */
export function announceSuccessors(fastify: FastifyInstance, publicUrl: string | null): void {
  fastify.addHook('onRoute', (route: RouteOptions) => {
    const method = [route.method].flat()[0];
    const renamed = RENAMED.find(
      ({ route: path, methods }) => path === route.url && methods.some((each) => each === method || method === 'HEAD'),
    );
    if (renamed) route.config = { ...route.config, successor: renamed.names[0] };
  });
  fastify.addHook('onRequest', (request: FastifyRequest, { raw }, done) => {
    const { successor } = request.routeOptions.config;
    if (successor === undefined || request.originalUrl !== request.url) return done();
    const params = request.params as Readonly<Record<string, string>>;
    const path = successor.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
    raw.setHeader('deprecation', DEPRECATED_AT);
    raw.setHeader('link', `<${publicUrl ?? ''}${path}>; rel="successor-version"`);
    done();
  });
}
