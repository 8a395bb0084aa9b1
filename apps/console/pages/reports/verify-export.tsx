import { useMutation } from '@tanstack/react-query';
import { useRef, useState, type FormEvent, type ReactElement } from 'react';
import { fetchAnswer, refusal } from '../../api/client.js';
import { Button, buttonClass } from '../../components/button.js';
import { Input, TextArea } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { Problem } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { number, percent, positionOf } from '../../components/values.js';
import type { Given, Result } from './verification/verify-file.js';
import type { Told } from './verification/worker.js';

type State = { readonly share: number } | { readonly result: Result } | { readonly error: Error } | null;

/** Verifies an export in a worker of this browser. */
function useVerification(): readonly [State, (given: Given) => void] {
  const [state, setState] = useState<State>(null);
  const running = useRef<Worker | null>(null);
  const verify = (given: Given): void => {
    const { size } = given.file;
    running.current?.terminate();
    const worker = new Worker(new URL('./verification/worker.ts', import.meta.url), { type: 'module' });
    running.current = worker;
    const end = (next: State): void => {
      worker.terminate();
      setState(next);
    };
    worker.onmessage = ({ data }: MessageEvent<Told>) => {
      if ('read' in data) setState({ share: size === 0 ? 1 : data.read / size });
      else if ('result' in data) end(data);
      else end({ error: new Error(data.error) });
    };
    worker.onerror = ({ message }) => end({ error: new Error(message || 'The verification could not be started.') });
    setState({ share: 0 });
    worker.postMessage(given);
  };
  return [state, verify];
}

/** Verifies the log as it is now, or a file of it that somebody kept. */
export const VerifyExport = (): ReactElement => (
  <>
    <Permitted sends="GET /audit/export">
      <VerifyNow />
    </Permitted>
    <VerifyFile />
  </>
);

function VerifyNow(): ReactElement {
  const [state, verify] = useVerification();
  const fetched = useMutation({
    mutationFn: async () => {
      const [events, key] = await Promise.all([answered('/audit/export'), answered('/audit/key')]);
      return { file: await events.blob(), keys: await key.text(), checkpoint: '' };
    },
    onSuccess: verify,
  });
  return (
    <Panel title="The log as it is now">
      <div className="grid gap-4">
        <p className="text-sm text-muted">
          Fetches the events of this workspace with their proofs, and verifies them in this browser by the key that this
          system has now.
        </p>
        <div className="actions">
          <Button kind="main" disabled={fetched.isPending || isRunning(state)} onClick={() => fetched.mutate()}>
            {fetched.isPending ? 'Fetching the events…' : 'Verify now'}
          </Button>
          <a className={buttonClass()} href="/audit/export">
            Download the events
          </a>
        </div>
        <Problem error={fetched.error} />
        <Outcome state={state} />
      </div>
    </Panel>
  );
}

/** @throws ApiError */
async function answered(path: string): Promise<Response> {
  const answer = await fetchAnswer(path);
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

/** Verifies an export in this browser: nothing is sent anywhere. */
function VerifyFile(): ReactElement {
  const [state, verify] = useVerification();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    verify({ file: form.get('file') as File, keys: textOf(form, 'keys'), checkpoint: textOf(form, 'checkpoint') });
  };
  return (
    <Panel title="An export that you kept">
      <div className="grid gap-4">
        <p className="text-sm text-muted">
          The file of <code>npx anneal audit export</code> or <code>GET /audit/export</code> is verified in this
          browser; nothing is sent anywhere.
        </p>
        <form onSubmit={submit} className="grid max-w-3xl gap-4">
          <Input label="Export (JSON lines)" name="file" type="file" required />
          <TextArea
            label="Public keys that you kept"
            name="keys"
            hint="NAME+ID+KEY, a line each. Left empty: those that the export names, which prove nothing about who signed."
          />
          <TextArea label="A checkpoint that you kept" name="checkpoint" />
          <div>
            <Button type="submit" disabled={isRunning(state)}>
              Verify
            </Button>
          </div>
        </form>
        <Outcome state={state} />
      </div>
    </Panel>
  );
}

const isRunning = (state: State): boolean => state !== null && 'share' in state;

function Outcome({ state }: { readonly state: State }): ReactElement | null {
  if (state === null) return null;
  if ('share' in state) return <p role="status">Verifying: {percent(state.share)}</p>;
  if ('error' in state) return <Problem error={state.error} />;
  return <Verified {...state.result} />;
}

function Verified({ problems, findings, ...result }: Result): ReactElement {
  const [first] = findings;
  return (
    <div className="grid gap-3">
      {first ? (
        <p role="alert" className="callout bad block">
          NOT VERIFIED: {number(problems)} problems. The first: {first.problem}
          {first.position !== null && ` at position ${positionOf(first.position)}`}: {first.what}
        </p>
      ) : (
        <p role="status" className="callout good block">
          Verified: no problem was found.
        </p>
      )}
      <ul className="ml-5 list-disc">
        {provenBy(result, problems).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <h3 className="font-medium">Not proven</h3>
      <ul className="ml-5 list-disc">
        {unproven(result).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      {findings.length > 1 && (
        <Table
          caption="Problems"
          rows={findings}
          rowKey={({ position, what }) => `${position} ${what}`}
          columns={[
            { head: 'Problem', cell: ({ problem }) => problem },
            { head: 'Position', cell: ({ position }) => (position === null ? '' : positionOf(position)) },
            { head: 'What', cell: ({ what }) => what },
          ]}
        />
      )}
    </div>
  );
}

type Facts = Omit<Result, 'problems' | 'findings'>;

const provenBy = ({ head, events, proven, size, kept }: Facts, problems: number): readonly string[] => {
  if (problems > 0 || head === null) return [];
  return [
    `${number(proven)} of ${number(events)} events stand in the log of ${number(size)} events, as they were when its checkpoint was signed.`,
    ...(head.whole_log ? ['Every event of that log is in the file.'] : []),
    ...(head.stream !== null ? [`No revision is missing between those of ${head.stream} in the file.`] : []),
    ...(kept === 'same' ? ['The checkpoint is the one that you kept.'] : []),
  ];
};

const unproven = ({ head, withheld, unproven: without, kept, keyed }: Facts): readonly string[] => [
  ...(keyed ? [] : ['Who signed: the keys are those of the file. Give one that you kept.']),
  ...(kept === 'other-size'
    ? [
        'That the log continues the checkpoint that you kept, which is of another size: run npx anneal audit verify on the log.',
      ]
    : []),
  ...(kept === 'none' ? ['That this is the only log which was signed: no kept checkpoint was given.'] : []),
  ...(without > 0 ? [`${number(without)} events are newer than the checkpoint.`] : []),
  ...(withheld > 0
    ? [`The texts of ${number(withheld)} events are withheld; that they stand in the log is proven.`]
    : []),
  ...(head?.whole_log ? [] : ['That no other event belongs to what was asked for.']),
  'Files that events name, and contents of calls that are not in the file.',
  'That what was written is true.',
];
