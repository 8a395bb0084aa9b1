import { DEFAULT_LIMITS, inBytes, labelBytes } from '#rows/formats/index.js';
import {
  HEADS,
  MAX_TASKS,
  type ClassTask,
  type Contents,
  type DatasetType,
  type ReadyVersion,
  type StructureShape,
} from '#domain/dataset/index.js';
import { InvalidError } from '#domain/errors.js';
import { mergedTasks, taskConflicts } from './class-tasks.js';

/** Limit on the columns listed in an event, as for uploads. */
const MAX_COLUMNS = 1000;
const MAX_COLUMN_CHARACTERS = 20_000;

/**
 * The contents of several versions concatenated. Each is valid, so this equals a reading of all their rows.
 * @throws InvalidError naming the source with another type or label mode, or the excess of rows or labels
 */
export function mergedContents(sources: readonly ReadyVersion[]): Contents {
  const all = sources.map(({ contents }) => contents);
  refuseOtherTypes(sources);
  refuseOtherModes(sources);
  refuseTooLarge(sources);
  const union = (lists: readonly (readonly string[])[]) => [...new Set(lists.flat())];
  const entityLabels = union(all.map((each) => each.entityLabels)).sort();
  const classLabels = union(all.map((each) => each.classLabels)).sort();
  const others = union(all.map((each) => each.labels)).sort();
  const labels = union([entityLabels, classLabels, others]);
  refuseTooManyLabels(labels);
  const structures = structuresOf(all);
  const classTasks = mergedTasks(all.map((each) => each.classTasks ?? []));
  refuseTasks(sources, classTasks);
  const relations = union(all.map((each) => each.relations ?? [])).sort();
  return {
    rows: all.reduce((sum, { rows }) => sum + rows, 0),
    heads: HEADS.filter((head) => all.some(({ heads }) => heads.includes(head))),
    labels,
    entityLabels,
    classLabels,
    ...(structures.length > 0 && { structures }),
    ...(relations.length > 0 && { relations }),
    ...(classTasks.length > 0 && { classTasks }),
    multiLabel: all.some(({ multiLabel }) => multiLabel),
    ...(all.some(({ hasTools }) => hasTools) && { hasTools: true }),
    format: 'jsonl',
    columns: columnsOf(all),
  };
}

const refusal = (index: number, message: string) =>
  new InvalidError({ path: ['body', 'sources', index, 'dataset_name'], message, type: 'not_allowed' });

/**
 * The type of several versions together. Those of texts with labels are of one type if they have the same heads: `ner` is what an upload
 * is that names no type.
 */
export function mergedType(sources: readonly ReadyVersion[]): DatasetType {
  const types = new Set(sources.map(({ datasetType }) => datasetType));
  if (types.size === 1) return sources[0]!.datasetType;
  return sources.some(({ contents }) => contents.heads.includes('entities')) ? 'ner' : 'classification';
}

const LABELLED: readonly DatasetType[] = ['ner', 'classification'];

function refuseOtherTypes(sources: readonly ReadyVersion[]): void {
  const first = sources[0]!;
  const shown = ({ name, datasetType, contents: { heads } }: ReadyVersion) =>
    `${JSON.stringify(name)} is of type ${datasetType}${heads.length > 0 ? ` with ${heads.join(', ')}` : ''}`;
  const isAlike = ({ datasetType, contents }: ReadyVersion) =>
    datasetType === first.datasetType ||
    ([datasetType, first.datasetType].every((type) => LABELLED.includes(type)) &&
      contents.heads.join() === first.contents.heads.join());
  sources.forEach((source, index) => {
    if (!isAlike(source))
      throw refusal(
        index,
        `${shown(source)}, ${shown(first)}; merge datasets of one type: upload the rows of one again with the dataset_type of the other`,
      );
  });
}

