import type { DatasetType } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';
import type { FieldProblem } from '../rows/kinds.js';
import type { SpannedText } from './counting.js';
import type { Counting, Layout, OffsetUnit, RowContext, TaskOfFile } from './layout.js';
import { placeSpans, type FittingUnit } from './offsets.js';
import type { ReadingTally } from './reading.js';

/** Settings for all rows of a file, found in its first rows. */
export interface ReadingSettings {
  readonly datasetType: DatasetType;
  /** The unit of offsets if both would fit. */
  readonly assumedUnit: OffsetUnit;
  /** Whether rows may have several classes; null: not known yet. */
  readonly isMultiLabel: boolean | null;
  /** The tasks of a file that has several; null: one, or not known yet. */
  readonly classTasks: readonly TaskOfFile[] | null;
  readonly columns: readonly string[];
  /** Whether the first rows have classes or other answers, and no spans; false too if that is not known yet. */
  readonly areWithoutSpans?: boolean;
  readonly counting: Counting;
}

/** Converts the rows of a file to native rows. */
export class RowReader {
  constructor(
    private readonly layout: Layout,
    private readonly settings: ReadingSettings,
    private readonly tally: ReadingTally,
    private readonly onSpans?: (given: SpannedText) => void,
  ) {}

  /** @param number from 1 */
  read(
    number: number,
    row: JsonObject,
  ): {
    readonly rows: readonly JsonObject[];
    readonly problems: readonly FieldProblem[];
    readonly isUnlabelled: boolean;
  } {
    const { datasetType, assumedUnit, isMultiLabel, classTasks, columns, counting } = this.settings;
    const { areWithoutSpans = false } = this.settings;
    const said = new Map<string, Json>();
    const problems: FieldProblem[] = [];
    let isUnlabelled = false;
    let fits: FittingUnit | null = null;
    const context: RowContext = {
      ...{ datasetType, columns, counting },
      areEmptyUnlabelled: datasetType === 'classification' || areWithoutSpans,
      tell: (what, count) => this.tally.tell(what, count),
      see: (unread) => this.tally.see(unread),
      leaveUnlabelled: (what) => {
        isUnlabelled = true;
        if (what !== undefined) this.tally.tell(what);
      },
      tellAnswer: (what) => {
        this.tally.hasOtherAnswers = true;
        this.tally.tell(what);
      },
      refuse: (field, reason) => problems.push({ field, reason }),
      entities: (text, spans) => context.placed(text, spans).filter((entity) => entity !== null),
      placed: (text, spans) => {
        this.onSpans?.({ row: number, text, spans });
        const { entities, problem, fault, empty, ...placed } = placeSpans(text, spans, assumedUnit, counting);
        if (problem) problems.push(problem);
        fits = placed.fits ?? fits;
        this.tally.addSpans({
          ...placed,
          first: number,
          fault: fault === null ? null : { row: number, reason: fault },
        });
        if (empty > 0) this.tally.tell('empty spans left out', empty);
        if (placed.misquoted > 0) this.tally.tell(MISQUOTED, placed.misquoted);
        if (counting !== 'usual') this.tally.tell(COUNTED[counting], spans.length - empty);
        return entities;
      },
      isTask: (name) => classTasks?.some((task) => task.name === name) === true,
      classes: (task, labels, isList = false) => {
        this.tally.classify(number, task, labels.length, isList || labels.length > 1);
        if (classTasks) {
          const known = classTasks.find(({ name }) => name === task);
          if (known?.isList ?? (isList || labels.length > 1)) said.set(task, labels);
          else if (labels.length > 1) problems.push({ field: task, reason: SEVERAL });
          else if (labels.length === 1) said.set(task, labels[0]!);
          return said.size === 0 ? {} : { labels: Object.fromEntries(said) };
        }
        if (isMultiLabel === true) return { labels };
        if (labels.length > 1 && isMultiLabel === false) problems.push({ field: task, reason: SEVERAL });
        if (labels.length === 0) this.tally.tell('without a class');
        return labels.length === 0 ? {} : { label: labels[0]! };
      },
    };
    const rows = this.layout.read(row, context);
    this.tally.add(number, fits);
    return { rows: problems.length > 0 ? [] : rows, problems, isUnlabelled };
  }
}

const MISQUOTED = 'spans left out whose text does not stand at their offsets';
const COUNTED = {
  bytes: 'spans with offsets in bytes of UTF-8',
  inclusive: 'spans whose end is their last character',
} as const;

const SEVERAL =
  'has several classes, where the first rows of the file have one each; if rows may have several, make this one the first';
