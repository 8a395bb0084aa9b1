import Bookmark from 'lucide-react/icons/bookmark';
import X from 'lucide-react/icons/x';
import { useState, type FormEvent, type ReactElement } from 'react';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { Input } from './field.js';
import { textOf } from './form.js';
import { useKept } from './use-kept.js';
import type { Filters } from './use-filters.js';

interface Props {
  /** Names the page's views. */
  readonly page: string;
  /** The names of the page's filters. */
  readonly names: readonly string[];
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
}

const NONE: Readonly<Record<string, Filters>> = {};

/** Filters under a name of the person's own. Each view is an address, which can be sent to others. */
export function Views({ page, names, filters, onChange }: Props): ReactElement {
  const [views, keep] = useKept(`views ${page}`, NONE);
  const [naming, setNaming] = useState(false);
  const now = Object.fromEntries(names.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])));
  const isEmpty = Object.keys(now).length === 0;
  const isNow = (view: Filters): boolean => names.every((name) => (view[name] ?? '') === (now[name] ?? ''));
  const save = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    keep({ ...views, [textOf(new FormData(event.currentTarget), 'name').trim()]: now });
    setNaming(false);
  };
  return (
    <>
      {Object.entries(views).map(([name, view]) => (
        <span key={name} className={`chip ${isNow(view) ? 'on' : ''}`}>
          <button
            type="button"
            aria-pressed={isNow(view)}
            onClick={() => onChange(Object.fromEntries(names.map((each) => [each, view[each] ?? ''])))}
          >
            {name}
          </button>
          <button
            type="button"
            aria-label={`Forget the view ${name}`}
            onClick={() => keep(Object.fromEntries(Object.entries(views).filter(([each]) => each !== name)))}
          >
            <X className="i" />
          </button>
        </span>
      ))}
      {!isEmpty && !Object.values(views).some(isNow) && (
        <button type="button" className="chip add" onClick={() => setNaming(true)}>
          <Bookmark className="i" /> Save this view
        </button>
      )}
      <Dialog title="Save these filters as a view" open={naming} onClose={() => setNaming(false)}>
        <form onSubmit={save} className="grid gap-3">
          <Input
            label="Name of the view"
            name="name"
            required
            maxLength={60}
            autoFocus
            hint="This browser keeps it for you; its address can be sent to others."
          />
          <div className="flex gap-2">
            <Button kind="main" type="submit">
              Save the view
            </Button>
            <Button onClick={() => setNaming(false)}>Cancel</Button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
