import { useQuery } from '@tanstack/react-query';
import { NEEDS } from './needs.js';
import type { paths } from './schema.js';
import { sessionQuery } from './session.js';

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

/** A route of the API, as `POST /models/{name}/improve`. */
export type Route = {
  [P in keyof paths]: { [M in Method]: paths[P][M] extends undefined ? never : `${Uppercase<M>} ${P}` }[Method];
}[keyof paths];

const needsOf = (route: Route): readonly string[] => NEEDS[route] ?? [route.startsWith('GET ') ? 'history' : 'write'];

/** Whether the API lets somebody with these permissions use a route. */
export function isPermitted(permissions: readonly string[], route: Route): boolean {
  const needs = needsOf(route);
  return needs.length === 0 || needs.some((need) => permissions.includes(need));
}

/** Which routes of the API the signed-in user may use: what they may not use is not offered. */
export function useMay(): (route: Route) => boolean {
  // The frame asks; a button that asked as well would begin again after a failure, and hide what it belongs to.
  const permissions = useQuery({ ...sessionQuery, enabled: false }).data?.permissions ?? [];
  return (route) => isPermitted(permissions, route);
}
