import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement, type ReactNode } from 'react';
import { Loading } from './states.js';

interface Props {
  readonly title: string;
  /** A sentence below the title. */
  readonly intro?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Wide screens show more of tables and texts; lines do not become too long to read. */
const WIDTH = 'max-w-6xl min-[1800px]:max-w-[96rem]';

/** A page: its heading, which is the title of the browser's tab too, and its content. */
export function Page({ title, intro, actions, children }: Props): ReactElement {
  const isThere = useIsThere();
  useEffect(() => {
    document.title = `${title} · Anneal`;
  }, [title]);
  return (
    <div className="relative">
      {!isThere && (
        <div className={`absolute inset-x-0 top-0 mx-auto ${WIDTH} p-4 sm:p-6`}>
          <Loading rows={8} />
        </div>
      )}
      <div
        aria-busy={!isThere}
        className={`mx-auto grid w-full ${WIDTH} content-start gap-4 p-4 sm:p-6 ${isThere ? '' : 'opacity-0'}`}
      >
        <header className="flex flex-wrap items-start justify-between gap-3">
          <div className="min-w-0">
            <h1 className="text-xl font-semibold">{title}</h1>
            {intro && <p className="text-muted">{intro}</p>}
          </div>
          {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
        </header>
        {children}
      </div>
    </div>
  );
}

/** Milliseconds without a new request after which the page counts as complete. One answer leads to the next request. */
const QUIET_MS = 50;
const MAX_WAIT_MS = 10_000;

/**
 * Whether the page's first requests are answered: it is then shown whole, so that nothing on it moves. Queries with
 * `meta.late`, which take long, delay nothing.
 */
function useIsThere(): boolean {
  const [isThere, setThere] = useState(false);
  const missing = useIsFetching({
    predicate: ({ state, meta }) => state.status === 'pending' && meta?.['late'] !== true,
  });
  useEffect(() => {
    const timer = setTimeout(() => setThere(true), missing === 0 ? QUIET_MS : MAX_WAIT_MS);
    return () => clearTimeout(timer);
  }, [missing]);
  return isThere;
}

/** A framed part of a page. */
export const Panel = ({
  title,
  actions,
  children,
}: {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}): ReactElement => (
  <section className="min-w-0 rounded-lg border border-line bg-panel p-4">
    {(title || actions) && (
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        {title && <h2 className="text-base font-semibold">{title}</h2>}
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
    )}
    {children}
  </section>
);
