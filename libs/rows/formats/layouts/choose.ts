import type { DatasetType } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import type { BlockSettings } from '../blocks.js';
import { RowRefusedError, sourceRows } from '../read/source-rows.js';
import { DEFAULT_LIMITS } from '../limits.js';
import { namer, shaper } from '../rows/canonical.js';
import { validateRow } from '../rows/validate.js';
import { countingOf, type SpannedText } from './counting.js';
import type { Counting, Layout, OffsetUnit, TaskOfFile } from './layout.js';
import { answerField, isAbout } from './evaluation-sets/cases.js';
import { isOwn, isText } from './parts/named-columns.js';
import { suggestedCure, type Cure } from './mapping.js';
import { nearestLayout, shownRow } from './nearest.js';
import { refuseOneSpanRows } from './one-span-rows.js';
import { otherShape } from './other-shapes.js';
import { ReadingTally } from './reading.js';
import { detectLayout, isDetected, layoutNamed, MAX_SAMPLED_ROWS, OWN_ROWS } from './registry.js';
import { RowReader } from './row-reader.js';

export interface ChosenLayout {
  /** Null: the rows are Anneal's own. */
  readonly layout: Layout | null;
  /** The unit of offsets if both would fit: the one proven by the first rows, else the tool's own. */
  readonly assumedUnit: OffsetUnit;
  readonly isMultiLabel: boolean;
  /** The tasks of classes in the first rows; null if there are not several. */
  readonly classTasks: readonly TaskOfFile[] | null;
  /** Columns that the layout found in the first rows. */
  readonly columns: readonly string[];
  readonly counting: Counting;
  /** Whether the first rows have classes or other answers, and no spans. */
  readonly areWithoutSpans: boolean;
  /** Keys that the layout has read in the first rows. */
  readonly read: ReadonlySet<string>;
  /** Hint for the error when no layout was found and rows are invalid. */
  readonly hint?: string;
  /** The mapping that the hint names. */
  readonly cure?: Cure | undefined;
}

export const OWN_LAYOUT: ChosenLayout = {
  layout: null,
  assumedUnit: 'code points',
  isMultiLabel: false,
  classTasks: null,
  columns: [],
  counting: 'usual',
  areWithoutSpans: false,
  read: new Set(),
};

/**
 * The layout of a file's rows, detected from the first of them.
 * @param block the first of the file
 * @param demanded the name that the request gave; null: any
 */
export function chooseLayout(
  block: Uint8Array,
  settings: Pick<BlockSettings, 'form' | 'datasetType' | 'columnMapping' | 'labelNames' | 'oneHot' | 'limits'>,
  demanded: string | null,
): ChosenLayout {
  const { datasetType } = settings;
  if (demanded === OWN_ROWS || (demanded === null && datasetType !== 'decoder' && !isDetected(datasetType)))
    return OWN_LAYOUT;
  const source = firstSourceRows(block, settings);
  const rows = source.map(namer(datasetType, settings.columnMapping));
  if (datasetType === 'ner') refuseOneSpanRows(rows);
  const layout = demanded === null ? detectLayout(rows, datasetType) : layoutNamed(demanded);
  if (layout === null && !isDetected(datasetType)) {
    const [row] = source.map(namer('ner', settings.columnMapping));
    if (row && (isOwn(row) || detectLayout([row], 'ner'))) return { ...OWN_LAYOUT, hint: LABELLED };
    return datasetType === 'decoder' && rows[0] && !hasTurns(rows[0])
      ? { ...OWN_LAYOUT, hint: chatHint(rows[0], source) }
      : OWN_LAYOUT;
  }
  const [first] = rows;
  if (layout === null && first) {
    const hint = (isChat(first) ? CHATS : undefined) ?? otherShape(rows, settings.form);
    if (hint !== undefined) return { ...OWN_LAYOUT, hint };
    if (!isOwn(first) && !hasOtherText(first)) return { ...OWN_LAYOUT, ...mended(first, source, settings) };
  }
  if (layout === null) return OWN_LAYOUT;
  const proven = provenBy(rows, layout, settings.datasetType);
  const isUnsure = layout.columnsIn !== undefined && proven.columns.length === 0;
  return { layout, ...proven, ...(isUnsure && first && mended(first, source, settings)) };
}

