import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { useFilters } from './use-filters.js';
import { number } from './values.js';

export interface Tab {
  /** In the address, `?tab=`. */
  readonly name: string;
  readonly title: string;
  /** How many things are behind it. */
  readonly count?: number | undefined;
  readonly content: ReactNode;
}

/** The parts of a long page, one of which is shown: that of the address, or the first one. */
export function Tabs({ tabs }: { readonly tabs: readonly Tab[] }): ReactElement {
  const [filters] = useFilters();
  const shown = tabs.find(({ name }) => name === filters['tab']) ?? tabs[0];
  return (
    <>
      <nav className="tabs" aria-label="Parts of this page">
        {tabs.map(({ name, title, count }) => (
          <Link
            key={name}
            to="."
            search={{ ...filters, tab: name }}
            resetScroll={false}
            aria-current={name === shown?.name ? 'page' : undefined}
          >
            {title}
            {count !== undefined && <span className="count">{number(count)}</span>}
          </Link>
        ))}
      </nav>
      {shown?.content}
    </>
  );
}
