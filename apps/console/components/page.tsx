import { useEffect, type ReactElement, type ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** One sentence below the title. */
  readonly intro?: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page: its heading, which is the title of the browser's tab too, and its content. */
export function Page({ title, intro, actions, children }: Props): ReactElement {
  useEffect(() => {
    document.title = `${title} · Anneal`;
  }, [title]);
  return (
    <div className="mx-auto grid w-full max-w-6xl content-start gap-4 p-4 sm:p-6">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold break-words">{title}</h1>
          {intro && <p className="text-muted">{intro}</p>}
        </div>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
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
