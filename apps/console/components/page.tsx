import { useIsFetching } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState, type ReactElement, type ReactNode } from 'react';
import { Bars } from './states.js';

/** A list; a list beside a form; a thing with its verdict and its parts. */
export type Shape = 'list' | 'columns' | 'thing';

const Card = ({ rows }: { readonly rows: number }): ReactElement => (
  <div className="card">
    <div className="body">
      <Bars rows={rows} />
    </div>
  </div>
);

const SHAPES: Readonly<Record<Shape, ReactElement>> = {
  list: <Card rows={10} />,
  columns: (
    <div className="columns">
      <Card rows={8} />
      <Card rows={6} />
    </div>
  ),
  thing: (
    <>
      <Card rows={1} />
      <p className="tabs h-10" />
      <Card rows={8} />
    </>
  ),
};

interface Props {
  readonly title: string;
  /** What the thing is one of, with its address. */
  readonly of?: readonly [title: string, path: string];
  /** The thing's state, beside the title. */
  readonly state?: ReactNode;
  /** A sentence below the title. */
  readonly intro?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  /** Whether lists need all the width of a wide screen. */
  readonly wide?: boolean;
  /** What stands in its place while it loads. */
  readonly shape?: Shape;
  readonly children: ReactNode;
}

/** A page: its heading, which is the title of the browser's tab too, and its content. */
export function Page({
  title,
  of,
  state,
  intro,
  actions,
  wide = false,
  shape = 'list',
  children,
}: Props): ReactElement {
  const isThere = useIsThere();
  useEffect(() => {
    document.title = `${title} · Anneal`;
  }, [title]);
  return (
    <div className="relative">
      {!isThere && (
        <div role="status" aria-label="Loading" className={`page absolute inset-x-0 top-0 ${wide ? 'wide' : ''}`}>
          <header className="head" aria-hidden>
            <div className="min-w-0">
              {of && <p className="crumbs h-6" />}
              <p className="title">{title}</p>
              {/* That of a thing comes with the thing. */}
              {(of ?? intro) && <p className="skeleton mt-1 h-5 w-80 max-w-full" />}
            </div>
          </header>
          {SHAPES[shape]}
        </div>
      )}
      <div aria-busy={!isThere} className={`page ${wide ? 'wide' : ''} ${isThere ? '' : 'opacity-0'}`}>
        <header className="head">
          <div className="min-w-0">
            {of && (
              <p className="crumbs">
                <Link to={of[1]}>{of[0]}</Link>
              </p>
            )}
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <h1>{title}</h1>
              {state}
            </div>
            {intro && <p className="lead">{intro}</p>}
          </div>
          {actions && <div className="actions">{actions}</div>}
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
  <section className="card">
    {(title || actions) && (
      <header>
        {title && <h2>{title}</h2>}
        {actions && <div className="actions">{actions}</div>}
      </header>
    )}
    <div className="body">{children}</div>
  </section>
);
