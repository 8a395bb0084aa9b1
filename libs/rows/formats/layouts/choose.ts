import type { DatasetType } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import type { BlockSettings } from '../blocks.js';
import { RowRefusedError, sourceRows } from '../read/source-rows.js';
import { namer } from '../rows/canonical.js';
import type { Layout, OffsetUnit } from './layout.js';
import { isOwn } from './parts/named-columns.js';
import { nearestLayout } from './nearest.js';
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
  /** Columns that the layout found in the first rows. */
  readonly columns: readonly string[];
  /** Hint for the error when no layout was found and rows are invalid. */
  readonly hint?: string;
}

export const OWN_LAYOUT: ChosenLayout = {
  layout: null,
  assumedUnit: 'code points',
  isMultiLabel: false,
  columns: [],
};

/**
 * The layout of a file's rows, detected from the first of them.
 * @param block the first of the file
 * @param demanded the name that the request gave; null: any
 */
export function chooseLayout(
  block: Uint8Array,
  settings: Pick<BlockSettings, 'form' | 'datasetType' | 'columnMapping' | 'labelNames' | 'limits'>,
  demanded: string | null,
): ChosenLayout {
  const { datasetType } = settings;
  if (demanded === OWN_ROWS || (demanded === null && datasetType !== 'decoder' && !isDetected(datasetType)))
    return OWN_LAYOUT;
  const rows = firstRows(block, settings);
  const layout = demanded === null ? detectLayout(rows, datasetType) : layoutNamed(demanded);
  if (layout === null && !isDetected(datasetType)) return OWN_LAYOUT;
  const [first] = rows;
  if (layout === null && first) {
    const hint =
      otherShape(rows, settings.form) ?? (isOwn(first) || hasOtherText(first) ? undefined : nearestLayout(first));
    if (hint !== undefined) return { ...OWN_LAYOUT, hint };
  }
  return layout === null ? OWN_LAYOUT : { layout, ...provenBy(rows, layout, settings.datasetType) };
}

/** Whether the fault of a row is its text, in any layout. */
const hasOtherText = ({ text }: JsonObject): boolean => text !== undefined && typeof text !== 'string';

function firstRows(
  block: Uint8Array,
  {
    datasetType,
    columnMapping,
    ...settings
  }: Pick<BlockSettings, 'form' | 'datasetType' | 'columnMapping' | 'labelNames' | 'limits'>,
): readonly JsonObject[] {
  const named = namer(datasetType, columnMapping);
  const rows: JsonObject[] = [];
  try {
    sourceRows(block, settings, ({ value }) => {
      if (value) rows.push(named(value));
      return rows.length === MAX_SAMPLED_ROWS;
    });
  } catch (error) {
    // The row is refused with its number when the block is converted.
    if (!(error instanceof RowRefusedError)) throw error;
  }
  return rows;
}

function provenBy(rows: readonly JsonObject[], layout: Layout, datasetType: DatasetType) {
  const tally = new ReadingTally();
  const columns = layout.columnsIn?.(rows) ?? [];
  const settings = { datasetType, assumedUnit: layout.offsets, isMultiLabel: null, columns };
  const reader = new RowReader(layout, settings, tally);
  for (const [index, row] of rows.entries()) reader.read(index + 1, row);
  return { assumedUnit: tally.provenUnit ?? layout.offsets, isMultiLabel: tally.isMultiLabel, columns };
}
