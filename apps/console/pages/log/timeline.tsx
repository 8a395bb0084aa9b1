import { Link } from '@tanstack/react-router';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { useId, useState, type ReactElement, type ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { useNames } from '../../api/names.js';
import { number, positionOf, Time } from '../../components/values.js';
import { iconOf } from './icons.js';
import { runsIn } from './runs.js';
import { subjectsIn } from './subjects.js';

type Event = Schema['EventRecord'];

interface Props {
  readonly events: readonly Event[];
  /** Whether events of several streams stand here: they say which, and many calls after each other are one line. */
  readonly isMixed?: boolean;
  /** Whether even then each event has its own line. */
  readonly isFlat?: boolean;
}

/** Events in an order: what happened to what, by whom and when, each with its content behind it. */
export function Timeline({ events, isMixed = false, isFlat = !isMixed }: Props): ReactElement {
  const subjectOf = subjectsIn(events, useNames());
  const one = (event: Event): ReactElement => (
    <One key={event.id} event={event} subject={isMixed ? subjectOf(event) : undefined} isMixed={isMixed} />
  );
  return (
    <ol className="events">
      {(isFlat ? events.map((event) => [event]) : runsIn(events)).map((run) =>
        run.length === 1 ? (
          one(run[0]!)
        ) : (
          <Run key={run.at(-1)!.id} events={run} subjects={[...new Set(run.map(subjectOf))]}>
            {run.map(one)}
          </Run>
        ),
      )}
    </ol>
  );
}

interface OneProps {
  readonly event: Event;
  readonly subject: string | undefined;
  readonly isMixed: boolean;
}

function One({ event, subject, isMixed }: OneProps): ReactElement {
  const { type, stream, correlation_id: request, position, revision, data } = event;
  const { reason } = data;
  return (
    <Line
      event={event}
      what={
        <>
          <b>{subject}</b> {typeof reason === 'string' && reason !== '' && <q>{shortened(reason)}</q>}
        </>
      }
      opens="Content"
    >
      <dl className="kv">
        {isMixed && (
          <>
            <dt>Stream</dt>
            <dd>
              <Short of="stream" whole={stream} />
            </dd>
          </>
        )}
        <dt>Request</dt>
        <dd>
          <Short of="correlation_id" whole={request} />
        </dd>
        <dt>Place</dt>
        <dd>
          {isMixed || `event ${revision} of the stream, `}position {positionOf(position)} of the log
        </dd>
      </dl>
      <pre tabIndex={0} aria-label={`Content of ${type}`} className="code max-h-96 text-xs">
        {JSON.stringify(event.data, null, 2)}
      </pre>
    </Line>
  );
}

interface RunProps {
  readonly events: readonly Event[];
  readonly subjects: readonly (string | undefined)[];
  readonly children: ReactNode;
}

/** Events of one type after each other, as one line that opens. */
const Run = ({ events, subjects, children }: RunProps): ReactElement => (
  <Line
    event={events[0]!}
    what={
      <>
        {subjects.length === 1 && <b>{subjects[0]}</b>} <span className="count">{number(events.length)} times</span>
      </>
    }
    opens="Each"
  >
    <ol className="events">{children}</ol>
  </Line>
);

interface LineProps {
  readonly event: Event;
  /** What it happened to. */
  readonly what: ReactNode;
  /** What the line opens. */
  readonly opens: string;
  readonly children: ReactNode;
}

function Line({ event, what, opens, children }: LineProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const names = useNames();
  const { type, stream, actor, occurred_at: at } = event;
  const Icon = iconOf(stream);
  return (
    <li>
      <div className="event">
        <Icon className="i" />
        <div className="said">
          {wordsOf(type)} {what}
          <code>{type}</code>
        </div>
        <span className="by">
          <Short of="actor" whole={actor} name={names.get(actor) ?? partOf(actor)} />
        </span>
        <span className="at">
          <Time at={at} seconds />
        </span>
        <button
          type="button"
          aria-label={`${opens} of ${type}`}
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <ChevronRight className="i" />
        </button>
      </div>
      <div id={id} hidden={!isOpen} className="more">
        {isOpen && children}
      </div>
    </li>
  );
}

const shortened = (text: string): string => (text.length > 120 ? `${text.slice(0, 119)}…` : text);

/** What happened: `Model version promoted`. */
const wordsOf = (type: string): string => {
  const words = type.replace(/\.v\d+$/, '').replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** A part of the system by its name: `runner standalone`, `Anneal, dataset claims`. */
function partOf(actor: string): string | undefined {
  const [, kind, name = ''] = /^(runner|system):([^/]+)/.exec(actor) ?? [];
  if (kind === 'runner') return `runner ${name}`;
  return kind && `Anneal, ${name.replaceAll('-', ' ')}`;
}

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

interface ShortProps {
  readonly of: 'stream' | 'actor' | 'correlation_id';
  readonly whole: string;
  /** Stands for the id. */
  readonly name?: string | undefined;
}

/** A link to the events that have the same; of long ids, it shows the beginning. */
const Short = ({ of, whole, name }: ShortProps): ReactElement => (
  <Link to="/log" search={{ [of]: whole }} title={whole} className={name ? '' : 'break-all'}>
    {name ?? whole.replaceAll(ID, (id) => `${id.slice(0, 8)}…`)}
  </Link>
);
