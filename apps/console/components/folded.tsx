import type { ReactElement, ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** Whether something in it is in use: it is not folded then. */
  readonly inUse: boolean;
  readonly children: ReactNode;
}

/** Folded away on phones, where it would fill the first screen, unless it is in use. */
export const Folded = ({ title, inUse, children }: Props): ReactElement => (
  <details open={inUse || matchMedia('(min-width: 40rem)').matches} className="group">
    <summary className="cursor-pointer font-semibold sm:hidden">{title}</summary>
    <div className="max-sm:mt-3">{children}</div>
  </details>
);
