import type { ReactElement } from 'react';
import { Button } from '../button.js';
import { titleOf } from '../spans.js';
import { quoted, type Action, type EditorState } from './state.js';

interface Props {
  readonly state: EditorState;
  readonly dispatch: (action: Action) => void;
}

const ENDS = [
  { name: 'Start earlier', edge: 'start', by: -1 },
  { name: 'Start later', edge: 'start', by: 1 },
  { name: 'End earlier', edge: 'end', by: -1 },
  { name: 'End later', edge: 'end', by: 1 },
] as const;

/** The spans one below the other, with buttons for the editor's keys. */
export function Spans({ state, dispatch }: Props): ReactElement {
  const { spans } = state.annotation;
  return (
    <section aria-label="Entities" className="grid gap-1">
      <p className="text-sm text-muted">
        {spans.length === 0 ? 'No entities yet: choose words, then a label.' : `Entities: ${spans.length}`}
      </p>
      <ul className="grid max-h-80 gap-1 overflow-y-auto">
        {spans.map((span, index) => {
          const isChosen = index === state.chosen;
          const named = `${quoted(state, span)}, ${span.label}`;
          return (
            <li
              key={`${span.start} ${span.end} ${span.label}`}
              className={`flex flex-wrap items-center gap-2 text-sm ${isChosen ? 'rounded-md bg-active' : ''}`}
            >
              <Button
                kind="quiet"
                className="text-left"
                aria-pressed={isChosen}
                onClick={() => dispatch(isChosen ? { type: 'escape' } : { type: 'choose', index })}
              >
                {state.text.slice(span.start, span.end)} <span className="text-muted">{titleOf(span)}</span>
              </Button>
              {isChosen &&
                ENDS.map(({ name, edge, by }) => (
                  <Button key={name} onClick={() => dispatch({ type: 'resize', edge, by })}>
                    {name}
                  </Button>
                ))}
              <Button aria-label={`Remove ${named}`} onClick={() => dispatch({ type: 'remove', index })}>
                Remove
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
