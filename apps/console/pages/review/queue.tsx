import { useMutation } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import { api, body, type Schema } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { judge, type Judged } from '../../components/judge.js';
import { Panel } from '../../components/page.js';
import { Empty, Problem } from '../../components/states.js';
import { percent } from '../../components/values.js';
import { Verdict } from '../../components/verdict.js';
import { Drawn } from '../history/drawn.js';

type Item = Schema['ReviewItem'];

interface Props {
  readonly items: readonly Item[];
  /** Asks for the next ones. */
  readonly onEnd: () => void;
}

/** One answer at a time: `c` says that it is correct, `i` opens its correction, `s` skips it. */
export function Queue({ items, onEnd }: Props): ReactElement {
  const [at, setAt] = useState(0);
  const [correcting, setCorrecting] = useState(false);
  const [keys, setKeys] = useState(true);
  const item = items[at];
  const next = (): void => {
    setCorrecting(false);
    setAt(at + 1);
  };
  const give = useMutation({ mutationFn: (judged: Judged) => judge(item!.inference.id, judged), onSuccess: next });
  const skip = useMutation({
    mutationFn: () => body(api.POST('/review/{id}/skip', { params: { path: { id: item!.inference.id } }, body: {} })),
    onSuccess: next,
  });
  const busy = give.isPending || skip.isPending;
  useEffect(() => {
    if (!keys || busy || !item) return;
    const onKey = (event: KeyboardEvent): void => {
      if (isWriting(event)) return;
      const act = {
        c: () => give.mutate({ verdict: 'correct' }),
        i: () => setCorrecting(true),
        s: () => skip.mutate(),
      }[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
  if (!item)
    return (
      <div className="grid justify-items-center gap-3">
        <Empty>These are done.</Empty>
        <Button
          onClick={() => {
            setAt(0);
            onEnd();
          }}
        >
          Look for more
        </Button>
      </div>
    );
  const { inference, label, confidence } = item;
  return (
    <Panel title={`${at + 1} of ${items.length}`}>
      <div className="grid gap-4">
        <p className="text-sm text-muted">
          {inference.model_name}
          {label !== null && `, least certain: ${label}`}
          {confidence !== null && `, confidence ${percent(confidence)}`}
        </p>
        <Drawn call={inference} />
        <Problem error={give.error ?? skip.error} />
        <Verdict
          key={inference.id}
          answer={inference.output}
          busy={busy}
          correcting={correcting}
          onCorrecting={setCorrecting}
          onJudge={(judged) => give.mutate(judged)}
        >
          <Button disabled={busy} onClick={() => skip.mutate()}>
            Skip
          </Button>
          <a className="self-center" href={`/console/history/${inference.id}`}>
            Open the call
          </a>
        </Verdict>
        <label className="flex items-center gap-2 text-sm">
          <input type="checkbox" className="accent-accent" checked={keys} onChange={() => setKeys(!keys)} />
          Keys: c is correct, i is incorrect, s skips
        </label>
      </div>
    </Panel>
  );
}

/** Whether a key goes into a field, or is a shortcut of the browser. */
const isWriting = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  ctrlKey ||
  metaKey ||
  altKey ||
  (target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, select, dialog *'));
