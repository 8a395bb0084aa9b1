import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { useSession } from '../../api/session.js';
import { Button } from '../../components/button.js';
import { hasDraft } from '../../components/editor/drafts.js';
import { useCorrectionDraft, useJudge } from '../../components/judge.js';
import { Check } from '../../components/field.js';
import { textOfInput } from '../../components/input.js';
import { Panel } from '../../components/page.js';
import { Empty, Problem } from '../../components/states.js';
import { number, percent } from '../../components/values.js';
import { VERDICT_BUTTONS, VERDICT_NAMES } from '../../components/verdict-buttons.js';
import { Verdict } from '../../components/verdict.js';
import { Drawn } from '../history/drawn.js';
import { Assign } from './assign.js';
import { LastVerdicts, useLastVerdicts, useTakeBack } from './last-verdicts.js';
import { usePosition } from './use-position.js';

type Item = Schema['ReviewItem'];

const KEYS = `Keys: ${Object.values(VERDICT_BUTTONS)
  .map(({ keys, does }) => `${keys.join(' or ')} ${does}`)
  .join(', ')}, s skips, z takes the last verdict back`;

/** Characters of a text in the list of the last verdicts. */
const TEXT_LENGTH = 80;

interface Props {
  /** Names the queue; each has its own position. */
  readonly name: string;
  readonly items: readonly Item[];
  /** Empty for the signed-in user. */
  readonly reviewer: string;
  /** Asks for the next ones. */
  readonly onEnd: () => void;
}