/** The rows of a dataset all have `label`, or all `labels`; they are all chats, or all pairs of answers. */
function refuseOtherModes(sources: readonly ReadyVersion[]): void {
  const isPairs = ({ contents }: ReadyVersion) => contents.heads.includes('preferences');
  const unlike = sources.findIndex((source) => isPairs(source) !== isPairs(sources[0]!));
  if (unlike >= 0) {
    const rows = (source: ReadyVersion) => (isPairs(source) ? 'pairs of answers' : 'chats');
    throw refusal(
      unlike,
      `${JSON.stringify(sources[unlike]!.name)} has ${rows(sources[unlike]!)}, ${JSON.stringify(sources[0]!.name)} has ${rows(sources[0]!)}; merge datasets with rows of one kind`,
    );
  }
  const classified = sources.filter(({ contents }) => contents.heads.includes('classification'));
  const mode = ({ contents }: ReadyVersion) =>
    contents.classTasks ? 'labels by task' : contents.multiLabel ? 'labels' : 'label';
  const other = classified.find((source) => mode(source) !== mode(classified[0]!));
  if (other === undefined) return;
  throw refusal(
    sources.indexOf(other),
    `${JSON.stringify(other.name)} has rows with ${mode(other)}, ${JSON.stringify(classified[0]!.name)} with ${mode(classified[0]!)}; the rows of a dataset all have one of these`,
  );
}

function refuseTasks(sources: readonly ReadyVersion[], tasks: readonly ClassTask[]): void {
  const conflicts = taskConflicts(
    sources.map(({ name, contents: { classTasks = [], structures = [] } }) => ({
      ...{ name, classTasks },
      structureNames: structures.map((each) => each.name),
    })),
  );
  for (const [index, conflict] of conflicts.entries()) if (conflict !== null) throw refusal(index, conflict);
  if (tasks.length > MAX_TASKS) throw refusal(sources.length - 1, `has more than ${MAX_TASKS} tasks with the others`);
}

/** Sources may be merges: without a limit, a few requests would fill any disk. */
function refuseTooLarge(sources: readonly ReadyVersion[]): void {
  const most = DEFAULT_LIMITS.unpackedBytes;
  if (sources.reduce((sum, { object }) => sum + object.size, 0) <= most) return;
  throw new InvalidError({
    path: ['body', 'sources'],
    message: `have more than ${inBytes(most)} of rows together`,
    type: 'out_of_range',
  });
}

function refuseTooManyLabels(labels: readonly string[]): void {
  const { labels: most, labelBytes: maxBytes } = DEFAULT_LIMITS;
  if (labels.length <= most && labels.reduce((sum, label) => sum + labelBytes(label), 0) <= maxBytes) return;
  throw new InvalidError({
    path: ['body', 'sources'],
    message: `have more than ${most} different labels together, or more than ${inBytes(maxBytes)} of them`,
    type: 'out_of_range',
  });
}

/**
 * Merges structures by name: each gets all fields that it has anywhere, and a field that is ever a list becomes one.
 */
function structuresOf(all: readonly Contents[]): StructureShape[] {
  const shapes = new Map<string, Map<string, 'str' | 'list'>>();
  for (const { name, fields } of all.flatMap(({ structures }) => structures ?? [])) {
    const known = shapes.get(name) ?? new Map<string, 'str' | 'list'>();
    for (const { name: field, dtype } of fields) if (known.get(field) !== 'list') known.set(field, dtype);
    shapes.set(name, known);
  }
  const byName = <T extends { readonly name: string }>(a: T, b: T) => (a.name < b.name ? -1 : 1);
  return [...shapes]
    .map(([name, fields]) => ({
      name,
      fields: [...fields].map(([field, dtype]) => ({ name: field, dtype })).sort(byName),
    }))
    .sort(byName);
}

function columnsOf(all: readonly Contents[]): readonly string[] | null {
  const columns = new Set<string>();
  for (const { columns: own } of all) {
    if (!own) return null;
    for (const column of own) columns.add(column);
  }
  const characters = [...columns].reduce((sum, column) => sum + column.length, 0);
  return columns.size > MAX_COLUMNS || characters > MAX_COLUMN_CHARACTERS ? null : [...columns];
}
