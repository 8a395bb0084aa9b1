import { isOutside, looksLikeTag, stretchesOf, tagParts } from '../layouts/parts/tags.js';
import { UnreadableFileError } from '../limits.js';
import type { ColumnMapping } from '../rows/canonical.js';
import { quote } from '../rows/spans.js';
import { isHeader, tokenOfHeader } from './conll-header.js';
import { areLabelsAlone, notationOf, tagsIn, type Notation } from './conll-notation.js';

/** The columns of a CoNLL file that are read. */
export interface ConllColumns extends LineForm {
  /** From 0, as all places of columns here. */
  readonly token: number;
  readonly tags: TagColumn;
  /** Tags of spans within those of `tags`; null: none. */
  readonly nested: TagColumn | null;
  /** Whether lines differ, and the shortest have a token and its tag alone: longer ones have words that nothing tells from other columns. */
  readonly isTokenAlone: boolean;
  /** The names of the columns in a first line, which is no token; null: none. */
  readonly header: Line | null;
  /** The columns, for the uploader. */
  readonly said: string;
  /** The mapping of columns that is not of these. */
  readonly mapping: ColumnMapping;
}

/** A column of tags, or a key of a column like CoNLL-U's MISC: `SpaceAfter=No|NER=B-PER`. */
export interface TagColumn {
  /** From the left; -1: the last of lines with different numbers of columns. */
  readonly at: number;
  readonly key: string | null;
  readonly notation: Notation;
}

type Line = readonly string[];
type Sentences = readonly (readonly Line[])[];

/** Labels of syntactic chunks, which the shared tasks of 2000 and 2003 have beside those of names. */
const CHUNKS = new Set([
  'NP',
  'VP',
  'PP',
  'ADVP',
  'ADJP',
  'SBAR',
  'PRT',
  'CONJP',
  'INTJ',
  'LST',
  'UCP',
  'NC',
  'VC',
  'PC',
]);
/** The least share of tags in a column of a file that is CoNLL by its name; other values are errors of their rows. */
const MIN_TAGS = 0.5;
/** A file whose lines mostly have one number of columns is read by that: a line or two may be broken. */
const MIN_EVEN = 0.8;
/** A layer is nested if this share of its spans lies in those of the other one. */
const MIN_NESTED = 0.9;

/** Columns of a line, the blanks around them cut; null for a blank line. Tabs divide a line that has any, so that tokens may have blanks. */
export function columnsOf(line: string): Line | null {
  if (line.trim() === '') return null;
  return line.includes('\t') ? line.split('\t').map((column) => column.trim()) : line.trim().split(/ +/);
}

/** The form of most lines. */
interface LineForm {
  readonly width: number;
  readonly isTabbed: boolean;
  /** Whether two blanks and more divide the columns, which stand below each other: tokens may have single blanks. */
  readonly isAligned: boolean;
}

/** Columns of a line in the form of its file, as `columnsOf`. */
export function columnsIn(line: string, { width, isTabbed, isAligned }: LineForm): Line | null {
  const columns = columnsOf(line);
  if (columns === null || isTabbed || !isAligned || columns.length === width) return columns;
  const aligned = alignedColumns(line);
  return aligned.length === width ? aligned : columns;
}

const alignedColumns = (line: string): Line => line.trim().split(/ {2,}/);

/** Whether a line begins a document, or is a comment: it begins with `#`, and is not in the form of words or has no tag. */
export const isMark = (line: string, columns: Line, { width, isTabbed }: LineForm, tag?: TagColumn): boolean =>
  columns[0] === '-DOCSTART-' ||
  (columns[0]!.startsWith('#') &&
    (columns.length !== width ||
      line.includes('\t') !== isTabbed ||
      !(tag === undefined ? columns.slice(1) : [tagOf(columns, tag) ?? '']).some(looksLikeTag)));

function formOf(lines: readonly string[]): LineForm {
  const words = lines.filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const isTabbed = 2 * words.filter((line) => line.includes('\t')).length > words.length;
  const [usual, aligned] = [(line: string) => columnsOf(line)!, alignedColumns].map((cut) => {
    const counts = Map.groupBy(words, (line) => cut(line).length);
    const [width = 0, lines = []] = [...counts].sort((a, b) => b[1].length - a[1].length)[0] ?? [];
    return { width, lines: lines.length };
  });
  const isAligned = !isTabbed && aligned!.width > 1 && 2 * aligned!.lines > words.length;
  return { width: isAligned ? aligned!.width : usual!.width, isTabbed, isAligned };
}

