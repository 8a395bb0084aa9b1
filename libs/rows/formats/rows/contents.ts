import {
  HEADS,
  MAX_TASKS,
  type ClassTask,
  type Contents,
  type Head,
  type SourceFormat,
  type StructureShape,
} from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { inBytes, labelBytes, UnreadableFileError, type FileLimits } from '../limits.js';
import { nameOfBoth } from './class-tasks.js';
import { problemsOfAKind, problemsTogether, type ProblemsPart } from './problems.js';
import type { FieldProblem } from './kinds.js';
import type { RowContents, RowMode } from './validate.js';

/** Columns that an event lists; free rows may have any number of keys. */
const MAX_COLUMNS = 1000;
const MAX_COLUMN_CHARACTERS = 20_000;
const SHOWN = 100;

/** The contents of consecutive rows, as passed between threads; rows are counted from 1 within the part. */
export interface ContentsPart {
  readonly rows: number;
  readonly heads: ReadonlySet<Head>;
  readonly entityLabels: ReadonlySet<string>;
  readonly classLabels: ReadonlySet<string>;
  readonly relations: ReadonlySet<string>;
  /** Structure -> field -> whether some row has a list there. */
  readonly structures: ReadonlyMap<string, ReadonlyMap<string, boolean>>;
  /** Choices of all fields, each with its structure and field; they count as labels do. */
  readonly choices: ReadonlySet<string>;
  readonly columns: ReadonlySet<string>;
  readonly hasTools: boolean;
  readonly modes: ModeRows<RowMode>;
  readonly classTasks: ReadonlyMap<
    string,
    { readonly labels: ReadonlySet<string>; readonly modes: ModeRows<TaskMode> }
  >;
}

/** Rows of each mode: all counted, the first ones named, in the order of their first rows. */
type ModeRows<Mode> = ReadonlyMap<Mode, { readonly count: number; readonly first: readonly number[] }>;

/** Whether rows have one label for a task, or a list. */
type TaskMode = 'one' | 'list';

/** The words for rows of two modes in one dataset. */
const ONE_MODE: Readonly<Record<RowMode, { readonly field: string; readonly has: string; readonly all: string }>> = {
  label: { field: 'label', has: 'label', all: 'all have label, or all labels' },
  labels: { field: 'labels', has: 'labels', all: 'all have label, or all labels' },
  tasks: { field: 'labels', has: 'labels by task', all: 'all have labels by task, or none' },
  messages: { field: 'messages', has: 'messages', all: 'are all chats, or all pairs of answers' },
  preferences: { field: 'chosen', has: 'a pair of answers', all: 'are all chats, or all pairs of answers' },
};

/** What the rows seen so far say for a task. */
interface TaskTally {
  readonly labels: Set<string>;
  readonly modes: Modes<TaskMode>;
}

/** Summarises a dataset version's content, row by row or part by part. */
export class ContentsTally {
  private rows = 0;
  private readonly heads = new Set<Head>();
  private readonly entityLabels = new Set<string>();
  private readonly classLabels = new Set<string>();
  private readonly relations = new Set<string>();
  private readonly structures = new Map<string, Map<string, boolean>>();
  private readonly choices = new Set<string>();
  private labelCount = 0;
  private labelBytes = 0;
  private readonly columns = new Set<string>();
  private columnCharacters = 0;
  private hasTools = false;
  private readonly modes = new Modes<RowMode>();
  private readonly classTasks = new Map<string, TaskTally>();

  constructor(private readonly limits: FileLimits) {}

  /**
   * @param row from 1
   * @throws UnreadableFileError when there are more labels than a dataset may have
   */
  add(row: number, value: JsonObject, contents: RowContents): void {
    this.rows += 1;
    for (const column in value) if (!this.columns.has(column)) this.addColumn(column);
    for (const head of contents.heads) this.heads.add(head);
    this.gather(this.entityLabels, contents.entityLabels);
    this.gather(this.classLabels, contents.classLabels);
    this.gather(this.relations, contents.relations);
    for (const { structure, field, isList, choices } of contents.structureFields) {
      this.addField(structure, field, isList);
      if (choices.length > 0)
        this.gather(
          this.choices,
          choices.map((choice) => JSON.stringify([structure, field, choice])),
        );
    }
    this.hasTools ||= contents.hasTools;
    if (contents.mode !== null) this.modes.add(row, contents.mode);
    for (const { task, labels, multiLabel } of contents.classTasks) {
      const { labels: known, modes } = this.taskOf(task);
      this.gather(known, labels);
      modes.add(row, multiLabel ? 'list' : 'one');
    }
  }

