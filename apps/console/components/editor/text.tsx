import { useEffect, useId, useRef, type KeyboardEvent, type ReactElement } from 'react';
import { placedIn } from './annotation.js';
import { coloursOf } from '../label-colours.js';
import { drawnUnder, piecesOf, titleOf, type Piece, type Span } from '../spans.js';
import { percent } from '../values.js';
import { actionOf } from './keys.js';
import type { Mark } from './marks.js';
import { selectionOf, type Action, type EditorState } from './state.js';

interface Props {
  readonly state: EditorState;
  readonly dispatch: (action: Action) => void;
  readonly marks: readonly Mark[];
  readonly autoFocus: boolean;
}

/** The text, word by word: a list box, so that screen readers read each word with its labels and leave the keys to it. */
export function Text({ state, dispatch, marks, autoFocus }: Props): ReactElement {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const { text, tokens, annotation, focus } = state;
  const selection = selectionOf(state);
  const cuts = [
    ...tokens.flatMap(({ start, end }) => [start, end]),
    ...(selection ? [selection.start, selection.end] : []),
  ];
  const pieces = piecesOf(text, placedIn(annotation), cuts);
  useEffect(() => {
    if (autoFocus) box.current?.focus();
  }, [autoFocus]);
  useEffect(() => {
    if (document.activeElement === box.current)
      box.current?.querySelector('[data-here]')?.scrollIntoView({ block: 'nearest' });
  }, [focus]);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const line = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const action: Action | null = line
      ? { type: 'go', to: tokenOnLine(event.currentTarget, focus, line), extend: event.shiftKey }
      : actionOf({ ...pressOf(event), key: alongText(event) }, state, marks);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    dispatch(action);
  };
  // A selection may end outside of the text that it began in.
  const onPointerDown = (): void => {
    const take = (): void => {
      const stretch = stretchSelected(box.current);
      if (stretch) dispatch({ type: 'select', stretch });
    };
    addEventListener('pointerup', () => setTimeout(take), { once: true });
  };
  const drawn = (all: readonly Piece[]) =>
    all.map((piece) => <Stretch key={piece.start} piece={piece} state={state} />);
  const tags = (all: readonly Piece[]) =>
    all.map((piece) => (
      <Tags
        key={`tags ${piece.start}`}
        piece={piece}
        state={state}
        onChoose={(span) => dispatch({ type: 'choose', index: annotation.spans.indexOf(span) })}
      />
    ));
  let next = 0;
  const upTo = (end: number): readonly Piece[] => {
    const from = next;
    while (next < pieces.length && pieces[next]!.end <= end) next += 1;
    return pieces.slice(from, next);
  };
  return (
    <>
      <div
        ref={box}
        role="listbox"
        dir="auto"
        aria-label="Text to label"
        aria-multiselectable
        aria-orientation="horizontal"
        aria-describedby={`${id}-keys`}
        aria-activedescendant={tokens.length > 0 ? `${id}-${focus}` : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        className="max-h-96 overflow-y-auto rounded-md border border-control bg-surface p-3 text-read leading-9 whitespace-pre-wrap"
      >
        {tokens.map(({ start, end }, index) => {
          const before = upTo(start);
          const own = upTo(end);
          const labels = own.flatMap(({ covering }) => covering).map(titleOf);
          return [
            drawn(before),
            tags(before),
            <span
              key={start}
              id={`${id}-${index}`}
              role="option"
              aria-selected={selection !== null && start >= selection.start && end <= selection.end}
              aria-label={[text.slice(start, end), ...new Set(labels)].join(', ')}
              {...(index === focus && { 'data-here': true })}
            >
              {drawn(own)}
            </span>,
            tags(own),
          ];
        })}
        {drawn(upTo(text.length))}
      </div>
      <details className="pointer-coarse:hidden">
        <summary>Keys</summary>
        <p id={`${id}-keys`} className="mt-1 text-sm text-muted">
          Arrows go from word to word, with Shift they extend; the key of a label labels. Enter chooses the span under
          the cursor, whose end Shift and arrows then move; Delete removes it; Ctrl Z undoes.
        </p>
      </details>
    </>
  );
}

const pressOf = ({ shiftKey, altKey, ctrlKey, metaKey }: KeyboardEvent) => ({ shiftKey, altKey, ctrlKey, metaKey });

const MIRRORED: Readonly<Record<string, string>> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' };

