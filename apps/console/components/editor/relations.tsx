import type { ReactElement } from 'react';
import { Button } from '../button.js';
import { quoted, type Action, type EditorState } from './state.js';

interface Props {
  readonly state: EditorState;
  readonly dispatch: (action: Action) => void;
}

/**
 * The relations of the text. A relation is added by clicking its button twice: with its head chosen, then with its
 * tail.
 */
export function Relations({ state, dispatch }: Props): ReactElement {
  const { relations } = state.annotation;
  return (
    <section aria-label="Relations" className="grid gap-1 text-sm">
      <p className="text-muted">
        {state.picked
          ? `Select the tail of ${state.picked.type}, and choose it again. Escape gives up.`
          : relations.length === 0
            ? 'No relations yet: choose the words of a head, then the relation; then the same with its tail.'
            : `Relations: ${relations.length}`}
      </p>
      <ul className="grid gap-1">
        {relations.map(({ type, head, tail }, index) => {
          const said = `${quoted(state, head)} ${type} ${quoted(state, tail)}`;
          return (
            <li key={index} className="flex flex-wrap items-center gap-2">
              {said}
              <Button aria-label={`Remove ${said}`} onClick={() => dispatch({ type: 'remove-relation', index })}>
                Remove
              </Button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