  part(): ContentsPart {
    return {
      rows: this.rows,
      heads: this.heads,
      entityLabels: this.entityLabels,
      classLabels: this.classLabels,
      relations: this.relations,
      structures: this.structures,
      choices: this.choices,
      columns: this.columns,
      hasTools: this.hasTools,
      modes: this.modes.rows,
      classTasks: new Map(
        [...this.classTasks].map(([task, { labels, modes }]) => [task, { labels, modes: modes.rows }]),
      ),
    };
  }

  /**
   * Adds the next rows.
   * @param rowsBefore of those rows
   * @returns rows among them that contradict those before
   * @throws UnreadableFileError when there are more labels than a dataset may have
   */
  append(rowsBefore: number, part: ContentsPart): ProblemsPart {
    this.rows += part.rows;
    for (const column of part.columns) if (!this.columns.has(column)) this.addColumn(column);
    for (const head of part.heads) this.heads.add(head);
    this.gather(this.entityLabels, part.entityLabels);
    this.gather(this.classLabels, part.classLabels);
    this.gather(this.relations, part.relations);
    for (const [structure, fields] of part.structures)
      for (const [field, isList] of fields) this.addField(structure, field, isList);
    this.gather(this.choices, part.choices);
    this.hasTools ||= part.hasTools;
    const contradictions = [this.modes.append(rowsBefore, part.modes, contradictedMode)];
    for (const [task, { labels, modes }] of part.classTasks) {
      const known = this.taskOf(task);
      this.gather(known.labels, labels);
      contradictions.push(known.modes.append(rowsBefore, modes, contradictedTask(task)));
    }
    const both = [...this.classTasks.keys()].find((task) => this.structures.has(task));
    if (both !== undefined) throw new UnreadableFileError(nameOfBoth(both));
    return problemsTogether(contradictions, Math.max(...contradictions.map(({ rows }) => rows)));
  }

  contents(format: SourceFormat): Contents {
    const entityLabels = [...this.entityLabels].sort();
    const classLabels = [...this.classLabels].sort();
    const relations = [...this.relations].sort();
    const classTasks = [...this.classTasks].map(classTaskOf).sort(byName);
    const structures = [...this.structures].map(shapeOf).sort(byName);
    const fields = structures.flatMap(({ name, fields }) => fields.map((field) => `${name}.${field.name}`));
    const isListed = this.columns.size <= MAX_COLUMNS && this.columnCharacters <= MAX_COLUMN_CHARACTERS;
    return {
      rows: this.rows,
      heads: HEADS.filter((head) => this.heads.has(head)),
      labels: [...new Set([...entityLabels, ...classLabels, ...[...fields, ...relations].sort()])],
      entityLabels,
      classLabels,
      ...(structures.length > 0 && { structures }),
      ...(relations.length > 0 && { relations }),
      ...(this.hasTools && { hasTools: true }),
      ...(classTasks.length > 0 && { classTasks }),
      multiLabel: this.modes.first === 'labels',
      format,
      columns: isListed ? [...this.columns] : null,
    };
  }

  private addColumn(column: string): void {
    if (this.columns.size > MAX_COLUMNS || this.columnCharacters > MAX_COLUMN_CHARACTERS) return;
    this.columns.add(column);
    this.columnCharacters += column.length;
  }

