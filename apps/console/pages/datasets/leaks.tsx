import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Panel } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { number } from '../../components/values.js';
import { Pairs, type Version } from './pairs.js';

/** Rows of a version that are also in another one on which models are measured: its figures would be too good. */
export function Leaks({ name, version }: Version): ReactElement {
  const [heldOut, setHeldOut] = useState('');
  const kept = useKeptForm(`leaks ${name} ${version}`);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setHeldOut(textOf(new FormData(event.currentTarget), 'held_out').trim().replace(/\s+/, '/'));
  };
  return (
    <Panel title="Leaks into a test set">
      <form ref={kept.ref} onSubmit={submit} className="flex flex-wrap items-start gap-3">
        <Input
          label="Dataset that is measured on"
          name="held_out"
          required
          hint="`tests`, or `tests 2` for its version"
        />
        <div className="pt-6">
          <Button type="submit">Look for leaks</Button>
        </div>
      </form>
      {heldOut && <Found of={{ name, version }} heldOut={heldOut} />}
    </Panel>
  );
}

function Found({ of, heldOut }: { readonly of: Version; readonly heldOut: string }): ReactElement {
  const report = useQuery({
    queryKey: ['datasets', of.name, of.version, 'report', heldOut],
    queryFn: () =>
      body(api.GET('/felix/datasets/{name}/{version}/report', { params: { path: of, query: { held_out: heldOut } } })),
    retry: false,
  });
  return (
    <Loaded query={report}>
      {({ held_out: found }) =>
        !found || found.total === 0 ? (
          <p className="text-good">No row stands in {heldOut}.</p>
        ) : (
          <>
            <p>
              <b>{number(found.total)}</b> rows stand in {found.dataset_name} {found.version_number} too,{' '}
              {number(found.exact)} of them letter by letter; {number(found.leaked_rows)} of its {number(found.rows)}{' '}
              rows are met.
            </p>
            <Pairs
              of={of}
              others={{ name: found.dataset_name, version: found.version_number }}
              pairs={found.leaks.map(({ row, held_out_row }) => ({ row, other: held_out_row }))}
            />
          </>
        )
      }
    </Loaded>
  );
}
