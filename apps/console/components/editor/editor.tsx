import { useEffect, useMemo, useReducer, useState, type KeyboardEvent, type ReactElement } from 'react';
import { Button } from '../button.js';
import { Problem } from '../states.js';
import { keep, readDraft } from './drafts.js';
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

interface Editing {
  readonly state: EditorState;
  readonly dispatch: (action: Action) => void;
  /** Whether the browser keeps the draft. */
  readonly isKept: boolean;
}

/**
 * @param initial is read once: give the calling component a `key` to restart
 * @param draft where changes are kept, so that a reload loses none
 */
export function useEditor(text: string, scheme: Scheme, initial: Annotation, draft: string): Editing {
  const [state, dispatch] = useReducer(reduce, null, () => {
    const kept = readDraft(draft);
    return kept ? begin(text, withLabelsOf(scheme, kept), kept) : begin(text, scheme, initial);
  });
  const [isKept, setKept] = useState(true);
  const { annotation, past, future } = state;
  const isChanged = past.length + future.length > 0;
  useEffect(() => {
    if (isChanged) setKept(keep(draft, annotation));
  }, [draft, isChanged, annotation]);
  return { state, dispatch, isKept };
}

/** A draft may have labels that were added to the scheme while it was made. */
function withLabelsOf(scheme: Scheme, { spans }: Annotation): Scheme {
  if (!scheme.entities) return scheme;
  const known = new Set(scheme.entities.map(({ name }) => name));
  const added = new Set(spans.map(({ label }) => label).filter((label) => !known.has(label)));
  return { ...scheme, entities: [...scheme.entities, ...[...added].map((name) => ({ name }))] };
}

interface Props {
  readonly editing: Editing;
  /** Whether labels outside the scheme may be added. */
  readonly open?: boolean;
  /** Control and Enter. */
  readonly onDone?: () => void;
  readonly autoFocus?: boolean;
}

const NOT_KEPT = new Error('This browser has no room for drafts any more. Save what you have; a reload would lose it.');

/** Labels a text by keyboard, mouse or touch: entities, classes, structures and relations. Every key has a button. */
export function Editor({ editing, open = false, onDone, autoFocus = false }: Props): ReactElement {
  const { state, dispatch, isKept } = editing;
  const marks = useMemo(() => marksOf(state.scheme), [state.scheme]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (onDone && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      onDone();
      return;
    }
    const command = event.target instanceof HTMLInputElement && event.target.type === 'text' ? null : commandOf(event);
    if (!command) return;
    event.preventDefault();
    dispatch(command);
  };
  const { scheme } = state;
  return (
    // Keys pressed in the editor do not reach the page around it.
    <div data-own-keys onKeyDown={onKeyDown} className="grid min-w-0 gap-3">
      <Labels state={state} dispatch={dispatch} marks={marks} open={open} />
      <Text state={state} dispatch={dispatch} marks={marks} autoFocus={autoFocus} />
      {!isKept && <Problem error={NOT_KEPT} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button disabled={state.past.length === 0} onClick={() => dispatch({ type: 'undo' })}>
          Undo
        </Button>
        <Button disabled={state.future.length === 0} onClick={() => dispatch({ type: 'redo' })}>
          Redo
        </Button>
        <p role="status" className="min-w-0 text-sm text-muted">
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
