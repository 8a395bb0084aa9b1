import type { ComponentProps, ReactElement } from 'react';
import { useMay, type Route } from '../api/permitted.js';

/** At most one `main` button is on a page. */
const KINDS = { plain: 'btn', main: 'btn primary', bad: 'btn danger', quiet: 'btn ghost' } as const;

/** The look of a button, for links that lead to an action as well. */
export const buttonClass = (kind: keyof typeof KINDS = 'plain'): string => KINDS[kind];

interface Props extends ComponentProps<'button'> {
  readonly kind?: keyof typeof KINDS;
  /** What it requests of the API, or lets people fill in: people whose role does not permit that do not have the button. */
  readonly sends?: Route;
}

export function Button({
  kind = 'plain',
  type = 'button',
  className = '',
  sends,
  ...rest
}: Props): ReactElement | null {
  const may = useMay();
  if (sends && !may(sends)) return null;
  return <button type={type} className={`${buttonClass(kind)} ${className}`} {...rest} />;
}
