import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent, ReactElement } from 'react';
import { uploadDataset } from '../../api/upload.js';
import { Button } from '../../components/button.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Panel } from '../../components/page.js';
import type { Scheme } from '../../components/scheme/scheme.js';
import { Problem } from '../../components/states.js';
import { number } from '../../components/values.js';
import { whenReady } from '../datasets/settled.js';
import type { Row } from './row.js';
import { rowsToSave, type Work } from './work.js';

interface Props {
  readonly rows: readonly Row[];
  readonly work: Work;
  readonly scheme: Scheme;
  readonly dataset: string;
  /** Where the labels of a second pass or of one person are saved, apart from the others; null for the dataset itself. */
  readonly ownDataset: string | null;
  /** Whether there is nothing else to do. */
  readonly isNext: boolean;
}

/**
 * Creates a new version of the labelled rows. A second pass, or that of one person, becomes a dataset of its own, with its rows only.
 */
export function Save({ rows, work, scheme, dataset, ownDataset, isNext }: Props): ReactElement {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const isApart = ownDataset !== null;
  const saved = rowsToSave(rows, work, scheme, isApart);
  const done = Object.values(work.done).filter((each) => each !== 'skipped').length;
  const kept = useKeptForm(`labelled ${ownDataset ?? dataset}`);
  const save = useMutation({
    mutationFn: async (name: string) => {
      const content = saved.map((row) => JSON.stringify(row)).join('\n');
      const forgetSaved = work.saving();
      const version = await uploadDataset(name, 'labelled.jsonl', content);
      await whenReady(name, version);
      forgetSaved();
      return { name, version };
    },
    onSuccess: async (params) => {
      kept.forget();
      await queries.invalidateQueries({ queryKey: ['datasets'] });
      await navigate({ to: '/datasets/$name/$version', params });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    save.mutate(textOf(new FormData(event.currentTarget), 'name'));
  };
  const left = rows.length - saved.length;
  return (
    <Panel title="Save">
      <form ref={kept.ref} className="grid gap-3" onSubmit={submit}>
        <p className="text-sm text-muted">
          {number(done)} rows with your labels; {number(saved.length)} rows in all
          {left > 0 &&
            `; ${number(left)} are left out, ${isApart ? 'since you have not labelled them' : 'since they have no labels'}`}
          .
        </p>
        <Input
          label="Dataset"
          name="name"
          required
          defaultValue={ownDataset ?? dataset}
          hint={
            isApart
              ? 'Apart from what others label, so that both can be compared.'
              : 'They become its next version; the versions that are there stay.'
          }
        />
        <Problem error={save.error} />
        <div>
          <Button kind={isNext ? 'main' : 'plain'} type="submit" disabled={done === 0 || save.isPending}>
            {save.isPending ? 'Saving…' : 'Save as a new version'}
          </Button>
        </div>
      </form>
    </Panel>
  );
}
