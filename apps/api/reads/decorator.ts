import { applyDecorators } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from '../http.js';
import { withRouteConfig } from '../route-config.js';

/**
 * The route answers with stored contents: texts of calls, corrections, rows of datasets, files, events. Who reads them is recorded.
 * @param resource names what is read: `call/{id}`, with parameters of path and query in braces; `{resp_:id}` leaves out that beginning
 */
export const ReadsContent = (resource: string): MethodDecorator =>
  applyDecorators(withRouteConfig({ readsContent: resource }), ApiExtension('x-reads-content', resource));

/** The resource of a request: `call/0190b6a0`. */
export function resourceOf(pattern: string, { params, query }: Pick<FastifyRequest, 'params' | 'query'>): string {
  const values = { ...(query as Record<string, unknown>), ...(params as Record<string, unknown>) };
  return pattern.replaceAll(/\{(?:(\w+):)?(\w+)\}/g, (_, beginning: string | undefined, name: string) => {
    const value = values[name];
    if (typeof value !== 'string') return '*';
    return beginning !== undefined && value.startsWith(beginning) ? value.slice(beginning.length) : value;
  });
}
