import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, type FormEvent, type ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Input, Select, TextArea } from '../../components/field.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Panel } from '../../components/page.js';
import { Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { useStored } from '../../components/use-stored.js';
import { OnErrorSelect } from './on-error.js';
import { fromFeedback, generate, label, merge, pull, type Made } from './make-ways.js';

interface Way {
  readonly title: string;
  readonly run: (form: FormData) => Promise<Made>;
  readonly button: string;
  readonly fields: () => ReactElement;
}

const Task = ({ all = false }: { readonly all?: boolean }): ReactElement => (
  <Select label="Labelled for" name="task">
    <option value="ner">entities</option>
    <option value="classification">classes</option>
    {all && <option value="decoder">chats</option>}
    {all && <option value="custom">anything else</option>}
  </Select>
);
const Labels = (): ReactElement => <Input label="Labels" name="labels" required hint="person, city, date" />;

const WAYS: Readonly<Record<string, Way>> = {
  generate: {
    title: 'Generate rows',
    run: generate,
    button: 'Generate',
    fields: () => (
      <>
        <Task />
        <Labels />
        <Input label="Rows" name="count" type="number" min={1} max={10_000} defaultValue={100} required />
        <Input label="About (optional)" name="about" />
      </>
    ),
  },
  label: {
    title: 'Label texts by a model',
    run: label,
    button: 'Label',
    fields: () => (
      <>
        <Task />
        <Labels />
        <Input label="Model (optional)" name="model" hint="its id; else the first encoder" />
        <TextArea label="Texts, one a line" name="texts" required rows={5} className="w-full min-w-80" />
      </>
    ),
  },
  feedback: {
    title: 'Collect corrections of answers',
    run: fromFeedback,
    button: 'Collect',
    fields: () => (
      <>
        <Input label="Model (optional)" name="model" hint="only calls of this one" />
        <Input
          label="Held out (optional)"
          name="held_out_share"
          type="number"
          step="any"
          min={0}
          max={0.5}
          hint="share of the rows: 0.2"
        />
      </>
    ),
  },
  merge: {
    title: 'Merge datasets',
    run: merge,
    button: 'Merge',
    fields: () => (
      <TextArea
        label="Datasets, one a line"
        name="sources"
        required
        rows={3}
        hint="`tickets` is the newest version, `tickets 2` the second one"
      />
    ),
  },
  pull: {
    title: 'Pull from the hub',
    run: pull,
    button: 'Pull',
    fields: () => (
      <>
        <Input label="Dataset on the hub" name="repo_id" required hint="owner/name" />
        <Task all />
        <OnErrorSelect name="on_error" />
        <Input label="Configuration (optional)" name="config" />
        <Input label="Split (optional)" name="split" />
        <Input label="Token (optional)" name="hf_token" type="password" autoComplete="off" hint="for private ones" />
      </>
    ),
  },
};

/** The ways to a version besides an upload. */
export function Make(): ReactElement {
  const [way, setWay] = useStored('way to a dataset', '');
  const chosen = WAYS[way];
  return (
    <Panel title="Without a file">
      <div className="grid gap-3">
        <div className="flex flex-wrap gap-2">
          {Object.entries(WAYS).map(([key, { title }]) => (
            <Button key={key} aria-expanded={way === key} onClick={() => setWay(way === key ? '' : key)}>
              {title}
            </Button>
          ))}
        </div>
        {chosen && <WayForm key={way} name={way} way={chosen} />}
      </div>
    </Panel>
  );
}

interface WayProps {
  readonly name: string;
  readonly way: Way;
}

function WayForm({ name: key, way: { run, button, fields: Fields } }: WayProps): ReactElement {
  const kept = useKeptForm(`dataset ${key}`);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const go = async ({ name, version }: { readonly name: string; readonly version: string }): Promise<void> => {
    await queries.invalidateQueries({ queryKey: ['datasets'] });
    await navigate({ to: '/datasets/$name/$version', params: { name, version } });
  };
  const make = useMutation({
    mutationFn: run,
    onSuccess: (made) => {
      kept.forget();
      return 'job' in made ? undefined : go(made);
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    make.mutate(new FormData(event.currentTarget));
  };
  return (
    <form ref={kept.ref} onSubmit={submit} className="grid gap-3">
      <div className="flex flex-wrap items-start gap-3">
        <Input label="Name of the dataset" name="name" required hint="a known one gets its next version" />
        <Fields />
      </div>
      <Problem error={make.error} />
      <div>
        <Button kind="main" type="submit" disabled={make.isPending}>
          {button}
        </Button>
      </div>
      {make.data && 'job' in make.data && <Generating id={make.data.job} onReady={go} />}
    </form>
  );
}

interface Generation {
  readonly id: string;
  readonly onReady: (made: { name: string; version: string }) => Promise<void>;
}

/** Progress of a generation until its version exists. */
function Generating({ id, onReady }: Generation): ReactElement {
  const job = useQuery({
    queryKey: ['generations', id],
    queryFn: () => body(api.GET('/generate/jobs/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state }) => (['ready', 'failed'].includes(state.data?.status ?? '') ? false : 1_000),
  });
  const { status, dataset_name: name, version_number: version } = job.data ?? {};
  useEffect(() => {
    if (status === 'ready' && name && version) void onReady({ name, version });
  }, [status, name, version]);
  return (
    <div className="grid gap-2">
      <Problem error={job.error ?? (job.data?.error ? new Error(job.data.error) : null)} />
      {job.data && (
        <>
          <Status status={job.data.status} />
          <progress
            className="h-2 w-full max-w-md"
            max={100}
            value={job.data.progress_percent}
            aria-label="Percent generated"
          />
        </>
      )}
    </div>
  );
}