/** The first row, the layout that is near it, and a mapping that can be copied. */
function mended(
  first: JsonObject,
  source: readonly JsonObject[],
  { datasetType, columnMapping }: Pick<BlockSettings, 'datasetType' | 'columnMapping'>,
): Required<Pick<ChosenLayout, 'hint' | 'cure'>> {
  const isMapped = Object.keys(columnMapping).length > 0;
  const cure = isMapped ? undefined : suggestedCure(source, datasetType);
  return { hint: nearestLayout(first, cure), cure };
}

const hasTurns = (row: JsonObject): boolean => {
  const { messages, chosen, rejected } = shaper('decoder')(row);
  return (messages ?? chosen ?? rejected) !== undefined;
};

/** The first row, and a mapping that reads its question and its answer, if their names say which they are. */
function chatHint(first: JsonObject, source: readonly JsonObject[]): string {
  const texts = Object.keys(source[0]!).filter((key) => !isAbout(key) && source.every((row) => isText(row[key])));
  const answer = answerField(Object.fromEntries(texts.map((key) => [key, source[0]![key]!])));
  const [prompt, ...others] = texts.filter((key) => key !== answer);
  const read = `the first row was read as ${shownRow(first)}`;
  if (answer === undefined || prompt === undefined || others.length > 0) return read;
  return `${read}; "column_mapping": ${JSON.stringify({ prompt, completion: answer })} reads the rows`;
}

const CHATS = 'the first row is a chat or a pair of answers, which a dataset of "dataset_type": "decoder" holds';
const LABELLED =
  'the first row is a text with labels, which a dataset of "dataset_type": "ner" or "classification" holds';

const isChat = (row: JsonObject): boolean =>
  'contents' in validateRow(shaper('decoder')(row), 'decoder', DEFAULT_LIMITS);

/** Whether the fault of a row is its text, in any layout. */
const hasOtherText = ({ text }: JsonObject): boolean => text !== undefined && typeof text !== 'string';

/** The first rows of a file as it has them. @param block the first of the file */
export function firstSourceRows(
  block: Uint8Array,
  settings: Pick<BlockSettings, 'form' | 'labelNames' | 'oneHot' | 'limits'>,
): readonly JsonObject[] {
  const rows: JsonObject[] = [];
  try {
    sourceRows(block, settings, ({ value }) => {
      if (value) rows.push(value);
      return rows.length === MAX_SAMPLED_ROWS;
    });
  } catch (error) {
    // The row is refused with its number when the block is converted.
    if (!(error instanceof RowRefusedError)) throw error;
  }
  return rows;
}

function provenBy(rows: readonly JsonObject[], layout: Layout, datasetType: DatasetType) {
  const columns = layout.columnsIn?.(rows) ?? [];
  const read = new Set<string>(columns);
  const readAs = (counting: Counting) => {
    const tally = new ReadingTally();
    const spanned: SpannedText[] = [];
    const unknown = { isMultiLabel: null, classTasks: null };
    const settings = { datasetType, assumedUnit: layout.offsets, ...unknown, columns, counting };
    const reader = new RowReader(layout, settings, tally, (given) => spanned.push(given));
    for (const [index, row] of rows.entries()) reader.read(index + 1, watched(row, read));
    return { tally, spanned };
  };
  const { tally, spanned } = readAs('usual');
  const { provenUnit, isMultiLabel, hasClasses, hasOtherAnswers } = tally;
  return {
    assumedUnit: provenUnit ?? layout.offsets,
    isMultiLabel,
    classTasks: tally.tasksWith(layout.tasksIn?.(rows) ?? []),
    ...{ columns, read },
    areWithoutSpans: (hasClasses || hasOtherAnswers) && spanned.every(({ spans }) => spans.length === 0),
    counting: countingOf(spanned, readAs('inclusive').spanned),
  };
}

/** A row that remembers the keys whose values were read. */
const watched = (row: JsonObject, read: Set<string>): JsonObject =>
  new Proxy(row, {
    get(target, key, receiver) {
      if (typeof key === 'string') read.add(key);
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
