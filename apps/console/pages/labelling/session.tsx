import { useMemo, useState, type ReactElement } from 'react';
import { useSession } from '../../api/session.js';
import { Button } from '../../components/button.js';
import { Headline } from '../../components/headline.js';
import { Panel } from '../../components/page.js';
import { SchemeBuilder } from '../../components/scheme/builder.js';
import { isEmpty, NOTHING } from '../../components/scheme/scheme.js';
import { Empty, Problem } from '../../components/states.js';
import type { Filters } from '../../components/use-filters.js';
import { Status } from '../../components/status.js';
import { counted, number } from '../../components/values.js';
import { Ahead } from './ahead.js';
import { useAnswers } from './answers.js';
import { uncertainFirst } from './certainty.js';
import { Guidelines } from './guidelines.js';
import { OneRow } from './one-row.js';
import { isLabelled, schemeOfRows, type Row } from './row.js';
import { Save } from './save.js';
import { passOf, rowsFor, teamOf } from './share.js';
import { TeamPanel } from './team.js';
import { useWork, type Done } from './work.js';

interface Props {
  readonly rows: readonly Row[];
  readonly filters: Filters;
  readonly onChange: (changes: Filters) => void;
}

const NOT_KEPT = new Error('This browser has no room for drafts any more. Save what you have; a reload would lose it.');

/** A pass of a person through their rows of a version. */
export function Session({ rows, filters, onChange }: Props): ReactElement {
  const { dataset = '', version = '', pass = '', model = '', order = '', people = '', twice = '' } = filters;
  const { email } = useSession().data ?? {};
  const isBlind = pass === 'blind';
  const work = useWork(dataset, version, pass);
  const own = useMemo(() => schemeOfRows(rows), [rows]);
  const scheme = work.scheme ?? (isEmpty(own) ? { ...NOTHING, entities: [] } : own);
  const mine = useMemo(
    () => rowsFor(email ?? '', rows.length, teamOf(people, twice)),
    [email, rows.length, people, twice],
  );
  const unlabelled = useMemo(() => mine.filter((row) => !isLabelled(rows[row]!)), [mine, rows]);
  const answers = useAnswers({
    ...{ of: [dataset, version, people, twice, email ?? ''], scheme, rows, indexes: unlabelled },
    model: isBlind || order !== 'uncertain' || isEmpty(scheme) ? '' : model,
  });
  // In the order of the dataset until all are answered: the row on the screen does not change with each batch.
  const queue = answers.isComplete ? uncertainFirst(mine, answers.answered) : mine;
  const asked = (Number(filters['row']) || 0) - 1;
  const place = Math.max(0, queue.indexOf(asked));
  const at = queue[place] ?? -1;
  const [attempt, setAttempt] = useState(0);
  const go = (to: number): void => onChange({ row: `${queue[Math.min(Math.max(to, 0), queue.length - 1)]! + 1}` });
  const finish = (done: Done): void => {
    work.setDone([at], done);
    const next = queue.findIndex((row, index) => index > place && !work.done[row]);
    go(next < 0 ? place + 1 : next);
    setAttempt(attempt + 1);
  };
  const count = (done: Done): number => mine.filter((row) => work.done[row] === done).length;
  const through = mine.filter((row) => work.done[row] !== undefined).length;
  const isShared = people !== '';
  return (
    <>
      {mine.length > 0 && (
        <Headline
          kind={through === mine.length ? 'good' : 'info'}
          then={<progress aria-label="Rows that are done" value={through} max={mine.length} className="mt-2" />}
        >
          <b>
            {number(through)} of {counted(mine.length, 'row')} done
          </b>
          : {number(count('accepted'))} accepted, {number(count('corrected'))} corrected, {number(count('skipped'))}{' '}
          skipped, {number(mine.length - through)} to go
        </Headline>
      )}
      <div className="columns">
        <div>
          {at < 0 ? (
            <Empty>None of the rows is yours: {email} is not among the people who label them.</Empty>
          ) : (
            <Panel
              title={`Row ${number(at + 1)} of ${number(rows.length)}`}
              actions={
                <>
                  {work.done[at] && <Status status={work.done[at]} />}
                  <Button disabled={place === 0} onClick={() => go(place - 1)}>
                    Earlier
                  </Button>
                  <Button disabled={place === queue.length - 1} onClick={() => go(place + 1)}>
                    Later
                  </Button>
                </>
              }
            >
              <div className="grid gap-3">
                {!work.isKept && <Problem error={NOT_KEPT} />}
                {isEmpty(scheme) ? (
                  <Empty>
                    Write under “Labels” what is to be labelled: entities, classes, structures or relations.
                  </Empty>
                ) : (
                  <OneRow
                    // Other labels, another row or another model restart the editor, from the draft if there is one.
                    key={`${at} ${attempt} ${model} ${JSON.stringify(scheme)}`}
                    row={rows[at]!}
                    scheme={scheme}
                    model={isBlind ? '' : model}
                    isBlind={isBlind}
                    answered={answers.answered.get(at)?.annotation}
                    draft={work.draftOf(at)}
                    was={work.done[at]}
                    onDone={finish}
                  />
                )}
              </div>
            </Panel>
          )}
          <Save
            key={isShared ? passOf(dataset, email ?? '') : pass}
            rows={rows}
            work={work}
            scheme={scheme}
            dataset={dataset}
            isNext={through === mine.length}
            ownDataset={isShared ? passOf(dataset, email ?? '') : isBlind ? `${dataset}-second` : null}
          />
        </div>
        <div>
          <Guidelines dataset={dataset} version={version} rows={rows} at={at} isBlind={isBlind} />
          <Panel title="Labels">
            <details open={isEmpty(scheme)}>
              <summary>What to label</summary>
              <div className="mt-2">
                <SchemeBuilder scheme={scheme} onChange={work.setScheme} />
              </div>
            </details>
          </Panel>
          {!isBlind && (
            <Ahead filters={filters} onChange={onChange} answers={answers} asked={unlabelled.length} work={work} />
          )}
          <TeamPanel dataset={dataset} rows={rows} filters={filters} onChange={onChange} />
        </div>
      </div>
    </>
  );
}
