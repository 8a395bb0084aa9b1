import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactElement, type ReactNode } from 'react';
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

/**
 * The parts of a long page, one of which is shown: that of the address, else `start`, else the first one.
 * @param start a later one changes nothing: what is done in a part must not turn the page to another
 */
export function Tabs({ tabs, start }: { readonly tabs: readonly Tab[]; readonly start?: string }): ReactElement {
  const [filters] = useFilters();
  const [opened] = useState(start);
  const wanted = filters['tab'] ?? opened;
  const shown = tabs.find(({ name }) => name === wanted) ?? tabs[0];
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a phone the shown one may lie beyond the edge.
    const [nav, link] = [row.current, row.current?.querySelector<HTMLElement>('[aria-current]')];
    if (nav && link) nav.scrollLeft = link.offsetLeft - nav.offsetLeft - (nav.clientWidth - link.offsetWidth) / 2;
  }, [shown?.name]);
  return (
    <>
      <nav ref={row} className="tabs" aria-label="Parts of this page">
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
