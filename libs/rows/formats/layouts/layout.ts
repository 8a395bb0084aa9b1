import type { DatasetType } from '#domain/dataset/index.js';
import type { Json, JsonObject } from '#domain/json.js';

/** The layout in which a tool writes its rows. Registered in `registry.ts`. */
export interface Layout {
  /** The `format` of a request that demands this layout. */
  readonly name: string;
  /** `Label Studio JSON`. */
  readonly title: string;
  /** The word for its rows: `tasks`. */
  readonly unit: string;
  /** Needs of every row of this layout, in a user's words. A row fits if all hold. */
  readonly needs: readonly Need[];
  /** Whether the first rows of a file together show that it has this layout, where one row does not. */
  holdsIn?(rows: readonly JsonObject[]): boolean;
  /** The unit in which the tool counts offsets, for rows in which both would fit. */
  readonly offsets: OffsetUnit;
  /** Keys of the tool's own that say nothing to learn: `read_as` does not name them. */
  readonly toolKeys?: RegExp;
  /**
   * Columns whose meaning is not visible in one row, found in the first rows of a file; `read` has them in its context.
   */
  columnsIn?(rows: readonly JsonObject[]): readonly string[];
  /** The tasks that the first rows of a file name beside their classes. */
  tasksIn?(rows: readonly JsonObject[]): readonly TaskOfFile[];
  /** The native rows from a row of the file: none if the tool excludes it from learning. */
  read(row: JsonObject, context: RowContext): readonly JsonObject[];
}

interface Need {
  readonly what: string;
  holds(row: JsonObject): boolean;
}

/** Code points as Python counts them, or UTF-16 code units as JavaScript and Java do. */
export type OffsetUnit = 'code points' | 'UTF-16';

/** How a file counts offsets: `bytes` of UTF-8, or `inclusive` ends, which are the last character. */
export type Counting = 'usual' | 'bytes' | 'inclusive';

/** A labelled stretch as the file has it: end exclusive, in the file's unit. */
export interface GivenSpan {
  readonly start: number;
  readonly end: number;
  readonly label: string;
  /** The text at this place, according to the file. */
  readonly text?: string;
  /** Its path in the row, for messages. */
  readonly at: string;
}

/** One of several classification tasks in a file. */
export interface TaskOfFile {
  readonly name: string;
  readonly isList: boolean;
}

/** Takes notes from a layout while it reads a row. */
export interface RowContext {
  readonly datasetType: DatasetType;
  readonly counting: Counting;
  /** Whether an annotated row without labels is unlabelled. Else it says that its text has no entities. */
  readonly areEmptyUnlabelled: boolean;
  /** Found by `columnsIn`. */
  readonly columns: readonly string[];
  /**
   * Counts what was left out or interpreted differently.
   * @param what one of few fixed texts
   */
  tell(what: string, count?: number): void;
  /** Names the keys of an object within the row as not used. @param unread without those that the layout reads */
  see(unread: JsonObject): void;
  /** Counts an answer that is neither a class nor spans, and is left out. */
  tellAnswer(what: string): void;
  /** Leaves out a row that has no label, and counts it as such. @param what as in `tell`; undefined: it was told */
  leaveUnlabelled(what?: string): void;
  /** The row is an error. */
  refuse(field: string, reason: string): void;
  /** The spans as entities with a `start` in code points. Those that are empty, or whose own text stands elsewhere, are left out. */
  entities(text: string, spans: readonly GivenSpan[]): Json[];
  /** As `entities`, with null for each span that is left out. */
  placed(text: string, spans: readonly GivenSpan[]): (Json | null)[];
  /**
   * The classes of a row as `label`, as `labels` if the first rows of the file have several, or as `labels` by task if those have
   * several tasks: then those of all tasks of the row so far.
   * @param task the question that they answer
   * @param isList whether the row may have any number of them; else the first rows of the file tell
   */
  classes(task: string, labels: readonly string[], isList?: boolean): JsonObject;
  /** Whether the file has several tasks, and this is one of them. */
  isTask(name: string): boolean;
}
