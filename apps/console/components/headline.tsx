import Check from 'lucide-react/icons/check';
import CircleX from 'lucide-react/icons/circle-x';
import Info from 'lucide-react/icons/info';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import type { ReactElement, ReactNode } from 'react';

const KINDS = { good: Check, warn: TriangleAlert, bad: CircleX, info: Info } as const;

interface Props {
  readonly kind: keyof typeof KINDS;
  /** What the page says first: one sentence with its numbers, and how many rows stand behind them. */
  readonly children: ReactNode;
  /** One line about what follows from it. */
  readonly then?: ReactNode;
  readonly action?: ReactNode;
}

/** The verdict of a page. */
export function Headline({ kind, children, then, action }: Props): ReactElement {
  const Icon = KINDS[kind];
  return (
    <section className={`headline ${kind}`} aria-label="In short">
      <span className="sign">
        <Icon className="i lg" />
      </span>
      <div className="min-w-0">
        <p className="say">{children}</p>
        {then && <p className="then">{then}</p>}
      </div>
      {action && <div className="actions">{action}</div>}
    </section>
  );
}
