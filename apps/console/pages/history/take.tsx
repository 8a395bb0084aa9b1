import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { partQuery } from '../../api/queries.js';
import { Button, buttonClass } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { momentsOf } from '../../components/moments.js';
import { Permitted } from '../../components/permitted.js';
import { Loaded } from '../../components/states.js';
import type { Filters } from '../../components/use-filters.js';
import { FILTER_NAMES } from './filters.js';

const FORMATS = { jsonl: 'JSON lines', csv: 'CSV', parquet: 'Parquet' } as const;

/** Exports the calls that the filters select, and imports others. */
export const TakeAndBring = ({ filters }: { readonly filters: Filters }): ReactElement => (
  <>
    <Permitted sends="GET /inferences/export">
      <Export filters={filters} />
    </Permitted>
    <Permitted sends="POST /inferences/import">
      <Import />
    </Permitted>
  </>
);

function Export({ filters }: { readonly filters: Filters }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const inForce = Object.entries(filters).map(([name, value]) => `${FILTER_NAMES[name]}: ${value}`);
  const address = (format: string): string =>
    `/inferences/export?${new URLSearchParams({ ...(momentsOf(filters) as Record<string, string>), format }).toString()}`;
  return (
    <>
      <Button onClick={() => setOpen(true)}>Export</Button>
      <Dialog title="Export calls" open={isOpen} onClose={() => setOpen(false)}>
        <p>
          {inForce.length === 0
            ? 'All recorded calls, the last recorded first, with what they said.'
            : `The calls that the filters select, with what they said. ${inForce.join('; ')}.`}
        </p>
        <div className="flex flex-wrap gap-2">
          {Object.entries(FORMATS).map(([format, title]) => (
            <a key={format} href={address(format)} download className={buttonClass()} onClick={() => setOpen(false)}>
              {title}
            </a>
          ))}
        </div>
      </Dialog>
    </>
  );
}

function Import(): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const part = useQuery({ ...partQuery('import of calls', () => import('./import.js')), enabled: isOpen });
  return (
    <>
      <Button onClick={() => setOpen(true)}>Import</Button>
      <Dialog title="Import calls" open={isOpen} onClose={() => setOpen(false)}>
        <Loaded query={part} rows={6}>
          {({ ImportCalls }) => <ImportCalls onDone={() => setOpen(false)} />}
        </Loaded>
      </Dialog>
    </>
  );
}
