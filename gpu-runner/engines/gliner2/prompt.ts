import { RefusedSchemaError } from '../encoder-engine.js';
import type { FieldQuery } from '../engine.js';
import type { Task } from './passes.js';

/** Of a name, a choice or a part's descriptions together. Longer ones are not even tokenized, which would take long. */
const MAX_CHARACTERS = 10_000;
/** Minimum tokens that a schema must leave for a text. */
const MIN_TEXT_TOKENS = 32;

/** Tokens of the package `gliner2`, which every model of it has. */
export const MARKS = {
  part: '[P]',
  field: '[C]',
  entity: '[E]',
  end: '[R]',
  label: '[L]',
  nextPart: '[SEP_STRUCT]',
  text: '[SEP_TEXT]',
  description: '[DESCRIPTION]',
} as const;
const MARK_OF = { structure: 'field', entities: 'entity', relation: 'end', classification: 'label' } as const;

/** A schema as the model reads it before a text. */
export interface Prompt {
  readonly ids: readonly number[];
  readonly parts: readonly PromptPart[];
  /** Words before the text's own: the choices of fields, and what groups them. */
  readonly prefix: readonly string[];
  /** The tokens of each. */
  readonly prefixIds: readonly (readonly number[])[];
  /** Tokens that are left for a text. */
  readonly textTokens: number;
}

/** A part of a schema, with the tokens that stand for it and for each thing in it. */
export interface PromptPart {
  readonly task: Task;
  readonly at: number;
  readonly childrenAt: readonly number[];
}

/**
 * @param tokens gives the ids of a text
 * @param contextTokens that the model reads, schema and text together
 * @throws RefusedSchemaError when it leaves too little room for a text
 */
export function promptOf(
  tasks: readonly Task[],
  tokens: (text: string) => readonly number[],
  contextTokens: number,
): Prompt {
  const ids: number[] = [];
  const room = contextTokens - MIN_TEXT_TOKENS;
  const refuse = (taken: string) =>
    new RefusedSchemaError(`\`schema\` is too long for the model: it takes ${taken} of ${contextTokens} tokens`);
  const read = (text: string): readonly number[] => {
    if (text.length > MAX_CHARACTERS) throw refuse(`a name or description of ${text.length} characters, too many`);
    return tokens(text.toWellFormed());
  };
  /** @returns the place of the first token */
  const add = (text: string): number => {
    const at = ids.length;
    ids.push(...read(text));
    if (ids.length > room) throw refuse(`more than ${room}`);
    return at;
  };
  const parts = tasks.map((task, index): PromptPart => {
    if (index > 0) add(MARKS.nextPart);
    add('(');
    const at = add(MARKS.part);
    add(headingOf(task));
    add('(');
    const childrenAt = childrenOf(task).map((child) => {
      const place = add(MARKS[MARK_OF[task.kind]]);
      add(child);
      return place;
    });
    add(')');
    add(')');
    return { task, at, childrenAt };
  });
  add(MARKS.text);
  const prefix = tasks.flatMap(prefixOf);
  const prefixIds = prefix.map(read);
  // As the torch engine counts, a text of one letter takes the least.
  const taken = ids.length + prefixIds.flat().length + read('x').length + read('.').length - 1;
  if (taken > room) throw refuse(String(taken));
  return { ids, parts, prefix, prefixIds, textTokens: contextTokens - taken };
}

/** A part's name and what describes it, as one text. */
function headingOf(task: Task): string {
  const described = (pairs: readonly { readonly name: string; readonly description?: string | undefined }[]) =>
    pairs.map(({ name, description = '' }) => ` ${MARKS.description} ${name}: ${description}`).join('');
  const ofThose = (queries: readonly { readonly name: string; readonly description?: string }[]) =>
    described(queries.filter(({ description }) => description));
  if (task.kind === 'relation') return task.query.description ? `${task.name}: ${task.query.description}` : task.name;
  if (task.kind === 'entities') return task.name + ofThose(task.queries);
  if (task.kind === 'structure') return task.name + ofThose(task.query.fields);
  const { labels, descriptions = [] } = task.query;
  if (descriptions.length === 0) return task.name;
  const known = new Map(descriptions.map(({ label, description }) => [label, description]));
  return task.name + described(labels.map((name) => ({ name, description: known.get(name) })));
}

function childrenOf(task: Task): readonly string[] {
  if (task.kind === 'relation') return ['head', 'tail'];
  if (task.kind === 'classification') return task.query.labels;
  return (task.kind === 'entities' ? task.queries : task.query.fields).map(({ name }) => name);
}

/** The choices of a structure's fields, which the model finds as it finds words of the text. */
function prefixOf(task: Task): readonly string[] {
  const fields = task.kind === 'structure' ? task.query.fields.filter(hasChoices) : [];
  if (fields.length === 0) return [];
  const lists = fields.map(({ name, choices }) => [
    name,
    '(',
    ...choices.flatMap((choice, at) => (at === 0 ? [choice] : ['|', choice])),
    ')',
  ]);
  return ['(', `${task.name}:`, ...lists.flatMap((list, at) => (at === 0 ? list : [',', ...list])), ')'];
}

export const hasChoices = (field: FieldQuery): field is FieldQuery & { readonly choices: readonly string[] } =>
  (field.choices?.length ?? 0) > 0;
