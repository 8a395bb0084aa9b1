import type { Span } from '../spans.js';
import type { Scheme } from '../scheme/scheme.js';
import { inOrder, isSame, replaced, type Annotation, type Entry, type Stretch, type Value } from './annotation.js';
import type { Mark } from './marks.js';
import { tokensOf, touched } from './tokens.js';

export interface EditorState {
  readonly text: string;
  readonly tokens: readonly Stretch[];
  readonly scheme: Scheme;
  readonly annotation: Annotation;
  /** The chosen words, from one token to another, in either order; the cursor is at `focus`. */
  readonly anchor: number;
  readonly focus: number;
  /** Index of the chosen span: its label and its ends are what changes. */
  readonly chosen: number | null;
  /** A relation whose head has been picked. */
  readonly picked: { readonly type: string; readonly head: Stretch } | null;
  /** Index of the record that fields go to. */
  readonly record: number | null;
  readonly past: readonly Annotation[];
  readonly future: readonly Annotation[];
  /** The last change in words, for screen readers. */
  readonly said: string;
}

export type Action =
  | { readonly type: 'step'; readonly by: number; readonly extend: boolean }
  | { readonly type: 'go'; readonly to: number; readonly extend: boolean }
  | { readonly type: 'select'; readonly stretch: Stretch }
  | { readonly type: 'choose'; readonly index: number }
  | { readonly type: 'choose-here' }
  | { readonly type: 'resize'; readonly edge: 'start' | 'end'; readonly by: number }
  | { readonly type: 'mark'; readonly mark: Mark }
  | { readonly type: 'remove'; readonly index?: number }
  | { readonly type: 'remove-relation'; readonly index: number }
  | { readonly type: 'add-record'; readonly structure: string }
  | { readonly type: 'open-record'; readonly index: number }
  | { readonly type: 'remove-record'; readonly index: number }
  | { readonly type: 'set-field'; readonly index: number; readonly field: string; readonly values: readonly Value[] }
  | { readonly type: 'add-label'; readonly name: string }
  | { readonly type: 'escape' | 'undo' | 'redo' };

/** @param annotation to start with */
export const begin = (text: string, scheme: Scheme, annotation: Annotation): EditorState => ({
  text,
  tokens: tokensOf(text),
  scheme,
  annotation: { ...annotation, spans: inOrder(annotation.spans) },
  anchor: 0,
  focus: 0,
  chosen: null,
  picked: null,
  record: annotation.records.length > 0 ? 0 : null,
  past: [],
  future: [],
  said: '',
});

export function reduce(state: EditorState, action: Action): EditorState {
  switch (action.type) {
    case 'step':
      return state.chosen !== null && action.extend
        ? resized(state, edgeAt(state, action.by), action.by)
        : moved(state, state.focus + action.by, action.extend);
    case 'go':
      return moved(state, action.to, action.extend);
    case 'select':
      return selected(state, action.stretch);
    case 'choose':
      return chosen(state, action.index);
    case 'choose-here':
      return chosenHere(state);
    case 'resize':
      return resized(state, action.edge, action.by);
    case 'mark':
      return marked(state, action.mark);
    case 'remove':
      return removed(state, action.index ?? state.chosen ?? spansAt(state)[0] ?? null);
    case 'remove-relation':
      return changed(state, { relations: replaced(state.annotation.relations, action.index) }, 'Relation removed');
    case 'add-record':
      return withRecord(state, action.structure);
    case 'open-record':
      return { ...state, record: action.index, said: `Fields go to record ${action.index + 1}` };
    case 'remove-record':
      return withoutRecord(state, action.index);
    case 'set-field':
      return withField(state, action.index, action.field, action.values);
    case 'add-label':
      return withLabel(state, action.name);
    case 'escape':
      return { ...state, anchor: state.focus, chosen: null, picked: null, said: 'Nothing is chosen' };
    case 'undo':
      return restored(state, state.past.at(-1), 'Undone', (now) => ({
        past: state.past.slice(0, -1),
        future: [now, ...state.future],
      }));
    case 'redo':
      return restored(state, state.future[0], 'Done again', (now) => ({
        past: [...state.past, now],
        future: state.future.slice(1),
      }));
  }
}

/** The chosen words; null in a text without any. */
export function selectionOf({ tokens, anchor, focus }: EditorState): Stretch | null {
  const [first, last] = [tokens[Math.min(anchor, focus)], tokens[Math.max(anchor, focus)]];
  return first && last ? { start: first.start, end: last.end } : null;
}

