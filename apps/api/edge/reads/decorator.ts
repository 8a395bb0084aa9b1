import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyContextConfig } from 'fastify';
import type { FastifyRequest } from '../http.js';
import { withRouteConfig } from '../route-config.js';
import { toBoolean } from '../validation/query.js';

type ShownContent = NonNullable<FastifyContextConfig['readsContent']>;

/**
 * The route answers with stored contents: texts of calls, corrections, rows of datasets, files, events. Their readers
 * are recorded.
 * @param resource names the content: `call/{id}`, with parameters of path and query in braces; `{resp_:id}` strips that
 * prefix
 * @param options `ifAsked`: the query parameter without which the answer has no contents
 */
export const ReadsContent = (resource: string, options: Omit<ShownContent, 'resource'> = {}): MethodDecorator =>
  applyDecorators(
    withRouteConfig({ readsContent: { resource, ...options } }),
    ApiExtension('x-reads-content', resource),
  );

/** Whether the answer to a request has contents. */
export const asksForContent = ({ ifAsked }: ShownContent, { query }: Pick<FastifyRequest, 'query'>): boolean =>
  ifAsked === undefined || toBoolean((query as Record<string, unknown>)[ifAsked]) === true;

/** The resource of a request: `call/0190b6a0`. */
export function resourceOf(pattern: string, { params, query }: Pick<FastifyRequest, 'params' | 'query'>): string {
  const values = { ...(query as Record<string, unknown>), ...(params as Record<string, unknown>) };
  return pattern.replaceAll(/\{(?:(\w+):)?(\w+)\}/g, (_, beginning: string | undefined, name: string) => {
    const value = values[name];
    if (typeof value !== 'string') return '*';
    return beginning !== undefined && value.startsWith(beginning) ? value.slice(beginning.length) : value;
  });
}
