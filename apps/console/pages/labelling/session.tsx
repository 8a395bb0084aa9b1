import { useMemo, useState, type ReactElement } from 'react';
import { Button } from '../../components/button.js';
import { Select } from '../../components/field.js';
import { Panel } from '../../components/page.js';
import { SchemeBuilder } from '../../components/scheme/builder.js';
import { isEmpty, NOTHING } from '../../components/scheme/scheme.js';
import { Empty, Problem } from '../../components/states.js';
import type { Filters } from '../../components/use-filters.js';
import { number } from '../../components/values.js';
import { useCallable } from '../playground/models.js';
import { OneRow } from './one-row.js';
import { schemeOfRows, type Row } from './row.js';
import { Save } from './save.js';
import { useWork, type Done } from './work.js';

interface Props {
  readonly rows: readonly Row[];
  readonly filters: Filters;
  readonly onChange: (changes: Filters) => void;
}

const NOT_KEPT = new Error('This browser has no room for drafts any more. Save what you have; a reload would lose it.');

/** A pass through the rows of a version. */
export function Session({ rows, filters, onChange }: Props): ReactElement {
  const { dataset = '', version = '', pass = '', model = '' } = filters;
  const isBlind = pass === 'blind';
  const work = useWork(dataset, version, pass);
  const own = useMemo(() => schemeOfRows(rows), [rows]);
  const scheme = work.scheme ?? (isEmpty(own) ? { ...NOTHING, entities: [] } : own);
  const at = Math.min(Math.max(0, (Number(filters['row']) || 1) - 1), rows.length - 1);
  const models = useCallable();
  const [attempt, setAttempt] = useState(0);
  const go = (to: number): void => onChange({ row: `${Math.min(Math.max(to, 0), rows.length - 1) + 1}` });
  const finish = (done: Done): void => {
    work.setDone(at, done);
    const next = rows.findIndex((_, index) => index > at && !work.done[index]);
    go(next < 0 ? at + 1 : next);
    setAttempt(attempt + 1);
  };
  const count = (done: Done): number => Object.values(work.done).filter((each) => each === done).length;
  const through = Object.keys(work.done).length;
  return (
    <>
      <Panel title="What to label">
        <div className="grid gap-3">
          <details open={isEmpty(scheme)}>
            <summary>Labels</summary>
            <div className="mt-2">
              <SchemeBuilder scheme={scheme} onChange={work.setScheme} />
            </div>
          </details>
          {!isBlind && (
            <Select
              label="A model labels first"
              value={model}
              onChange={({ target }) => onChange({ model: target.value })}
              hint="Rows without labels begin with its answer and its confidence."
            >
              <option value="">none</option>
              {models.data?.models
                .filter(({ isDecoder }) => !isDecoder)
                .map(({ id, title }) => (
                  <option key={id} value={id}>
                    {title}
                  </option>
                ))}
            </Select>
          )}
        </div>
      </Panel>
      <Panel
        title={`Row ${number(at + 1)} of ${number(rows.length)}`}
        actions={
          <>
            <Button disabled={at === 0} onClick={() => go(at - 1)}>
              Earlier
            </Button>
            <Button disabled={at === rows.length - 1} onClick={() => go(at + 1)}>
              Later
            </Button>
          </>
        }
      >
        <div className="grid gap-3">
          <progress aria-label="Rows that are done" value={through} max={rows.length} className="w-full" />
          <p className="text-sm text-muted">
            {number(count('accepted'))} accepted, {number(count('corrected'))} corrected, {number(count('skipped'))}{' '}
            skipped, {number(rows.length - through)} to go
            {work.done[at] && `; this one was ${work.done[at]}`}
          </p>
          {!work.isKept && <Problem error={NOT_KEPT} />}
          {isEmpty(scheme) ? (
            <Empty>Write above what is to be labelled: entities, classes, structures or relations.</Empty>
          ) : (
            <OneRow
              // Other labels, another row or another model restart the editor, from the draft if there is one.
              key={`${at} ${attempt} ${model} ${JSON.stringify(scheme)}`}
              row={rows[at]!}
              scheme={scheme}
              model={isBlind ? '' : model}
              isBlind={isBlind}
              draft={work.draftOf(at)}
              was={work.done[at]}
              onDone={finish}
            />
          )}
        </div>
      </Panel>
      <Save rows={rows} work={work} scheme={scheme} dataset={dataset} isBlind={isBlind} />
    </>
  );
}
