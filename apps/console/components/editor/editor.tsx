import { useMemo, useReducer, type KeyboardEvent, type ReactElement } from 'react';
import { Button } from '../button.js';
import type { Scheme } from '../scheme/scheme.js';
import type { Annotation } from './annotation.js';
import { Classes } from './classes.js';
import { commandOf } from './keys.js';
import { Labels } from './labels.js';
import { marksOf } from './marks.js';
import { Records } from './records.js';
import { Relations } from './relations.js';
import { Spans } from './spans-list.js';
import { begin, reduce, type Action, type EditorState } from './state.js';
import { Text } from './text.js';

export type Editing = readonly [EditorState, (action: Action) => void];

/** @param initial is read once: give the component that calls this a `key` to begin anew */
export const useEditor = (text: string, scheme: Scheme, initial: Annotation): Editing =>
  useReducer(reduce, null, () => begin(text, scheme, initial));

interface Props {
  readonly editing: Editing;
  /** Whether labels may be added that the scheme does not have. */
  readonly open?: boolean;
}

/** Labels a text by keyboard, mouse or touch: entities, classes, structures and relations. Every key has a button. */
export function Editor({ editing: [state, dispatch], open = false }: Props): ReactElement {
  const marks = useMemo(() => marksOf(state.scheme), [state.scheme]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const command = event.target instanceof HTMLInputElement && event.target.type === 'text' ? null : commandOf(event);
    if (!command) return;
    event.preventDefault();
    dispatch(command);
  };
  const { scheme } = state;
  return (
    // Keys in the editor are the editor's, not those of the page around it.
    <div data-own-keys onKeyDown={onKeyDown} className="grid min-w-0 gap-3">
      <Labels state={state} dispatch={dispatch} marks={marks} open={open} />
      <Text state={state} dispatch={dispatch} marks={marks} />
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={state.past.length === 0} onClick={() => dispatch({ type: 'undo' })}>
          Undo
        </Button>
        <Button disabled={state.future.length === 0} onClick={() => dispatch({ type: 'redo' })}>
          Redo
        </Button>
        <p role="status" className="min-w-0 text-sm break-words text-muted">
          {state.said}
        </p>
      </div>
      {scheme.tasks.length > 0 && <Classes state={state} dispatch={dispatch} />}
      {scheme.entities && <Spans state={state} dispatch={dispatch} />}
      {scheme.structures.length > 0 && <Records state={state} dispatch={dispatch} />}
      {scheme.relations && <Relations state={state} dispatch={dispatch} />}
    </div>
  );
}