/** Places of multiword tokens (`1-2`) and empty nodes (`8.1`) of CoNLL-U. */
export const isRange = (index: string): boolean => /^\d+-\d+$/.test(index);
export const isEmptyNode = (index: string): boolean => /^\d+\.\d+$/.test(index);

/** The tag in a line, `O` where a key says nothing; undefined: the line has no such column, or more columns than others, so that two may be it. */
export function tagIn(columns: Line, column: TagColumn, form: ConllColumns): string | undefined {
  const value = tagOf(columns, column);
  const extra = columns.length - form.width;
  if (column.at < 0) return form.isTokenAlone && columns.length > 2 ? undefined : value;
  if (form.isTabbed || column.key !== null || extra <= 0) return value;
  return looksLikeTag(columns[column.at + extra] ?? '') ? undefined : value;
}

/** The tag in a line, as `tagIn`, whatever the form of its file. */
export function tagOf(columns: Line, { at, key }: TagColumn): string | undefined {
  // The last column of a line with one column is its token.
  const value = at < 0 && columns.length < 2 ? undefined : columns.at(at);
  return key === null || value === undefined ? value : (attribute(value, key) ?? 'O');
}

const attribute = (value: string, key: string): string | undefined =>
  value
    .split('|')
    .find((each) => each.startsWith(`${key}=`))
    ?.slice(key.length + 1);

/** Whether a text begins like a CoNLL file: all lines of words have tags in one column. @param head the last line may be cut */
export function looksLikeConll(head: string): boolean {
  return tagColumns(sentencesOf(head).sentences, 1).length > 0;
}

/**
 * Finds the columns by their values in the beginning of a file: that of tags (BIO and its like), and the first other one that
 * neither counts the tokens nor names their sentence.
 * @param mapping may name columns by their numbers: `{"text": "column 2", "entities": "column 4"}`
 * @throws UnreadableFileError when no column has tags, or several have
 */
export function conllColumns(head: string, { text, entities, ...others }: ColumnMapping): ConllColumns {
  const all = sentencesOf(head);
  const { form } = all;
  const { width } = form;
  const [[first = []] = []] = all.sentences;
  const header = isHeader(first) ? first : null;
  const sentences = header === null ? all.sentences : withoutHeader(all.sentences, header);
  const found = tagColumns(sentences, MIN_TAGS);
  const candidates = found.length > 0 ? found : labelColumns(sentences, header);
  const named = entities === undefined ? null : columnNamed(sentences, entities, { candidates, width, header });
  const layers = named ? [named] : withoutChunks(sentences, candidates);
  if (layers.length === 0) throw new UnreadableFileError(withoutTags(sentences));
  const [tags, nested] = layers.length === 1 ? [layers[0]!, null] : nestedLayers(sentences, layers);
  const token =
    text === undefined
      ? tokenColumn(sentences, candidates, tags, header)
      : columnNamed(sentences, text, { candidates: [], width, header }).at;
  const nestedIn = nested ? `, tags of spans within these in ${nameOf(nested)}` : '';
  const widths = sentences.flatMap((lines) => lines.flatMap(({ length }) => (length > 1 ? [length] : [])));
  return {
    isTokenAlone: tags.at < 0 && !form.isTabbed && Math.min(...new Set(widths)) === 2,
    ...{ ...form, token, tags, nested, header, mapping: others },
    said: `tokens in column ${token + 1}, tags in ${nameOf(tags)}${nestedIn}${header ? `, without the header line ${quote(header.join(' '))}` : ''}`,
  };
}

/** The words by sentence, of the whole lines. */
function sentencesOf(head: string): { readonly sentences: Sentences; readonly form: LineForm } {
  const lines = head.split('\n').slice(0, head.endsWith('\n') ? undefined : -1);
  const form = formOf(lines);
  const sentences: Line[][] = [[]];
  for (const line of lines) {
    const columns = columnsIn(line, form);
    if (columns === null) sentences.push([]);
    else if (!isMark(line, columns, form) && !isRange(columns[0]!) && !isEmptyNode(columns[0]!))
      sentences.at(-1)!.push(columns);
  }
  return { sentences: sentences.filter(({ length }) => length > 0), form };
}

