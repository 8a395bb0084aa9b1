import { memo, type ReactElement, type ReactNode } from 'react';
import { textOfInput } from '../../components/input.js';
import { isRecord } from '../../components/json.js';
import { spansIn } from '../../components/editor/output.js';
import { SpanText } from '../../components/spans.js';
import { Status } from '../../components/status.js';
import { dollars, duration, number, percent, Time } from '../../components/values.js';
import { answerInShort } from './answer-in-short.js';
import type { Call } from './use-calls.js';

interface Props {
  /** undefined: it is still fetched. */
  readonly call: Call | undefined;
  /** In the list; the newest call has 0. */
  readonly place: number;
  /** Pixels from the beginning of the list. */
  readonly start: number;
  /** In pixels. */
  readonly height: number;
  readonly isOpen: boolean;
  readonly onOpen: (id: string) => void;
}

/** A call in the list. It is drawn once, however far the list scrolls below it: a drawing costs more than a frame has time for. */
export const CallRow = memo(function CallRow({ call, place, start, height, isOpen, onOpen }: Props): ReactElement {
  return (
    <div
      role="row"
      aria-rowindex={place + 2}
      aria-current={isOpen ? 'true' : undefined}
      className="call-line absolute inset-x-0 contain-strict"
      style={{ height, transform: `translateY(${start}px)` }}
    >
      {call ? <Cells call={call} onOpen={onOpen} /> : <Cell>{number(place + 1)}…</Cell>}
    </div>
  );
});

const Cells = ({ call, onOpen }: { readonly call: Call; readonly onOpen: (id: string) => void }): ReactElement => (
  <>
    <Cell>
      <Time at={call.created_at} />
      {call.source === 'imported' && <span className="sr-only"> imported</span>}
    </Cell>
    <Cell>
      <a
        className="block text-text no-underline hover:underline"
        href={`/console/history/${call.id}`}
        onClick={(event) => {
          // In another tab, it is a separate page.
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          onOpen(call.id);
        }}
      >
        <TextOf call={call} />
      </a>
    </Cell>
    <Cell>{call.status === 'success' ? <Short of={call} /> : <Status status={call.status} />}</Cell>
    <Cell>{call.model_name}</Cell>
    <Cell>
      {call.human_verdict ? <Status status={call.human_verdict} /> : <span className="text-muted">not judged</span>}
    </Cell>
    <Cell>{call.latency_ms === null ? 'unknown' : duration(call.latency_ms)}</Cell>
    <Cell>{dollars(call.cost)}</Cell>
  </>
);

/** The text, with the entities of the answer drawn in it. */
function TextOf({ call: { input, output } }: { readonly call: Call }): ReactElement {
  const text = textOfInput(input);
  return text === '' ? (
    <>no text</>
  ) : (
    <SpanText text={text} spans={spansIn(text, isRecord(output) ? output['entities'] : undefined)} isLine />
  );
}

/** The answer in few words, with its confidence. */
function Short({ of: { output } }: { readonly of: Call }): ReactElement {
  const { said, confidence } = answerInShort(output);
  return said === '' ? (
    <span className="text-muted">–</span>
  ) : (
    <span title={said}>
      {said} {confidence !== undefined && <span className="text-muted">{percent(confidence)}</span>}
    </span>
  );
}

const Cell = ({ children }: { readonly children: ReactNode }): ReactElement => (
  <span role="cell" className="truncate">
    {children}
  </span>
);
