import type { ReactElement } from 'react';
import { Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Table } from '../../components/table.js';
import { number, percent } from '../../components/values.js';
import type { From } from './begin.js';
import { DistilForm } from './distil-form.js';
import { KINDS } from './heads.js';
import { LanguageModelForm } from './language-model-form.js';
import { lacksCalls, type Task } from './savings.js';

/** A task: what a model would learn, what speaks against it, what it could answer, and the form that begins. */
export const TaskPanel = ({ task, from }: { readonly task: Task; readonly from: From }): ReactElement => (
  <Panel title={titleOf(task)}>
    <div className="grid gap-4">
      {task.prompt !== null && (
        <pre
          tabIndex={0}
          aria-label="The constant part of the prompt"
          className="code max-h-60 text-xs whitespace-pre-wrap"
        >
          {task.prompt}
        </pre>
      )}
      <p className="text-sm text-muted">
        {number(task.calls)} calls of {task.model}, {number(task.distinct_calls)} of them with a text of their own.
        {task.self_agreement !== null && ` Copies of a text were answered alike in ${percent(task.self_agreement)}.`}
      </p>
      <Doubts task={task} />
      {task.heads && <Heads task={task} />}
      <Estimate task={task} />
      {(task.suitable !== 'no' || lacksCalls(task)) && (
        <Permitted sends="POST /models/{name}/distil">
          <DistilForm task={task} from={from} />
        </Permitted>
      )}
      {task.form === 'text' && !task.doubts.some(({ code }) => code === 'cut_not_certain') && (
        <Permitted sends="POST /models/{name}/distil">
          <LanguageModelForm task={task} from={from} />
        </Permitted>
      )}
    </div>
  </Panel>
);

function titleOf(task: Task): string {
  if (task.suitable !== 'no') return 'Distil a model';
  return lacksCalls(task) ? 'Why no small model can do it yet' : 'Why no small model can do it';
}

/** What speaks against it, by name. */
function Doubts({ task: { doubts } }: { readonly task: Task }): ReactElement | null {
  if (doubts.length === 0) return null;
  return (
    <ul aria-label="What speaks against it" className="grid gap-1">
      {doubts.map(({ code, message, fields }) => (
        <li key={code} className="break-words">
          {message}.
          {fields && (
            <span className="block text-sm text-muted">
              {fields.map(({ path, reason }) => `${path}: ${reason}`).join('; ')}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

const Heads = ({ task: { heads } }: { readonly task: Task }): ReactElement => (
  <Table
    caption="What a model would learn"
    rows={heads ?? []}
    rowKey={({ path, kind }) => `${path} ${kind}`}
    columns={[
      { head: 'In the answer', cell: ({ path }) => <code className="break-all">{path}</code> },
      { head: 'What it is', cell: ({ kind }) => KINDS[kind] },
      { head: 'Labels', cell: ({ labels }) => <span className="break-words">{shortened(labels ?? [])}</span> },
    ]}
  />
);

const MOST_LABELS = 12;
const shortened = (labels: readonly string[]): string =>
  labels.length > MOST_LABELS
    ? `${labels.slice(0, MOST_LABELS).join(', ')} and ${labels.length - MOST_LABELS} more`
    : labels.join(', ');

function Estimate({ task: { estimate, no_estimate_because: why, suitable } }: { readonly task: Task }): ReactElement {
  if (estimate === null || estimate.shares.length === 0)
    return suitable === 'no' ? (
      <></>
    ) : (
      <p className="text-sm text-muted">There is no estimate: {why ?? 'there are too few calls'}.</p>
    );
  return (
    <div className="grid gap-2">
      <dl className="flex flex-wrap gap-6">
        {estimate.shares.map(({ target_agreement: target, share }) => (
          <div key={target}>
            <dt className="text-sm text-muted">agrees in {percent(target)}</dt>
            <dd className="text-xl font-semibold tabular-nums">{percent(share ?? 0)}</dd>
            <dd className="text-xs text-muted">of calls answered</dd>
          </div>
        ))}
      </dl>
      <p className="text-sm text-muted">
        A lower estimate by a quick model over words, on {number(estimate.judged_calls)} calls that it had not learned
        from: it agrees in {percent(estimate.agreement)} of all, guessing would in {percent(estimate.guessed)}.
      </p>
    </div>
  );
}