export const isSameLine = (line: Line, other: Line | null): boolean =>
  line.length === other?.length && line.every((column, at) => column === other[at]);

const withoutHeader = (sentences: Sentences, header: Line): Sentences =>
  sentences.map((lines) => lines.filter((line) => !isSameLine(line, header))).filter(({ length }) => length > 0);

const nameOf = ({ at, key }: Pick<TagColumn, 'at' | 'key'>): string =>
  `${at < 0 ? 'the last column' : `column ${at + 1}`}${key === null ? '' : ` ${key}`}`;

/** What the columns of a file may be named by. */
interface Named {
  readonly candidates: readonly TagColumn[];
  readonly width: number;
  readonly header: Line | null;
}

function columnNamed(sentences: Sentences, name: string, { candidates, width, header }: Named): TagColumn {
  const known = candidates.find((each) => nameOf(each) === name);
  if (known) return known;
  const inHeader = header?.indexOf(name) ?? -1;
  const number = inHeader < 0 ? Number(/^column (\d{1,4})$/.exec(name)?.[1] ?? 0) : inHeader + 1;
  if (number >= 1 && number <= width) {
    const at = number - 1;
    return { at, key: null, notation: notationOf(valuesAt(sentences.flat(), at), MIN_TAGS) ?? 'labels' };
  }
  const named = JSON.stringify(name.slice(0, 60));
  throw new UnreadableFileError(
    `column_mapping names ${named}; columns of a CoNLL file have numbers, "column 1" to "column ${width}"`,
  );
}

/** The places in the form of most lines; if lines differ, those that all have, and the last one. */
function placesOf(sentences: Sentences): readonly number[] {
  const lengths = sentences.flat().map(({ length }) => length);
  const usual = lengths.toSorted((a, b) => a - b)[lengths.length >> 1] ?? 0;
  const isEven = lengths.filter((length) => length === usual).length >= MIN_EVEN * lengths.length;
  const width = isEven ? usual : Math.min(...new Set(lengths));
  return [...Array.from({ length: width }, (_, at) => at), ...(isEven ? [] : [-1])];
}

/** @param share of values that must be tags */
function tagColumns(sentences: Sentences, share: number): readonly TagColumn[] {
  const lines = sentences.flat();
  const isWide = lines.every(({ length }) => length > 1) || (share < 1 && lines.some(({ length }) => length > 1));
  if (!isWide) return [];
  return placesOf(sentences).flatMap((at): TagColumn[] => {
    const values = valuesAt(lines, at);
    const notation = 2 * values.length >= lines.length ? notationOf(values, share) : null;
    if (notation !== null) return [{ at, key: null, notation }];
    return keysOf(values).map((key) => ({ at, key, notation: 'prefixes' }));
  });
}

/** The values of a column in the lines that have it. */
const valuesAt = (lines: readonly Line[], at: number): readonly string[] =>
  lines.flatMap((line) => tagOf(line, { at, key: null, notation: 'labels' }) ?? []);

/** Keys whose values are tags, some of them of spans. */
function keysOf(values: readonly string[]): readonly string[] {
  const held = new Map<string, boolean>();
  for (const value of values)
    for (const each of value.split('|')) {
      const [, key, tag] = /^([\w.:]+)=(.+)$/su.exec(each) ?? [];
      if (key !== undefined && tag !== undefined)
        held.set(key, (held.get(key) ?? true) && (looksLikeTag(tag) || isOutside(tag)));
    }
  const hasSpan = (key: string) => values.some((value) => tagParts(attribute(value, key) ?? 'O') !== null);
  return [...held].flatMap(([key, areTags]) => (areTags && hasSpan(key) ? [key] : []));
}

/** Columns of labels without prefixes, among words that have none. */
function labelColumns(sentences: Sentences, header: Line | null): readonly TagColumn[] {
  const columns = placesOf(sentences).map((at): TagColumn => ({ at, key: null, notation: 'labels' }));
  return columns.filter((column) => {
    const token = tokenColumn(sentences, [], column, header);
    const lines = sentences.flat().filter((line) => tagOf(line, column) !== undefined);
    const tokens = lines.map((line) => line[token] ?? '');
    return areLabelsAlone(valuesAt(lines, column.at), tokens);
  });
}