export const quoted = ({ text }: Pick<EditorState, 'text'>, { start, end }: Stretch): string =>
  `“${text.slice(start, end)}”`;

/** Indexes of the spans over the cursor, the shortest first. */
function spansAt({ annotation: { spans }, tokens, focus }: EditorState): readonly number[] {
  const here = tokens[focus];
  if (!here) return [];
  return [...spans.keys()]
    .filter((index) => spans[index]!.start < here.end && spans[index]!.end > here.start)
    .sort((a, b) => lengthOf(spans[a]!) - lengthOf(spans[b]!));
}

const lengthOf = ({ start, end }: Stretch): number => end - start;

function moved(state: EditorState, to: number, extend: boolean): EditorState {
  const focus = Math.max(0, Math.min(to, state.tokens.length - 1));
  const next = { ...state, focus, anchor: extend ? state.anchor : focus, chosen: null };
  const selection = selectionOf(next);
  return { ...next, said: extend && selection ? `${quoted(state, selection)} is selected` : '' };
}

function selected(state: EditorState, stretch: Stretch): EditorState {
  const range = touched(state.tokens, stretch);
  if (!range) return state;
  const [anchor, focus] = range;
  const next = { ...state, anchor, focus, chosen: null };
  return { ...next, said: `${quoted(state, selectionOf(next)!)} is selected` };
}

function chosen(state: EditorState, index: number): EditorState {
  const span = state.annotation.spans[index];
  const range = span && touched(state.tokens, span);
  if (!range) return state;
  const [anchor, focus] = range;
  return { ...state, anchor, focus, chosen: index, said: `${quoted(state, span)}, ${span.label}, is chosen` };
}

/** The span over the cursor; after that the next longer one there. With one alone, the other end is what Shift and arrows move. */
function chosenHere(state: EditorState): EditorState {
  const here = spansAt(state);
  if (here.length === 0) return { ...state, said: 'No span is here' };
  const at = state.chosen === null ? -1 : here.indexOf(state.chosen);
  if (at >= 0 && here.length === 1) {
    const { anchor, focus } = state;
    const edge = anchor > focus ? 'end' : 'start';
    return { ...state, anchor: focus, focus: anchor, said: `Shift and arrows move the ${edge}` };
  }
  return chosen(state, here[(at + 1) % here.length]!);
}

function resized(state: EditorState, edge: 'start' | 'end', by: number): EditorState {
  const span = state.chosen === null ? undefined : state.annotation.spans[state.chosen];
  const range = span && touched(state.tokens, span);
  if (!range) return state;
  const [first, last] = [range[0] + (edge === 'start' ? by : 0), range[1] + (edge === 'end' ? by : 0)];
  if (first < 0 || last >= state.tokens.length || first > last) return { ...state, said: 'It cannot go further' };
  const stretch = { start: state.tokens[first]!.start, end: state.tokens[last]!.end };
  const spans = replaced(state.annotation.spans, state.chosen!, { ...stretch, label: span.label });
  const next = changed(state, { spans }, `${quoted(state, stretch)} is ${span.label}`);
  const ends = edge === 'end' ? { anchor: first, focus: last } : { anchor: last, focus: first };
  return rechosen({ ...next, ...ends }, { ...stretch, label: span.label });
}

/** The end of the chosen span that the cursor is at; a span of one word grows in either direction. */
const edgeAt = ({ anchor, focus }: EditorState, by: number): 'start' | 'end' =>
  focus > anchor || (focus === anchor && by > 0) ? 'end' : 'start';

function marked(state: EditorState, mark: Mark): EditorState {
  if (mark.kind === 'class') return withClass(state, mark.task, mark.name);
  const selection = selectionOf(state);
  if (!selection) return state;
  if (mark.kind === 'entity') return labelled(state, selection, mark.name);
  if (mark.kind === 'field') return filled(state, mark.structure, mark.name, selection);
  return related(state, mark.name, selection);
}

function labelled(state: EditorState, stretch: Stretch, label: string): EditorState {
  const { spans } = state.annotation;
  const { chosen: index } = state;
  const span: Span = { ...(index === null ? stretch : spans[index]!), label };
  const { start, end } = span;
  const bare: Span = { start, end, label };
  if (spans.some((other, at) => at !== index && other.label === label && isSame(other, bare)))
    return { ...state, said: `${quoted(state, bare)} is ${label} already` };
  const next = index === null ? [...spans, bare] : replaced(spans, index, bare);
  return rechosen(changed(state, { spans: next }, `${quoted(state, bare)} is ${label}`), bare);
}

