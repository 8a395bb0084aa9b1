import type { ComponentProps, ReactElement } from 'react';

/** At most one `main` button is on a page. */
const KINDS = { plain: 'btn', main: 'btn primary', bad: 'btn danger', quiet: 'btn ghost' } as const;

/** The look of a button, for links that lead to an action as well. */
export const buttonClass = (kind: keyof typeof KINDS = 'plain'): string => KINDS[kind];

interface Props extends ComponentProps<'button'> {
  readonly kind?: keyof typeof KINDS;
}

export const Button = ({ kind = 'plain', type = 'button', className = '', ...rest }: Props): ReactElement => (
  <button type={type} className={`${buttonClass(kind)} ${className}`} {...rest} />
);
