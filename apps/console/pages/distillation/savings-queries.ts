import { queryOptions, useQueries } from '@tanstack/react-query';
import { api, body, type Schema } from '../../api/client.js';

/** Days that savings are told of. */
export const DAYS = 30;

export const savingsQuery = (name: string) =>
  queryOptions({
    queryKey: ['models', name, 'savings'],
    queryFn: () => body(api.GET('/models/{name}/savings', { params: { path: { name }, query: { days: DAYS } } })),
  });

export type Savings = Schema['SavingsRecord'];

/** Dollars that calls cost less than at the teacher alone; null where it answered none, so that nobody knows. */
export const savedIn = ({ cost, cost_before: before }: Pick<Savings, 'cost' | 'cost_before'>): number | null =>
  before === null ? null : before - cost;

/** The savings of those of some names that have a teacher, by name; those that are not there yet are left out. */
export function useSavings(models: readonly Schema['NamedModelRecord'][]): ReadonlyMap<string, Savings> {
  const names = models.filter(({ policy }) => policy?.cascade).map(({ name }) => name);
  const found = useQueries({ queries: names.map(savingsQuery) });
  return new Map(found.flatMap(({ data }, at) => (data ? [[names[at]!, data] as const] : [])));
}
