import { isRecord, type Fields } from '../../components/json.js';

/** What should have been answered and what was; null: nothing. */
export interface Confusion {
  readonly head: string;
  readonly expected: string | null;
  readonly predicted: string | null;
}

interface Answers {
  readonly expected: Fields;
  readonly predicted: Fields;
}

/** Whether an answer of an evaluation is one of those that a confusion counts. */
export function isConfused({ head, expected, predicted }: Confusion, answers: Answers): boolean {
  const [own, said] = [groups(head, answers.expected), groups(head, answers.predicted)];
  return [...new Set([...own.keys(), ...said.keys()])].some((place) =>
    pairs(own.get(place) ?? [], said.get(place) ?? []).some(([a, b]) => a === expected && b === predicted),
  );
}

/** Labels of a head: of entities by their place, all others in one group. */
function groups(head: string, answer: Fields): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const add = (place: string, labels: readonly unknown[]): void => {
    const names = labels.filter((label): label is string => typeof label === 'string');
    found.set(place, [...(found.get(place) ?? []), ...names]);
  };
  if (head === 'entities')
    for (const { start, end, label } of listOf(answer['entities'])) add(`${start} ${end}`, [label]);
  else if (head === 'classification') add('', strings(answer['labels']));
  else for (const { task, labels } of listOf(answer['tasks'])) if (task === head) add('', strings(labels));
  return found;
}

const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? (value as readonly unknown[]).filter(isRecord) : [];

const strings = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

/** A wrong label stands for the only one that is missing; any others were missed, or added. */
function pairs(own: readonly string[], said: readonly string[]): readonly (readonly [string | null, string | null])[] {
  const missed = own.filter((label) => !said.includes(label));
  const added = said.filter((label) => !own.includes(label));
  const [one, other] = [missed[0], added[0]];
  if (one !== undefined && other !== undefined && missed.length === 1 && added.length === 1) return [[one, other]];
  return [...missed.map((label) => [label, null] as const), ...added.map((label) => [null, label] as const)];
}
