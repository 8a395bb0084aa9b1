import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState, type FormEvent, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { useProposes } from '../../api/workspace.js';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Panel } from '../../components/page.js';
import { Empty, Loaded, Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { bytes, counted, duration, number, percent, Time } from '../../components/values.js';

type Improvement = Schema['ImprovementRecord'];
type GateRule = Schema['GateRuleRecord'];

/** Improvements that learned nothing. */
const UNFINISHED = new Set(['failed', 'cancelled']);

/** Corrected calls that are counted. */
const LOOKED_AT = 100;

/**
 * The number of a model's answers that were corrected since a time.
 * @param since empty: ever; null: not known yet
 */
const useNewCorrections = (name: string, since: string | null): UseQueryResult<number> =>
  useQuery({
    queryKey: ['calls', 'corrected', name, since],
    queryFn: async () => {
      const query = { model_id: name, verdict: 'incorrect', limit: LOOKED_AT } as const;
      const { inferences } = await body(api.GET('/inferences', { params: { query } }));
      return inferences.filter(({ human_feedback_at: at }) => (at ?? '') > since!).length;
    },
    enabled: since !== null,
  });

const ENDED = new Set(['done', 'failed', 'cancelled']);

interface Props {
  readonly name: string;
  /** Whether the version in use was distilled: it learns from corrections when it is distilled again. */
  readonly isDistilled: boolean;
}

/** Versions made of the corrections of a name's calls, with the gate's decision on each. */
export function Improvements({ name, isDistilled }: Props): ReactElement {
  const queries = useQueryClient();
  const key = ['models', name, 'improvements'];
  const improvements = useQuery({
    queryKey: key,
    queryFn: () => body(api.GET('/models/{name}/improvements', { params: { path: { name } } })),
    refetchInterval: ({ state }) => (state.data?.improvements.some(({ status }) => !ENDED.has(status)) ? 2_000 : false),
  });
  const ended = improvements.data?.improvements.filter(({ status }) => ENDED.has(status)).length;
  // An improvement that ends may have made a version, and put it in use.
  useEffect(() => {
    if (ended) void queries.invalidateQueries({ queryKey: ['models', name], exact: true });
  }, [queries, name, ended]);
  const improve = useMutation({
    mutationFn: () => body(api.POST('/models/{name}/improve', { params: { path: { name } }, body: {} })),
    onSuccess: () => queries.invalidateQueries({ queryKey: key }),
  });
  const last = improvements.data?.improvements.find(({ status }) => !UNFINISHED.has(status));
  const news = useNewCorrections(name, improvements.data ? (last?.created_at ?? '') : null);
  return (
    <Panel
      title="Improvements"
      actions={
        !isDistilled && (
          <Button
            sends="POST /models/{name}/improve"
            disabled={improve.isPending || news.data === 0}
            onClick={() => improve.mutate()}
          >
            Learn from corrections
          </Button>
        )
      }
    >
      <div className="grid gap-3">
        <Problem error={improve.error ?? news.error} />
        {isDistilled && (
          <p className="text-sm text-muted">
            The version in use was distilled: distilled again, it learns what was corrected.
          </p>
        )}
        {news.data !== undefined && (
          <p className="text-sm text-muted">
            {news.data > 0
              ? `${news.data < LOOKED_AT ? number(news.data) : `${number(LOOKED_AT)} or more`} new ${news.data === 1 ? 'correction' : 'corrections'}.`
              : `No answer was corrected${last ? ' since the last improvement' : ' yet'}${isDistilled ? '' : ', so that another version would be equal'}.`}
          </p>
        )}
        <Loaded query={improvements}>
          {({ improvements: list }) =>
            list.length === 0 ? (
              <Empty>
                Nothing was learned from corrections yet
                {news.data === 0 && !isDistilled && ': correct some answers first'}.
              </Empty>
            ) : (
              <ul className="grid gap-4">
                {list.map((each) => (
                  <li key={each.id} className="grid gap-2">
                    <div className="flex flex-wrap items-center gap-3">
                      <Status status={each.outcome ?? each.status} />
                      <span className="text-sm text-muted">
                        <Time at={each.created_at} />, against version {each.champion_version}
                        {each.version !== null && `, became version ${each.version}`}
                      </span>
                    </div>
                    <Decide improvement={each} />
                    {each.reason && <p className="text-sm">{each.reason}</p>}
                    {each.gate && <Gate gate={each.gate} />}
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </div>
    </Panel>
  );
}

/** Buttons that cancel a running improvement or accept a version that the gate refused. */
function Decide({ improvement }: { readonly improvement: Improvement }): ReactElement | null {
  const { id, status, outcome, forced } = improvement;
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const proposes = useProposes('force', 'promote');
  const params = { path: { id } };
  const onSuccess = async (): Promise<void> => {
    setAsking(false);
    await queries.invalidateQueries({ queryKey: ['models'] });
  };
  const kept = useKeptForm(`take ${id}`);
  const cancel = useMutation({
    mutationFn: () => body(api.POST('/improvements/{id}/cancel', { params })),
    onSuccess,
  });
  const force = useMutation({
    mutationFn: (reason: string) => body(api.POST('/improvements/{id}/force', { params, body: { reason } })),
    onSuccess: () => {
      kept.forget();
      return onSuccess();
    },
  });
  if (!ENDED.has(status))
    return (
      <div>
        <Button
          kind="bad"
          sends="POST /improvements/{id}/cancel"
          disabled={cancel.isPending}
          onClick={() => cancel.mutate()}
        >
          Cancel it
        </Button>
        <Problem error={cancel.error} />
      </div>
    );
  if (forced) return <p className="text-sm text-muted">Taken past the gate: {forced.reason}</p>;
  if (outcome !== 'rejected') return null;
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    force.mutate(textOf(new FormData(event.currentTarget), 'reason'));
  };
  return (
    <div>
      <Button sends="POST /improvements/{id}/force" onClick={() => setAsking(true)}>
        Take it all the same
      </Button>
      <Dialog title="Take a version that the gate refused?" open={asking} onClose={() => setAsking(false)}>
        <form ref={kept.ref} onSubmit={submit} className="grid gap-3">
          <Input label="Reason" name="reason" required maxLength={500} hint="It is kept with the event." />
          <Problem error={force.error} />
          <div className="flex gap-2">
            <Button kind="main" type="submit" disabled={force.isPending}>
              {proposes ? 'Propose' : 'Take it'}
            </Button>
            <Button onClick={() => setAsking(false)}>Leave it</Button>
          </div>
        </form>
      </Dialog>
    </div>
  );
}

/** A figure of a rule of the gate, with its unit. */
function figureOf(rule: GateRule['rule'], value: number): string {
  switch (rule) {
    case 'size':
      return bytes(value);
    case 'latency':
      return duration(value);
    case 'f1':
    case 'corrections_f1':
    case 'label_f1':
      return percent(value);
    default:
      return `${number(value)} rows`;
  }
}

/** The rules that say most: those that failed, F1, and the labels that lost most. */
const SHOWN = 3;

function Gate({ gate }: { readonly gate: NonNullable<Improvement['gate']> }): ReactElement {
  const weight = ({ rule, passed, difference }: GateRule): number =>
    passed ? (rule === 'f1' ? -1 : rule === 'corrections_f1' ? -0.9 : (difference?.value ?? 1)) : -2;
  const rules = gate.rules.toSorted((a, b) => weight(a) - weight(b));
  const shown = Math.max(SHOWN, rules.filter(({ passed }) => !passed).length);
  const others = rules.slice(shown);
  return (
    <>
      <Rules caption="Rules of the gate" rules={rules.slice(0, shown)} />
      {others.length > 0 && (
        <details>
          <summary>{counted(others.length, 'other check')}, passed</summary>
          <Rules caption="Other rules of the gate" rules={others} />
        </details>
      )}
    </>
  );
}

const Rules = ({ caption, rules }: { readonly caption: string; readonly rules: readonly GateRule[] }): ReactElement => (
  <Table
    caption={caption}
    rows={rules}
    rowKey={({ rule, label }) => `${rule} ${label ?? ''}`}
    columns={[
      { head: 'Rule', cell: ({ rule, label }) => `${rule.replaceAll('_', ' ')}${label ? `, ${label}` : ''}` },
      { head: 'Decision', cell: ({ passed }) => <Status status={passed ? 'passed' : 'failed'} /> },
      { head: 'New version', number: true, cell: ({ rule, candidate }) => figureOf(rule, candidate) },
      {
        head: 'In use',
        number: true,
        cell: ({ rule, champion }) => (champion === null ? '–' : figureOf(rule, champion)),
      },
      {
        head: 'Difference',
        number: true,
        cell: ({ rule, difference: d }) =>
          d ? `${figureOf(rule, d.value)} (${figureOf(rule, d.low)} to ${figureOf(rule, d.high)})` : '–',
      },
      { head: 'Bound', number: true, cell: ({ rule, limit }) => figureOf(rule, limit) },
      { head: 'Rows', number: true, cell: ({ rows }) => (rows === null ? '–' : number(rows)), by: ({ rows }) => rows },
    ]}
  />
);