/** The tags of a sentence. */
const tagsOf = (lines: readonly Line[], column: TagColumn): readonly string[] =>
  tagsIn(
    lines.map((line) => tagOf(line, column)),
    column.notation,
  ).map((tag) => tag ?? 'O');

const labelsIn = (sentences: Sentences, column: TagColumn): readonly string[] =>
  sentences.flatMap((lines) => tagsOf(lines, column)).flatMap((tag) => tagParts(tag)?.label ?? []);

/** Columns without those of chunks, unless there are no others. */
function withoutChunks(sentences: Sentences, columns: readonly TagColumn[]): readonly TagColumn[] {
  const others = columns.filter((column) => {
    const labels = labelsIn(sentences, column);
    return labels.length === 0 || !labels.every((label) => CHUNKS.has(label));
  });
  return others.length > 0 ? others : columns;
}

/** @returns the outer layer, and the one within it @throws UnreadableFileError when that is not what they are */
function nestedLayers(sentences: Sentences, layers: readonly TagColumn[]): readonly [TagColumn, TagColumn] {
  const [first, second, ...others] = layers;
  if (others.length === 0)
    for (const [outer, inner] of [
      [first!, second!],
      [second!, first!],
    ] as const)
      if (isNested(sentences, outer, inner)) return [outer, inner];
  throw new UnreadableFileError(
    `several columns hold tags: ${layers.map((layer) => exampleOf(sentences, layer)).join(', ')}; ` +
      `column_mapping says which one has the entities, as in {"entities": ${JSON.stringify(nameOf(layers[0]!))}}`,
  );
}

function isNested(sentences: Sentences, outer: TagColumn, inner: TagColumn): boolean {
  let [total, within, shorter] = [0, 0, 0];
  for (const lines of sentences) {
    const [around, inside] = [outer, inner].map((layer) => stretchesOf(tagsOf(lines, layer)));
    for (const { first, last } of inside!) {
      total += 1;
      const holder = around!.find((each) => each.first <= first && each.last >= last);
      if (holder) within += 1;
      if (holder && holder.last - holder.first > last - first) shorter += 1;
    }
  }
  // Spans of equal extent are those of a second opinion, such as a model's.
  return within >= MIN_NESTED * total && 2 * shorter >= total;
}

function exampleOf(sentences: Sentences, layer: TagColumn): string {
  const lines = sentences.flat();
  const tags = sentences.flatMap((each) => tagsOf(each, layer));
  const line = lines[tags.findIndex((tag) => tagParts(tag) !== null)] ?? lines[0]!;
  return `${nameOf(layer)} (${quote(tagOf(line, layer) ?? '')} in the line ${quote(line.join(' '))})`;
}

function withoutTags(sentences: Sentences): string {
  const [line = []] = sentences.flat();
  const columns = line.map((value, at) => `column ${at + 1} ${quote(value)}`);
  return (
    `no column of the file holds tags such as B-PER and O; its first line has ${columns.join(', ') || 'nothing'}; ` +
    'column_mapping may name the column, as in {"entities": "column 2"}'
  );
}

/** The column that the header names, or the first one that has words. */
function tokenColumn(
  sentences: Sentences,
  candidates: readonly TagColumn[],
  tags: TagColumn | null,
  header: Line | null,
): number {
  const named = header === null ? -1 : tokenOfHeader(header);
  if (named >= 0 && named !== tags?.at) return named;
  const isTag = (at: number) => [...candidates, tags].some((each) => each?.key === null && each.at === at);
  const places = placesOf(sentences).filter((at) => at >= 0 && !isTag(at));
  return places.find((at) => !isIndex(sentences, at) && !isOfSentence(sentences, at)) ?? places[0] ?? 0;
}

/** Whether a column counts the tokens, of each sentence or of all. */
function isIndex(sentences: Sentences, at: number): boolean {
  return sentences.every((lines) =>
    lines.every((line, index) => /^\d+$/.test(line[at] ?? '') && Number(line[at]) - index === Number(lines[0]![at])),
  );
}

/** Whether a column has one value in each sentence, and the next one follows. */
function isOfSentence(sentences: Sentences, at: number): boolean {
  const isLong = sentences.some(({ length }) => length > 1);
  return isLong && sentences.every((lines) => lines.every((line) => line[at] === lines[0]![at]));
}
