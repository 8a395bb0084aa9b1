import { useNavigate, useRouterState } from '@tanstack/react-router';
import { useMemo } from 'react';

export type Filters = Readonly<Record<string, string | undefined>>;

interface Change {
  /** Whether the browser's way back leads to the filters as they were. */
  readonly pushes?: boolean;
}

/** The page's filters, kept in the search parameters of its address, and their setter. An empty value removes its parameter. */
export function useFilters(): readonly [Filters, (changes: Filters, change?: Change) => void] {
  const navigate = useNavigate();
  const search: unknown = useRouterState({ select: ({ location }) => location.search as unknown });
  const filters = useMemo(() => {
    const entries = Object.entries(search as Record<string, unknown>);
    return Object.fromEntries(entries.map(([name, value]) => [name, plain(value)]));
  }, [search]);
  const change = (changes: Filters, { pushes = false }: Change = {}): void => {
    const next = Object.entries({ ...filters, ...changes }).filter(([, value]) => value);
    void navigate({ to: '.', search: Object.fromEntries(next), replace: !pushes, resetScroll: false });
  };
  return [filters, change];
}

/** The router parses numbers and booleans of an address. */
const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
