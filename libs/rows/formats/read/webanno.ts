import type { JsonObject } from '#domain/json.js';
import { UnreadableFileError, type FileLimits } from '../limits.js';
import { CodePoints } from '#domain/code-points.js';
import { MadeRows } from './made-rows.js';

export const WEBANNO_MARK = '#FORMAT=WebAnno TSV 3';

/** A layer of spans, by the columns of its features. */
interface Layer {
  readonly name: string;
  readonly features: readonly string[];
  /** Of its first feature, from 0 behind the token. */
  readonly column: number;
}

/** The labels of a file: one column behind the tokens. */
interface LabelColumn {
  readonly column: number;
  /** Meaning of the column, and what is left out, for the uploader. */
  readonly said: string;
}

/** Layers that say nothing of entities. */
const GRAMMAR = /\.(?:lexmorph|morph|segmentation|syntax|coref|structure|transform)\./;
const ENTITIES = /\.NamedEntity$/;

/**
 * The column of WebAnno TSV 3 that holds the labels: that of named entities, else that of the only other layer of spans.
 * @param head the beginning of the file, with all of its `#T_` lines
 * @throws UnreadableFileError when several may be meant
 */
export function labelColumnOf(head: string): LabelColumn {
  const layers: Layer[] = [];
  let column = 0;
  let others = 0;
  for (const [, kind, rest = ''] of head.matchAll(/^#T_(SP|CH|RL)=(.*?)\r?$/gmu)) {
    const [name = '', ...features] = rest.split('|');
    if (kind === 'SP' && !GRAMMAR.test(name)) layers.push({ name, features, column });
    else others += 1;
    // A layer without features has a column that marks its spans.
    column += Math.max(1, features.length);
  }
  const layer = layers.find(({ name }) => ENTITIES.test(name)) ?? (layers.length === 1 ? layers[0] : undefined);
  if (layer === undefined)
    throw new UnreadableFileError(
      layers.length === 0
        ? 'the file of WebAnno has no layer of spans that may be entities'
        : `the file of WebAnno has several layers of spans (${layers.map(({ name }) => name.slice(0, 80)).join(', ')}); export one of them`,
    );
  const feature = layer.features.indexOf('value') >= 0 ? layer.features.indexOf('value') : 0;
  if (!layer.features[feature])
    throw new UnreadableFileError(
      `the layer ${layer.name.slice(0, 80)} of the file of WebAnno has no feature that is a label`,
    );
  if (layer.features.length > 1 && layer.features[feature] !== 'value')
    throw new UnreadableFileError(
      `the layer ${layer.name.slice(0, 80)} of the file of WebAnno has the features ${layer.features.join(', ').slice(0, 200)}; export it with the one that is the label`,
    );
  const left = others + layers.length - 1;
  return {
    column: layer.column + feature,
    said: `WebAnno TSV 3, layer ${layer.name.slice(0, 80)}${left > 0 ? `, ${left} other layers left out` : ''}`,
  };
}

/**
 * The sentences of WebAnno TSV 3 as rows `{"text", "spans"}`, a line of JSON each. Offsets of the file count UTF-16 code units from the start of the document.
 * @throws UnreadableFileError (while iterating) for a line that is too long, or a token that is not where it says
 * @see https://inception-project.github.io/releases/36.0/docs/user-guide.html#sect_webannotsv
 */
export function webAnnoBlocks(
  text: AsyncIterable<Buffer>,
  { column }: LabelColumn,
  limits: Pick<FileLimits, 'rowBytes'>,
  blockBytes: number,
): AsyncGenerator<Buffer> {
  const rows = new MadeRows(limits);
  let sentence = new Sentence(column);
  const end = () => {
    const row = sentence.row(rows.next);
    if (row !== null) rows.add(row);
    sentence = new Sentence(column);
  };
  const add = (withReturn: string) => {
    const line = withReturn.replace(/\r$/, '');
    // Blank lines end sentences; so does the text of the next one. The text of a sentence with line breaks has several such lines.
    if (line === '' || (line.startsWith('#Text=') && sentence.hasTokens)) end();
    sentence.add(line);
    rows.requireFit(sentence.length);
  };
  return rows.ofLines(text, { add, end }, blockBytes);
}

interface Stretch {
  /** `*`: the span has none. */
  readonly label: string;
  readonly start: number;
  end: number;
}

class Sentence {
  length = 0;
  hasTokens = false;
  private readonly texts: string[] = [];
  private begin = 0;
  private readonly spans: Stretch[] = [];
  /** Of several tokens, by the number in brackets behind their label. */
  private readonly open = new Map<string, Stretch>();

  constructor(private readonly column: number) {}

  add(line: string): void {
    this.length += line.length;
    if (line.startsWith('#Text=')) this.texts.push(unescaped(line.slice('#Text='.length)));
    const [id = '', place = '', token = '', ...values] = line.split('\t');
    const [, from, to] = /^(\d+)-(\d+)$/.exec(place) ?? [];
    if (!/^\d+-\d+(?:\.\d+)?$/.test(id) || from === undefined || to === undefined) return;
    if (!this.hasTokens) this.begin = Number(from);
    this.hasTokens = true;
    const [start, end] = [Number(from) - this.begin, Number(to) - this.begin];
    if (this.text.slice(start, end) !== unescaped(token))
      throw new UnreadableFileError(`the token ${id} of the file of WebAnno is not at ${place} of its sentence`);
    for (const value of cellsOf(values[this.column] ?? '_')) this.annotate(value, start, end);
  }

  private annotate(value: string, start: number, end: number): void {
    const [, name = '', number] = /^(.*?)(?:\[(\d+)\])?$/su.exec(value) ?? [];
    const label = unescaped(name);
    if (label === '_' || label === '') return;
    const key = `${number} ${label}`;
    const begun = number === undefined ? undefined : this.open.get(key);
    if (begun) {
      begun.end = end;
      return;
    }
    const stretch = { label, start, end };
    this.spans.push(stretch);
    if (number !== undefined) this.open.set(key, stretch);
  }

  private get text(): string {
    return this.texts.join('\n');
  }

  /** Null for a sentence without tokens. */
  row(number: number): JsonObject | null {
    if (!this.hasTokens) return null;
    const { text } = this;
    const points = new CodePoints(text);
    const spans = this.spans.map(({ label, start, end }) => {
      const [from, to] = [points.pointAt(start), points.pointAt(end)];
      if (from === null || to === null)
        throw new UnreadableFileError(`row ${number} has a span that begins or ends inside a character`);
      return { start: from, end: to, surface: text.slice(start, end), label: label === '*' ? [] : label };
    });
    return { text, spans };
  }
}

/** Annotations of one token, between bars; `_` is none. */
const cellsOf = (cell: string): readonly string[] => cell.split(/(?<!\\)\|/);

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
const unescaped = (text: string): string =>
  text.replaceAll(/\\(.)/gsu, (_, character: string) => ESCAPES[character] ?? character);
