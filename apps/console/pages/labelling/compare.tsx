import { useMemo, useState, type ReactElement } from 'react';
import { Button } from '../../components/button.js';
import type { Annotation } from '../../components/editor/annotation.js';
import { keep } from '../../components/editor/drafts.js';
import { Headline } from '../../components/headline.js';
import { Panel } from '../../components/page.js';
import { Row as DrawnRow } from '../../components/row.js';
import { Empty, Loaded, Problem } from '../../components/states.js';
import type { Filters } from '../../components/use-filters.js';
import { counted, Figure, number, percent } from '../../components/values.js';
import { compared, figuresOf, type Pair } from './agreement.js';
import type { Row } from './row.js';
import { useRows } from './use-rows.js';
import { useWork } from './work.js';

interface Props {
  readonly rows: readonly Row[];
  readonly filters: Filters;
  readonly onChange: (changes: Filters) => void;
}

/** Two passes over the same texts: how far they agree, and where they differ, for a person to decide. */
export function Compare({ rows, filters, onChange }: Props): ReactElement {
  const [, name = '', version = ''] = /^(.*)\/(\d+)$/.exec(filters['second'] ?? '') ?? [];
  const others = useRows(name, version);
  return (
    <Loaded query={others} rows={6}>
      {(second) => (
        <Compared key={filters['second']} first={rows} second={second} filters={filters} onChange={onChange} />
      )}
    </Loaded>
  );
}

interface ComparedProps extends Omit<Props, 'rows'> {
  readonly first: readonly Row[];
  readonly second: readonly Row[];
}

/** At first; all others follow on demand. */
const PAGE = 20;

function Compared({ first, second, filters, onChange }: ComparedProps): ReactElement {
  const { dataset = '', version = '' } = filters;
  const work = useWork(dataset, version, '');
  const [shown, setShown] = useState(PAGE);
  const [isKept, setKept] = useState(true);
  const pairs = useMemo(() => compared(first, second), [first, second]);
  const { agreed, f1, kappa } = figuresOf(pairs);
  const differing = pairs.filter(({ differs }) => differs);
  const decide = (row: number, annotation: Annotation): void => {
    const wasKept = keep(work.draftOf(row), annotation);
    setKept(wasKept);
    if (wasKept) work.setDone([row], 'corrected');
  };
  if (pairs.length === 0) return <Empty>No text is in both versions, so that there is nothing to compare.</Empty>;
  return (
    <>
      <Headline
        kind={differing.length === 0 ? 'good' : 'warn'}
        then={differing.length > 0 && 'Decide where they differ, then save it as a version.'}
        action={
          <Button onClick={() => onChange({ second: '', pass: '' })}>Back to the rows, to save what was decided</Button>
        }
      >
        <b>
          {number(agreed)} of {counted(pairs.length, 'text')}
        </b>{' '}
        that both have {agreed === 1 ? 'is' : 'are'} labelled alike.
      </Headline>
      <dl className="metrics">
        <Figure label="Entity F1" value={f1 === null ? '–' : percent(f1)} note="of the second beside the first" />
        <Figure label="Cohen’s kappa" value={kappa === null ? '–' : number(kappa)} note="of the classes" />
      </dl>
      {differing.length > 0 && (
        <Panel title={`${counted(differing.length, 'text')} on which they differ`}>
          {!isKept && (
            <Problem error={new Error('This browser has no room for drafts any more. Save what you have first.')} />
          )}
          <ol className="grid gap-4">
            {differing.slice(0, shown).map((pair) => (
              <Difference
                key={pair.row}
                pair={pair}
                isDecided={work.done[pair.row] !== undefined}
                onDecide={(annotation) => decide(pair.row, annotation)}
                onEdit={() => onChange({ second: '', pass: '', row: `${pair.row + 1}` })}
              />
            ))}
          </ol>
          {shown < differing.length && <Button onClick={() => setShown(shown + PAGE)}>Show more</Button>}
        </Panel>
      )}
    </>
  );
}

interface DifferenceProps {
  readonly pair: Pair;
  readonly isDecided: boolean;
  readonly onDecide: (annotation: Annotation) => void;
  readonly onEdit: () => void;
}

function Difference({ pair, isDecided, onDecide, onEdit }: DifferenceProps): ReactElement {
  const passes = [
    { name: 'First pass', take: 'Take the first', ...pair.first },
    { name: 'Second pass', take: 'Take the second', ...pair.second },
  ];
  return (
    <li className="grid gap-2 border-l-2 border-line pl-3">
      <p className="text-sm text-muted">
        Row {number(pair.row + 1)}
        {isDecided && ', decided'}
      </p>
      <div className="grid gap-3 md:grid-cols-2">
        {passes.map(({ name, take, row, annotation }) => (
          <section key={name} aria-label={`${name}, row ${pair.row + 1}`} className="grid content-start gap-2">
            <h3 className="text-sm text-muted">{name}</h3>
            <DrawnRow row={row} />
            <div>
              <Button onClick={() => onDecide(annotation)}>{take}</Button>
            </div>
          </section>
        ))}
      </div>
      <div>
        <Button onClick={onEdit}>Label it anew</Button>
      </div>
    </li>
  );
}
