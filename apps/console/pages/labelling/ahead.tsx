import { useState, type ReactElement } from 'react';
import { Button } from '../../components/button.js';
import { keep } from '../../components/editor/drafts.js';
import { Input, Select } from '../../components/field.js';
import { Panel } from '../../components/page.js';
import { Problem } from '../../components/states.js';
import type { Filters } from '../../components/use-filters.js';
import { counted, number } from '../../components/values.js';
import { useCallable } from '../playground/models.js';
import type { Answers } from './answers.js';
import type { Work } from './work.js';

interface Props {
  readonly filters: Filters;
  readonly onChange: (changes: Filters) => void;
  readonly answers: Answers;
  /** Rows without labels, of which the model is asked about all if that is wished. */
  readonly asked: number;
  readonly work: Work;
}

/** A model that labels first: row by row, or all rows ahead, so that uncertain ones come first and certain ones are accepted together. */
export function Ahead({ filters, onChange, answers, asked, work }: Props): ReactElement {
  const { model = '', order = '' } = filters;
  const models = useCallable();
  return (
    <Panel title="A model that labels first">
      <div className="grid gap-3">
        <Select
          label="A model labels first"
          value={model}
          onChange={({ target }) => onChange({ model: target.value, ...(target.value === '' && { order: '' }) })}
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
        {model !== '' && (
          <Select
            label="Order of the rows"
            value={order}
            onChange={({ target }) => onChange({ order: target.value, row: '' })}
            hint={`Uncertain ones first: the model is asked about all ${counted(asked, 'row')} without labels, as so many calls.`}
          >
            <option value="">as in the dataset</option>
            <option value="uncertain">uncertain ones first</option>
          </Select>
        )}
        {order === 'uncertain' && (
          <>
            <p role="status" className="text-sm text-muted">
              {number(answers.answered.size)} of {counted(asked, 'row')} without labels answered
            </p>
            <Problem error={answers.error} retry={answers.retry} />
            <Together answers={answers} work={work} />
          </>
        )}
      </div>
    </Panel>
  );
}

/** Accepts what the model is sure of, together. */
function Together({ answers: { answered }, work }: Pick<Props, 'answers' | 'work'>): ReactElement {
  const [percent, setPercent] = useState('95');
  const [taken, setTaken] = useState<readonly number[]>([]);
  const least = Number(percent) / 100;
  const sure = [...answered].filter(
    ([row, { confidence }]) => confidence !== null && confidence >= least && work.done[row] === undefined,
  );
  const accept = (): void => {
    const kept = sure.filter(([row, { annotation }]) => keep(work.draftOf(row), annotation)).map(([row]) => row);
    work.setDone(kept, 'accepted');
    setTaken(kept);
  };
  const takeBack = (): void => {
    work.forget(taken);
    setTaken([]);
  };
  return (
    <>
      <Input
        label="Sure from a confidence of (percent)"
        type="number"
        min={1}
        max={100}
        value={percent}
        onChange={({ target }) => setPercent(target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button disabled={sure.length === 0 || !(least > 0)} onClick={accept}>
          Accept {counted(sure.length, 'row')} as answered
        </Button>
        {taken.length > 0 && <Button onClick={takeBack}>Take back the {counted(taken.length, 'row')}</Button>}
      </div>
    </>
  );
}
