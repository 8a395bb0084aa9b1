import { HEADS, type Contents, type Head, type SourceFormat, type StructureShape } from '#domain/dataset/index.js';
import type { JsonObject } from '#domain/json.js';
import { inBytes, labelBytes, UnreadableFileError, type FileLimits } from '../limits.js';
import { problemsOfAKind, type ProblemsPart } from './problems.js';
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
  /** Rows of each mode: all counted, the first ones named. */
  readonly modes: ReadonlyMap<RowMode, { readonly count: number; readonly first: readonly number[] }>;
}

/** The words for rows of two modes in one dataset. */
const ONE_MODE: Readonly<Record<RowMode, { readonly field: string; readonly has: string; readonly all: string }>> = {
  label: { field: 'label', has: 'label', all: 'all have label, or all labels' },
  labels: { field: 'labels', has: 'labels', all: 'all have label, or all labels' },
  messages: { field: 'messages', has: 'messages', all: 'are all chats, or all pairs of answers' },
  preferences: { field: 'chosen', has: 'a pair of answers', all: 'are all chats, or all pairs of answers' },
};

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
  private readonly modes = new Map<RowMode, { count: number; readonly first: number[] }>();
  private mode: { readonly mode: RowMode; readonly row: number } | null = null;

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
    if (contents.mode === null) return;
    let mode = this.modes.get(contents.mode);
    if (!mode) this.modes.set(contents.mode, (mode = { count: 0, first: [] }));
    mode.count += 1;
    if (mode.first.length < SHOWN) mode.first.push(row);
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
      modes: this.modes,
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
    // Modes are in the order of their first rows.
    const [earliest] = part.modes;
    if (earliest) this.mode ??= { mode: earliest[0], row: rowsBefore + earliest[1].first[0]! };
    const other = [...part.modes].find(([mode]) => mode !== this.mode?.mode);
    if (!other) return problemsOfAKind(0, []);
    const [mode, { count, first }] = other;
    const { has, all } = ONE_MODE[this.mode!.mode];
    const reason = `row ${this.mode!.row} has ${has}; the rows of a dataset ${all}`;
    return problemsOfAKind(
      count,
      first.map((row) => ({ row, field: ONE_MODE[mode].field, reason })),
    );
  }

  contents(format: SourceFormat): Contents {
    const entityLabels = [...this.entityLabels].sort();
    const classLabels = [...this.classLabels].sort();
    const relations = [...this.relations].sort();
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
      multiLabel: this.mode?.mode === 'labels',
      ...(this.hasTools && { hasTools: true }),
      format,
      columns: isListed ? [...this.columns] : null,
    };
  }

  private addColumn(column: string): void {
    if (this.columns.size > MAX_COLUMNS || this.columnCharacters > MAX_COLUMN_CHARACTERS) return;
    this.columns.add(column);
    this.columnCharacters += column.length;
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

const shapeOf = ([name, fields]: [string, Map<string, boolean>]): StructureShape => ({
  name,
  fields: [...fields]
    .map(([field, isList]) => ({ name: field, dtype: isList ? ('list' as const) : ('str' as const) }))
    .sort(byName),
});
const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);
