import type { ReactElement, ReactNode } from 'react';
import { useMay, type Route } from '../api/permitted.js';

interface Props {
  /** What the parts inside request of the API. */
  readonly sends: Route;
  readonly children: ReactNode;
}

/** Parts of a page that are there only for people whose role lets them do what the parts are for. */
export const Permitted = ({ sends, children }: Props): ReactElement | null =>
  useMay()(sends) ? <>{children}</> : null;

/** Fields that show what is set to everybody, and can be changed by those whose role permits it. */
export const Editable = ({ sends, children }: Props): ReactElement => {
  const may = useMay();
  return (
    <fieldset disabled={!may(sends)} className="contents">
      {children}
    </fieldset>
  );
};