/** Spans are kept in order, so that a changed one may have another index. */
function rechosen(state: EditorState, span: Span): EditorState {
  const spans = inOrder(state.annotation.spans);
  const index = spans.findIndex((other) => isSame(other, span) && other.label === span.label);
  return { ...state, annotation: { ...state.annotation, spans }, chosen: index };
}

function removed(state: EditorState, index: number | null): EditorState {
  const span = index === null ? undefined : state.annotation.spans[index];
  if (!span) return { ...state, said: 'No span is here' };
  const spans = replaced(state.annotation.spans, index!);
  return changed(state, { spans }, `${quoted(state, span)} is no longer ${span.label}`);
}

function withClass(state: EditorState, task: string, label: string): EditorState {
  const before = state.annotation.classes[task] ?? [];
  const multiple = state.scheme.tasks.find(({ name }) => name === task)?.multiple ?? false;
  const has = before.includes(label);
  const labels = has ? before.filter((each) => each !== label) : multiple ? [...before, label] : [label];
  const classes = { ...state.annotation.classes, [task]: labels };
  return { ...changed(state, { classes }, `${task}: ${labels.join(', ') || 'none'}`), chosen: state.chosen };
}

function related(state: EditorState, type: string, stretch: Stretch): EditorState {
  if (state.picked?.type !== type)
    return {
      ...state,
      picked: { type, head: stretch },
      said: `${quoted(state, stretch)} is the head of ${type}; select its tail, and choose ${type} again`,
    };
  const { head } = state.picked;
  const relations = [...state.annotation.relations, { type, head, tail: stretch }];
  return changed(state, { relations }, `${quoted(state, head)} ${type} ${quoted(state, stretch)}`);
}

/** The field of the open record of that structure, or of a new record. A list grows; another field is replaced. */
function filled(state: EditorState, structure: string, field: string, at: Stretch): EditorState {
  const isOpen = state.record !== null && state.annotation.records[state.record]?.structure === structure;
  const next = isOpen ? state : withRecord(state, structure);
  const index = next.record!;
  const isList = fieldOf(next, structure, field)?.isList ?? false;
  const before = isList ? (next.annotation.records[index]!.fields[field] ?? []) : [];
  const value = { text: state.text.slice(at.start, at.end), at };
  const done = withField(next, index, field, [...before, value]);
  // A new record and its first value are undone together.
  return { ...done, past: [...state.past, state.annotation] };
}

const fieldOf = ({ scheme }: EditorState, structure: string, field: string) =>
  scheme.structures.find(({ name }) => name === structure)?.fields.find(({ name }) => name === field);

function withRecord(state: EditorState, structure: string): EditorState {
  const records: readonly Entry[] = [...state.annotation.records, { structure, fields: {} }];
  return { ...changed(state, { records }, `New ${structure}`), record: records.length - 1 };
}

function withoutRecord(state: EditorState, index: number): EditorState {
  const records = replaced(state.annotation.records, index);
  return { ...changed(state, { records }, 'Record removed'), record: records.length > 0 ? records.length - 1 : null };
}

function withField(state: EditorState, index: number, field: string, values: readonly Value[]): EditorState {
  const record = state.annotation.records[index]!;
  const records = replaced(state.annotation.records, index, {
    ...record,
    fields: { ...record.fields, [field]: values },
  });
  const shown = values.map(({ text }) => `“${text}”`).join(', ') || 'nothing';
  return { ...changed(state, { records }, `${record.structure}, ${field}: ${shown}`), record: index };
}

function withLabel(state: EditorState, written: string): EditorState {
  const name = written.trim();
  const entities = state.scheme.entities ?? [];
  if (name === '' || entities.some((label) => label.name === name)) return state;
  return { ...state, scheme: { ...state.scheme, entities: [...entities, { name }] }, said: `${name} is a label now` };
}

/** A change that can be undone. */
const changed = (state: EditorState, changes: Partial<Annotation>, said: string): EditorState => ({
  ...state,
  annotation: { ...state.annotation, ...changes },
  past: [...state.past, state.annotation],
  future: [],
  chosen: null,
  picked: null,
  said,
});

function restored(
  state: EditorState,
  annotation: Annotation | undefined,
  said: string,
  lists: (now: Annotation) => Pick<EditorState, 'past' | 'future'>,
): EditorState {
  if (!annotation) return { ...state, said: 'There is nothing more' };
  const last = annotation.records.length - 1;
  const record = state.record === null || state.record > last ? (last < 0 ? null : last) : state.record;
  return { ...state, ...lists(state.annotation), annotation, record, chosen: null, picked: null, said };
}
