import ListFilter from 'lucide-react/icons/list-filter';
import X from 'lucide-react/icons/x';
import { useState, type ReactElement, type ReactNode } from 'react';
import { Panel } from './page.js';
import type { Filters } from './use-filters.js';
import { Views } from './views.js';

interface Props {
  /** Names of the filters for people, in the order in which they are shown. */
  readonly names: Readonly<Record<string, string>>;
  readonly filters: Filters;
  /** Names the page; its filters can then be saved as views. */
  readonly page?: string;
  readonly onChange: (filters: Filters) => void;
  /** A field that is always there, such as a search. */
  readonly search?: ReactNode;
  /** The form of all filters, opened by a button. */
  readonly children: ReactNode;
}

/** The filters in force as chips, each of which can be removed, and the form of all behind a button. */
export function FilterBar({ names, filters, page, onChange, search, children }: Props): ReactElement {
  const [open, setOpen] = useState(false);
  const inForce = Object.entries(names).filter(([name]) => filters[name]);
  return (
    <>
      <div className="chips">
        {search}
        {inForce.map(([name, label]) => (
          <button
            key={name}
            type="button"
            className="chip on"
            title={`Remove this filter: ${label}`}
            onClick={() => onChange({ [name]: '' })}
          >
            <span className="k">{label}:</span> <span className="truncate">{filters[name]}</span>
            <X className="i" />
          </button>
        ))}
        <button type="button" className="chip add" aria-expanded={open} onClick={() => setOpen(!open)}>
          <ListFilter className="i" /> Filters
        </button>
        {page !== undefined && <Views {...{ page, filters, onChange }} names={Object.keys(names)} />}
      </div>
      {open && <Panel>{children}</Panel>}
    </>
  );
}
