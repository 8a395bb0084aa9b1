import type { ComponentProps, ReactElement } from 'react';

const KINDS = {
  plain: 'border-line bg-panel text-text hover:bg-raised',
  main: 'border-accent bg-accent text-on-accent hover:opacity-90',
  bad: 'border-bad bg-panel text-bad hover:bg-raised',
  quiet: 'border-transparent bg-transparent text-text hover:bg-raised',
} as const;

/** The look of a button, for links that lead to an action as well. */
export const buttonClass = (kind: keyof typeof KINDS = 'plain'): string =>
  `inline-flex items-center gap-2 rounded-md border px-3 py-1.5 text-sm font-medium no-underline hover:no-underline disabled:cursor-default disabled:opacity-55 ${KINDS[kind]}`;

interface Props extends ComponentProps<'button'> {
  readonly kind?: keyof typeof KINDS;
}

export const Button = ({ kind = 'plain', type = 'button', className = '', ...rest }: Props): ReactElement => (
  <button type={type} className={`${buttonClass(kind)} ${className}`} {...rest} />
);