/** Shows the answers one by one, judged by buttons or keys. */
export function Queue({ name, items, reviewer, onEnd }: Props): ReactElement {
  const [position, change] = usePosition(name);
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      items.findIndex((item) => item.inference_id === position.call),
    ),
  );
  const [keys, setKeys] = useState(true);
  const item = items[at];
  const id = item?.inference_id ?? '';
  const draft = useCorrectionDraft(id);
  const [correcting, setCorrecting] = useState(() => hasDraft(draft));
  const go = (count: 'judged' | 'skipped' | null): void => {
    setCorrecting(false);
    setAt(at + 1);
    change({ call: items[at + 1]?.inference_id ?? '', ...(count && { [count]: position[count] + 1 }) });
  };
  const goBack = (): void => {
    setCorrecting(false);
    setAt(at - 1);
    change({ call: items[at - 1]!.inference_id });
  };
  const verdicts = useLastVerdicts();
  const superseded = useOwnVerdict(item, reviewer);
  const give = useJudge(id, {
    reviewer,
    onJudged: ({ verdict }) => {
      const text = textOfInput(item!.inference.input).slice(0, TEXT_LENGTH);
      verdicts.add({ id, verdict, text, reviewer, at: Date.now(), superseded });
      go('judged');
    },
  });
  const takeBack = useTakeBack((taken) => {
    verdicts.drop(taken);
    const index = items.findIndex((each) => each.inference_id === taken.id);
    // A call of another queue comes back there.
    if (index < 0) return;
    setCorrecting(false);
    setAt(index);
    change({ call: taken.id, judged: Math.max(0, position.judged - 1) });
  });
  const skip = useMutation({
    mutationFn: () =>
      body(api.POST('/review/{id}/skip', { params: { path: { id } }, body: { ...(reviewer && { reviewer }) } })),
    onSuccess: () => go('skipped'),
  });
  const held = useReservation(id, reviewer);
  const busy = give.isPending || skip.isPending || takeBack.isPending;
  useEffect(() => {
    // A key that is meant for the correction is no verdict, wherever the focus is.
    if (!keys || busy || correcting) return;
    const onKey = (event: KeyboardEvent): void => {
      if (isElsewhere(event)) return;
      const [last] = verdicts.given;
      if (event.key === 'z' && last) return takeBack.mutate(last);
      if (!item) return;
      const verdict = VERDICT_NAMES.find((name) => VERDICT_BUTTONS[name].keys.includes(event.key));
      if (verdict === undefined && event.key !== 's') return;
      event.preventDefault();
      if (verdict === undefined) skip.mutate();
      else if (VERDICT_BUTTONS[verdict].corrects) setCorrecting(true);
      else give.mutate({ verdict });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
  if (!item)
    return (
      <div className="grid justify-items-center gap-3">
        <Empty>
          These are done: {number(position.judged)} judged, {number(position.skipped)} skipped.
        </Empty>
        <Button
          onClick={() => {
            setAt(0);
            onEnd();
          }}
        >
          Look for more
        </Button>
        <LastVerdicts given={verdicts.given} takeBack={takeBack} />
      </div>
    );
  const { inference, label, confidence, reason, assigned_to: assignee } = item;
  const isSaid = label !== null && reason.text.includes(label);
  return (
    <Panel title={`${number(at + 1)} of ${number(items.length)}`}>
      <div className="grid gap-4">
        <div className="grid gap-1">
          <progress
            aria-label="Answers of this queue that you have gone through"
            value={at}
            max={items.length}
            className="w-full"
          />
          <p className="text-sm text-muted">
            {number(position.judged)} judged, {number(position.skipped)} skipped in this tab;{' '}
            {number(items.length - at)} to go
          </p>
        </div>
        <p className="text-sm text-muted">
          {inference.model_name}: {reason.text}
          {!isSaid && label !== null && `; least certain: ${label}`}
          {!isSaid && confidence !== null && `, confidence ${percent(confidence)}`}
          {assignee !== null && `; assigned to ${assignee}`}
        </p>
        {!correcting && <Drawn call={inference} />}
        {reason.shadow && !correcting && (
          <section aria-label="The shadow's answer">
            <h3 className="text-sm text-muted">Version {reason.shadow.model_version} answered otherwise</h3>
            <Drawn call={{ input: inference.input, output: reason.shadow.output }} />
          </section>
        )}
        <Problem error={held.error} />
        {held.error && <Button onClick={() => go(null)}>Take the next one</Button>}
        <Problem error={give.error ?? skip.error} />
        <Verdict
          key={id}
          call={inference}
          busy={busy}
          correcting={correcting}
          onCorrecting={setCorrecting}
          onJudge={give.mutate}
        >
          <Button disabled={busy} onClick={() => skip.mutate()}>
            Skip
          </Button>
          <Button disabled={busy || at === 0} onClick={goBack}>
            Back
          </Button>
          <Assign id={id} reviewer={reviewer} onAssigned={() => go(null)} />
          <a className="self-center" href={`/console/history/${id}`}>
            Open the call
          </a>
        </Verdict>
        <Check label={KEYS} checked={keys} onChange={setKeys} />
        <LastVerdicts given={verdicts.given} takeBack={takeBack} />
      </div>
    </Panel>
  );
}

/** The reviewer's verdict on a call that was judged before; null for none. */
function useOwnVerdict(item: Item | undefined, reviewer: string): Schema['ReviewersVerdict'] | null {
  const { user_id: user } = useSession().data ?? {};
  const id = item?.inference_id ?? '';
  const feedback = useQuery({
    queryKey: ['call', id, 'feedback'],
    queryFn: () => body(api.GET('/inferences/{id}/feedback', { params: { path: { id } } })),
    enabled: !!item?.inference.human_verdict,
  });
  return feedback.data?.verdicts.find((each) => each.reviewer === (reviewer || `user:${user}`)) ?? null;
}

/** Keeps the call on the screen for its reviewer; the API gives it free by itself after ten minutes. */
const useReservation = (id: string, reviewer: string) =>
  useQuery({
    queryKey: ['review', 'reserved', id, reviewer],
    queryFn: () =>
      body(api.POST('/review/{id}/reserve', { params: { path: { id } }, body: { ...(reviewer && { reviewer }) } })),
    enabled: id !== '',
    refetchInterval: 5 * 60_000,
    retry: false,
  });

/** Whether a key goes into a field or the span editor, or is a shortcut of the browser. */
const isElsewhere = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof HTMLElement &&
    target.matches('input:not([type=checkbox]), textarea, select, dialog *, [data-own-keys] *'));
