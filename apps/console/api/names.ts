import { useQuery } from '@tanstack/react-query';
import { api, body } from './client.js';
import { isPermitted, type Route } from './permitted.js';
import { useSession } from './session.js';

/** Names by id: of people `user:…`, of API keys `key:…`, and of trained models by the ids of their jobs. */
export type Names = ReadonlyMap<string, string>;

const NOBODY: Names = new Map();

/** The names of the workspace's people, keys and models, as far as the user may see them. */
export function useNames(): Names {
  const { user_id: user, email, permissions = [] } = useSession().data ?? {};
  const names = useQuery({
    queryKey: ['names', user],
    queryFn: () =>
      findNames(user && email ? [[`user:${user}`, email]] : [], (route) => isPermitted(permissions, route)),
    staleTime: 60_000,
  });
  return names.data ?? NOBODY;
}

async function findNames(own: readonly (readonly [string, string])[], may: (route: Route) => boolean): Promise<Names> {
  const [people, keys, models] = await Promise.allSettled([
    may('GET /workspace') ? body(api.GET('/workspace')) : null,
    body(api.GET('/list-api-keys')),
    may('GET /felix/trained-models')
      ? body(api.GET('/felix/trained-models', { params: { query: { limit: 200 } } }))
      : null,
  ]);
  return new Map(
    [
      ...own,
      ...foundIn(people, (workspace) =>
        (workspace?.members ?? []).map((each) => [`user:${each.user_id}`, each.email ?? '']),
      ),
      ...foundIn(keys, (list) => list.keys.map(({ id, name }) => [`key:${id}`, name])),
      ...foundIn(models, (list) => (list?.models ?? []).map(({ model_id, model_name }) => [model_id, model_name])),
    ].filter(([, name]) => name !== ''),
  );
}

/** What a role does not let see has no names here. */
const foundIn = <T>(
  { status, ...found }: PromiseSettledResult<T>,
  names: (value: T) => readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] => (status === 'fulfilled' && 'value' in found ? names(found.value) : []);