  /** @throws UnreadableFileError when there are more tasks than a dataset may have */
  private taskOf(task: string): TaskTally {
    let known = this.classTasks.get(task);
    if (known) return known;
    this.classTasks.set(task, (known = { labels: new Set(), modes: new Modes() }));
    this.count(task);
    if (this.classTasks.size > MAX_TASKS)
      throw new UnreadableFileError(
        `the rows have labels for more than ${MAX_TASKS} tasks; are the keys of labels tasks?`,
      );
    return known;
  }

  private addField(structure: string, field: string, isList: boolean): void {
    const known = this.structures.get(structure);
    const fields = known ?? new Map<string, boolean>();
    if (known === undefined) {
      this.structures.set(structure, fields);
      this.count(structure);
    }
    const wasList = fields.get(field);
    if (wasList === undefined) this.count(`${structure}.${field}`);
    if (wasList === undefined || (isList && !wasList)) fields.set(field, isList);
  }

  private gather(known: Set<string>, labels: Iterable<string>): void {
    for (const label of labels) {
      if (known.has(label)) continue;
      known.add(label);
      this.count(label);
    }
  }

  private count(label: string): void {
    this.labelCount += 1;
    this.labelBytes += labelBytes(label);
    if (this.labelCount <= this.limits.labels && this.labelBytes <= this.limits.labelBytes) return;
    throw new UnreadableFileError(
      `the file has more than ${this.limits.labels} different labels, or more than ${inBytes(this.limits.labelBytes)} ` +
        'of them; is the column of labels the right one?',
    );
  }
}

/** Rows by mode. All rows of a dataset have the mode of the first. */
class Modes<Mode extends string> {
  readonly rows = new Map<Mode, { count: number; readonly first: number[] }>();
  private earliest: { readonly mode: Mode; readonly row: number } | null = null;

  /** Of the first row. */
  get first(): Mode | undefined {
    return this.earliest?.mode;
  }

  /** @param row from 1 */
  add(row: number, of: Mode): void {
    let mode = this.rows.get(of);
    if (!mode) this.rows.set(of, (mode = { count: 0, first: [] }));
    mode.count += 1;
    if (mode.first.length < SHOWN) mode.first.push(row);
  }

  /** @returns the next rows that contradict those before */
  append(
    rowsBefore: number,
    part: ModeRows<Mode>,
    problemOf: (first: { readonly mode: Mode; readonly row: number }, mode: Mode) => FieldProblem,
  ): ProblemsPart {
    const [earliest] = part;
    if (earliest) this.earliest ??= { mode: earliest[0], row: rowsBefore + earliest[1].first[0]! };
    const first = this.earliest;
    const others = [...part].filter(([mode]) => mode !== first?.mode);
    const problems = others.map(([mode, { count, first: rows }]) =>
      problemsOfAKind(
        count,
        rows.map((row) => ({ row, ...problemOf(first!, mode) })),
      ),
    );
    return problemsTogether(
      problems,
      problems.reduce((sum, { rows }) => sum + rows, 0),
    );
  }
}

const contradictedMode = (
  { mode: first, row }: { readonly mode: RowMode; readonly row: number },
  mode: RowMode,
): FieldProblem => ({
  field: ONE_MODE[mode].field,
  reason: `row ${row} has ${ONE_MODE[first].has}; the rows of a dataset ${ONE_MODE[mode === 'tasks' ? mode : first].all}`,
});

const TASK_MODES: Readonly<Record<TaskMode, string>> = { one: 'one label', list: 'a list' };

const contradictedTask =
  (task: string) =>
  ({ mode, row }: { readonly mode: TaskMode; readonly row: number }): FieldProblem => ({
    field: `labels.${task}`,
    reason: `row ${row} has ${TASK_MODES[mode]} for this task; the rows of a dataset all have one label for a task, or all a list`,
  });

const classTaskOf = ([name, { labels, modes }]: [string, TaskTally]): ClassTask => ({
  name,
  labels: [...labels].sort(),
  multiLabel: modes.first === 'list',
});
const shapeOf = ([name, fields]: [string, Map<string, boolean>]): StructureShape => ({
  name,
  fields: [...fields]
    .map(([field, isList]) => ({ name: field, dtype: isList ? ('list' as const) : ('str' as const) }))
    .sort(byName),
});
const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);
