import type { UploadedType } from '../../../api/upload.js';

/** Columns of Anneal, each with the column of the file. */
type Mapping = Readonly<Record<string, string>>;
type Names = Readonly<Record<string, readonly string[]>>;

/** What a column of a file may be, with its name. `task`: classes of a task that is named as the column. */
const OF_TEXTS = {
  text: 'the text',
  label: 'its class',
  labels: 'a list of classes',
  task: 'its class in a task of this name',
  entities: 'its entities',
  json_structures: 'its structures',
  relations: 'its relations',
} as const;

const OF_CHATS = {
  messages: 'the messages',
  prompt: 'the question',
  completion: 'the answer',
  system: 'the instruction to the model',
  chosen: 'the better answer',
  rejected: 'the worse answer',
} as const;

export const rolesOf = (type: UploadedType): Readonly<Record<string, string>> =>
  type === 'decoder' ? OF_CHATS : OF_TEXTS;

const TASK = 'labels.';

/** The role that a mapping gives to a column of the file; empty: none. */
export function roleOf(mapping: Mapping, column: string): string {
  const [ours = ''] = Object.entries(mapping).find(([, theirs]) => theirs === column) ?? [];
  return ours.startsWith(TASK) ? 'task' : ours;
}

/** The mapping in which a column has this role, and no other column has it. @param role empty: none */
export function withRole(mapping: Mapping, column: string, role: string): Record<string, string> {
  const ours = role === 'task' ? TASK + column : role;
  const others = Object.entries(mapping).filter(([each, theirs]) => theirs !== column && each !== ours);
  return Object.fromEntries(role === '' ? others : [...others, [ours, column]]);
}

/** Whether the values may stand for classes by their numbers. */
export const asNumbers = (values: readonly unknown[]): boolean =>
  values.length > 0 && values.every((value) => /^-?\d{1,3}(?:\.0+)?$/.test(String(value)));

/** @param text names between commas, beginning with that of 0 */
export function withNames(names: Names, column: string, text: string): Record<string, string[]> {
  const list = text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const { [column]: _, ...others } = names;
  const kept = Object.fromEntries(Object.entries(others).map(([each, known]) => [each, [...known]]));
  return list.length === 0 ? kept : { ...kept, [column]: list };
}