/** The key as in a text from left to right: an arrow goes to where it points. */
const alongText = ({ key, currentTarget }: KeyboardEvent): string =>
  getComputedStyle(currentTarget).direction === 'rtl' ? (MIRRORED[key] ?? key) : key;

interface StretchProps {
  readonly piece: Piece;
  readonly state: EditorState;
}

/** A stretch of the text on the colours of its spans. */
const Stretch = ({ piece: { start, end, covering }, state }: StretchProps): ReactElement => (
  <span data-start={start} className="py-1" style={{ ...drawnUnder(covering), boxShadow: ringOf(start, end, state) }}>
    {state.text.slice(start, end)}
  </span>
);

interface TagsProps extends StretchProps {
  readonly onChoose: (span: Span) => void;
}

/** The labels of the spans that end with a stretch. They are beside the word, whose name has them already. */
function Tags({ piece: { end, covering }, state, onChoose }: TagsProps): ReactElement {
  const chosen = state.chosen === null ? undefined : state.annotation.spans[state.chosen];
  return (
    <>
      {covering
        .filter((span) => span.end === end)
        .map((span) => (
          <span
            key={`${span.label} ${span.start}`}
            aria-hidden
            data-end={end}
            title={titleOf(span)}
            onPointerDown={(event) => {
              event.stopPropagation();
              event.preventDefault();
              onChoose(span);
            }}
            className={`me-0.5 cursor-pointer px-1 py-1 text-[11px] font-semibold select-none ${span === chosen ? 'text-accent-text underline' : ''}`}
            style={{ backgroundColor: coloursOf(span.label).tint, color: coloursOf(span.label).ink }}
          >
            <bdi>{span.label}</bdi>
            {span.confidence !== undefined && ` ${percent(span.confidence)}`}
          </span>
        ))}
    </>
  );
}

/** A frame around the chosen words, which takes no room. */
function ringOf(start: number, end: number, state: EditorState): string | undefined {
  const selection = selectionOf(state);
  if (!selection || start < selection.start || end > selection.end) return undefined;
  const sides = ['0 2px', '0 -2px'];
  if (start === selection.start) sides.push('2px 0');
  if (end === selection.end) sides.push('-2px 0');
  return sides.map((side) => `inset ${side} 0 var(--accent-text)`).join(', ');
}

/** The selection of the browser within a text; null if it is elsewhere. A click is a selection without length. */
function stretchSelected(box: HTMLElement | null): { start: number; end: number } | null {
  const selection = document.getSelection();
  if (!box || !selection?.anchorNode || !selection.focusNode) return null;
  const a = offsetOf(box, selection.anchorNode, selection.anchorOffset);
  const b = offsetOf(box, selection.focusNode, selection.focusOffset);
  if (a === null || b === null) return null;
  selection.removeAllRanges();
  return { start: Math.min(a, b), end: Math.max(a, b) };
}

function offsetOf(box: HTMLElement, node: Node, offset: number): number | null {
  if (!box.contains(node)) return null;
  const element = node instanceof HTMLElement ? node : node.parentElement;
  const { start, end } = element?.dataset ?? {};
  if (start !== undefined) return Number(start) + (node.nodeType === Node.TEXT_NODE ? offset : 0);
  if (end !== undefined) return Number(end);
  // Between the words: the end of the previous one.
  const before = node.childNodes[offset - 1] ?? node;
  const last = before instanceof HTMLElement ? [...before.querySelectorAll<HTMLElement>('[data-start]')].at(-1) : null;
  return last ? Number(last.dataset['start']) + (last.textContent?.length ?? 0) : 0;
}

/** The word nearest to the cursor on the line above or below. */
function tokenOnLine(box: HTMLElement, focus: number, line: number): number {
  const places = [...box.querySelectorAll('[role=option]')].map((option) => option.getClientRects()[0]!);
  const here = places[focus];
  if (!here) return focus;
  const beyond = [...places.keys()].filter((index) => (places[index]!.top - here.top) * line > here.height / 2);
  const nearest = Math.min(...beyond.map((index) => Math.abs(places[index]!.top - here.top)));
  const onIt = beyond.filter((index) => Math.abs(places[index]!.top - here.top) < nearest + here.height / 2);
  const distance = (index: number): number => Math.abs(places[index]!.left - here.left);
  return onIt.reduce((best, index) => (distance(index) < distance(best) ? index : best), onIt[0] ?? focus);
}
