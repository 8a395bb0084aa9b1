import { Random } from '#gpu-runner/engines/builtin/random.js';
import { normalised } from '#rows/report/normalised.js';
import type { Row } from '../row.js';
import { read } from '../sets.js';
import { orderCalls, type AnsweredText } from './orders.js';

/** What a teacher is asked, and by what it answers. */
interface Task {
  /** In the folder of the public data sets. */
  readonly files: readonly string[];
  readonly prompt: string;
  /** Unique texts; the teacher's answers may depend on the draw. */
  calls(seed: number): readonly AnsweredText[];
}

/** Calls of a task that are distilled, once a draw. */
export interface Case {
  readonly name: string;
  readonly task: Task;
  /** Whether the encoder of the pack is trained; else the base model that needs none. */
  readonly isPack: boolean;
  /** Recorded calls; all: those that are not asked live. */
  readonly recorded: number | 'all';
  /** Share of live calls that the student is to answer, by target agreement. */
  readonly aims: Readonly<Record<string, number>>;
  /** Nothing can be learned: it must be refused. */
  readonly isRandom?: true;
}

const SNIPS = ['snips.train', 'snips.test'];
const BANKING = ['banking77.train', 'banking77.test'];
const WNUT = ['wnut17.train', 'wnut17.dev', 'wnut17.test'];

const intents = labels(SNIPS, 'Answer with the intent of the request to an assistant, one word.');
const banking = labels(BANKING, 'You sort questions to a bank. Answer with the name of the one queue that fits.');

const slots: Task = {
  files: SNIPS,
  prompt: 'Read the request to an assistant and answer with one line of JSON: its intent, and each slot that it names.',
  calls: () => {
    const rows = unique(SNIPS).filter(({ entities = [] }) => isDistinct(entities.map(([, slot]) => slot)));
    const names = [...new Set(rows.flatMap(({ entities = [] }) => entities.map(([, slot]) => slot)))].sort();
    return rows.map(({ text, label, entities = [] }) => {
      const values = new Map(entities.map(([value, slot]) => [slot, value]));
      const named = names.flatMap((slot) => (values.has(slot) ? [[slot, values.get(slot)] as const] : []));
      return { text, answer: JSON.stringify({ intent: label, ...Object.fromEntries(named) }) };
    });
  },
};

const entities: Task = {
  files: WNUT,
  prompt: 'Find the names in the post. Answer with one line of JSON: entities, each with its text and type, in order.',
  calls: () =>
    unique(WNUT).map(({ text, entities: found = [] }) => ({
      text,
      answer: JSON.stringify({ entities: found.map(([name, type]) => ({ text: name, type })) }),
    })),
};

const orders: Task = {
  files: [],
  prompt: 'Read the order and answer with one line of JSON: customer, city, and items with product and quantity.',
  calls: (seed) => orderCalls(6_000, seed),
};

const coin: Task = {
  ...intents,
  prompt: 'Would a friend of yours say this? Answer with one word, yes or no.',
  calls: (seed) => {
    const random = new Random(seed);
    return unique(SNIPS).map(({ text }) => ({ text, answer: random.next() < 0.5 ? 'yes' : 'no' }));
  },
};

export const CASES: readonly Case[] = [
  { name: 'snips-300', task: intents, isPack: false, recorded: 300, aims: {} },
  { name: 'snips-300-pack', task: intents, isPack: true, recorded: 300, aims: {} },
  { name: 'snips-1000-noise', task: noisy(intents, 0.02), isPack: false, recorded: 1_000, aims: {} },
  { name: 'banking77-1000', task: banking, isPack: false, recorded: 1_000, aims: {} },
  { name: 'banking77-1000-pack', task: banking, isPack: true, recorded: 1_000, aims: { 0.92: 0.75 } },
  { name: 'banking77-all', task: banking, isPack: false, recorded: 'all', aims: { 0.92: 0.9 } },
  { name: 'banking77-all-pack', task: banking, isPack: true, recorded: 'all', aims: { 0.92: 0.95 } },
  { name: 'slots-2100-pack', task: slots, isPack: true, recorded: 2_100, aims: { 0.92: 0.68 } },
  { name: 'wnut17-2400', task: entities, isPack: false, recorded: 2_400, aims: {} },
  { name: 'orders-700', task: orders, isPack: false, recorded: 700, aims: {} },
  { name: 'coin-500', task: coin, isPack: false, recorded: 500, aims: {}, isRandom: true },
];

function labels(files: readonly string[], prompt: string): Task {
  return { files, prompt, calls: () => unique(files).map(({ text, label }) => ({ text, answer: label! })) };
}

/** A share of the answers is any other of the task's. */
function noisy(task: Task, share: number): Task {
  return {
    ...task,
    calls: (seed) => {
      const random = new Random(seed);
      const calls = task.calls(seed);
      const answers = [...new Set(calls.map(({ answer }) => answer))];
      return calls.map(({ text, answer }) => {
        if (random.next() >= share) return { text, answer };
        const others = answers.filter((other) => other !== answer);
        return { text, answer: others[random.below(others.length)]! };
      });
    },
  };
}

/** The rows of files, one of each text. */
const unique = (files: readonly string[]): readonly Row[] => [
  ...new Map(files.flatMap(read).map((row) => [normalised(row.text), row])).values(),
];

const isDistinct = (names: readonly string[]): boolean => new Set(names).size === names.length;
