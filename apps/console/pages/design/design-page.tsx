import { useState, type ReactElement, type ReactNode } from 'react';
import { Blank, BlankChoice, Rule, Rules } from '../../components/blank.js';
import { Button } from '../../components/button.js';
import { Choices } from '../../components/choices.js';
import { Copy } from '../../components/copy.js';
import { Dialog } from '../../components/dialog.js';
import { Check, Input, Select, TextArea } from '../../components/field.js';
import { Headline } from '../../components/headline.js';
import { coloursAt } from '../../components/label-colours.js';
import { Page, Panel } from '../../components/page.js';
import { SpanText } from '../../components/spans.js';
import { Empty, Loading, Problem } from '../../components/states.js';
import { Status } from '../../components/status.js';
import { Table } from '../../components/table.js';
import { Figure, percent } from '../../components/values.js';

const STATES = ['ready', 'running', 'candidate', 'failed', 'refused', 'not in use'];
/** Places of labels, from 0. */
const LABELS = Array.from({ length: 12 }, (_, at) => at);
const TEXT = 'Ada Lovelace wants her 20 € back for order 90210.';
const SPANS = [
  { start: 0, end: 12, label: 'person', confidence: 0.98 },
  { start: 23, end: 27, label: 'money', confidence: 0.91 },
  { start: 43, end: 48, label: 'order_number', confidence: 0.99 },
];
const EVENTS = [
  ['Datasets', [{ value: 'dataset.ready', label: 'A dataset can be used' }]],
  ['Training', [{ value: 'training_job.failed', label: 'A training failed' }]],
] as const;
const ROWS = [
  { label: 'person', f1: 0.97 },
  { label: 'money', f1: 0.91 },
];

/** Every component with its states, for those who build pages. The menu does not lead here. */
export const DesignPage = (): ReactElement => (
  <Page
    title="Design"
    state={<Status status="ready" />}
    intro="What pages are made of. apps/console/design.md has the rules."
    actions={<Button kind="main">Primary action</Button>}
  >
    <Headlines />
    <dl className="metrics">
      <Figure label="F1" value="92.5%" note="of 26 held-out rows" />
      <Figure label="Calls" value="806" note="in 7 days" />
      <Figure label="Latency" value="38 ms" note="95% of calls are faster" />
      <Figure label="Format" value="JSON lines" />
    </dl>
    <div className="columns even">
      <Controls />
      <Part title="Fields">
        <Input label="Name" hint="lower-case letters, digits, . _ -" />
        <Input label="Off" disabled value="cannot be changed" />
        <Select label="Dataset">
          <option>tickets/2</option>
        </Select>
        <TextArea label="Text" rows={2} defaultValue={TEXT} />
        <Ticked />
        <Choices name="types" title="Events" groups={EVENTS} chosen={['dataset.ready']} />
        <Input label="Threshold" type="range" />
      </Part>
      <Part title="Sentences with fields">
        <Rules title="When it improves by itself">
          <Rule of={[]}>
            After <Blank label="New corrections" type="number" defaultValue={50} /> new corrections
          </Rule>
          <Rule of={[]}>
            At most <Blank label="Improvements" type="number" placeholder="any" /> times in{' '}
            <Blank label="Days" type="number" placeholder="7" /> days
          </Rule>
          <Rule of={[]}>
            A version that passes{' '}
            <BlankChoice label="A version that passes">
              <option value="promote">is put in use</option>
            </BlankChoice>
          </Rule>
        </Rules>
      </Part>
      <Part title="Texts">
        <SpanText text={TEXT} spans={SPANS} />
        <SpanText text={TEXT} spans={SPANS} isLine />
        <ul className="flex flex-wrap gap-x-4 gap-y-1">
          {LABELS.map((at) => (
            <li key={at} className="flex items-center gap-1.5" style={{ color: coloursAt(at).ink }}>
              <span aria-hidden className="dot" style={{ background: coloursAt(at).solid }} /> label {at + 1}
            </li>
          ))}
        </ul>
        <Copy label="Code" text="npx anneal sign-in-link" />
      </Part>
      <Part title="States of a part">
        <Loading rows={2} />
        <Problem error={new Error('text must be a string, is a number: row 1.')} />
        <Empty action={<Button>Upload a file</Button>}>There are no datasets yet. Upload a file to begin.</Empty>
        <progress value={64} max={100} aria-label="Percent done" />
      </Part>
    </div>
    <Panel title="Table">
      <Table
        caption="F1 by label"
        rows={ROWS}
        rowKey={({ label }) => label}
        columns={[
          { head: 'Label', cell: ({ label }) => label },
          { head: 'Status', cell: () => <Status status="passed" /> },
          { head: 'F1', number: true, cell: ({ f1 }) => percent(f1), by: ({ f1 }) => f1 },
        ]}
      />
    </Panel>
  </Page>
);

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactElement => (
  <Panel title={title}>
    <div className="grid gap-4">{children}</div>
  </Panel>
);

const Headlines = (): ReactElement => (
  <>
    <Headline kind="good">
      <b>Everything works</b>: 13 parts.
    </Headline>
    <Headline kind="info" then="It is in use once somebody promotes it." action={<Button>See version 2</Button>}>
      <b>tickets, version 2</b> passed the gate.
    </Headline>
    <Headline kind="warn">
      F1 <b>97.9%</b> on 30 held-out rows: few.
    </Headline>
    <Headline kind="bad" then="Nothing of it was stored.">
      The file could not be read.
    </Headline>
  </>
);

function Controls(): ReactElement {
  const [asking, setAsking] = useState(false);
  const [view, setView] = useState('List');
  return (
    <Part title="Buttons, chips, badges">
      <div className="actions">
        <Button kind="main">Primary</Button>
        <Button>Default</Button>
        <Button kind="quiet">Quiet</Button>
        <Button kind="bad" onClick={() => setAsking(true)}>
          Delete tickets/2
        </Button>
        <Button disabled>Locked</Button>
      </div>
      <div className="seg justify-self-start" role="group" aria-label="View">
        {['List', 'Charts'].map((name) => (
          <button key={name} type="button" aria-pressed={name === view} onClick={() => setView(name)}>
            {name}
          </button>
        ))}
      </div>
      <div className="chips">
        <button type="button" className="chip on">
          <span className="k">Model:</span> tickets
        </button>
        <button type="button" className="chip add">
          Filters
        </button>
      </div>
      <div className="chips">
        {STATES.map((state) => (
          <Status key={state} status={state} />
        ))}
      </div>
      <Dialog title="Delete tickets/2?" open={asking} onClose={() => setAsking(false)}>
        <p>Its 260 rows are lost. Models that learned from them stay.</p>
        <div className="flex gap-2">
          <Button kind="bad" onClick={() => setAsking(false)}>
            Delete tickets/2
          </Button>
          <Button onClick={() => setAsking(false)}>Keep it</Button>
        </div>
      </Dialog>
    </Part>
  );
}

function Ticked(): ReactElement {
  const [ticked, setTicked] = useState(true);
  return <Check label="Record the calls" checked={ticked} onChange={setTicked} />;
}
