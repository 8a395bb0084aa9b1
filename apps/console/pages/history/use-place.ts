import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { keepInTab } from '../../components/use-stored.js';

interface Place {
  readonly part: number;
  /** Pixels that the list is scrolled by. */
  readonly offset: number;
}

const TOP: Place = { part: 0, offset: 0 };

/**
 * The place in a list to which the browser's way back returns: it is kept with the entry of the browser's history.
 * @returns the place to begin at, and what notes the present one
 */
export function usePlace(): readonly [Place, (place: Place) => void] {
  const entry = useRouterState({ select: ({ location }) => location.state.__TSR_key });
  const name = `anneal-place ${entry ?? ''}`;
  const [begin] = useState<Place>(() => (JSON.parse(sessionStorage.getItem(name) ?? 'null') as Place | null) ?? TOP);
  const now = useRef(begin);
  useEffect(() => {
    const keep = (): void => keepInTab(name, now.current);
    addEventListener('pagehide', keep);
    return () => {
      removeEventListener('pagehide', keep);
      keep();
    };
  }, [name]);
  return [begin, (place) => void (now.current = place)];
}
