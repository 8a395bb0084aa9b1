import { relations, structures } from './templated-heads.js';
import { onlyEntities, onlyLabels, perClass, present, read, sample, type Row } from './sets.js';

/** A model to train on some rows (or the base alone) and to measure on the official test rows. */
export interface Trial {
  readonly name: string;
  readonly files: readonly string[];
  /** null: the base model alone. */
  readonly train: (() => Row[]) | null;
  readonly test: () => Row[];
  readonly types: readonly ('lora' | 'full')[];
  /** The least figure (micro-F1; for one label a row that is the accuracy) that the project promises. */
  readonly least?: number;
}

const both = ['lora', 'full'] as const;

export const TRIALS: readonly Trial[] = [
  {
    name: 'snips-slots',
    files: ['snips.train', 'snips.test'],
    train: () => onlyEntities(read('snips.train')),
    test: () => onlyEntities(read('snips.test')),
    types: both,
    least: 0.945,
  },
  {
    name: 'snips-slots-500',
    files: ['snips.train', 'snips.test'],
    train: () => onlyEntities(sample(read('snips.train'), 500)),
    test: () => onlyEntities(read('snips.test')),
    types: both,
  },
  {
    name: 'snips-intents',
    files: ['snips.train', 'snips.test'],
    train: () => onlyLabels(read('snips.train')),
    test: () => onlyLabels(read('snips.test')),
    types: both,
    least: 0.97,
  },
  {
    name: 'snips-both-heads',
    files: ['snips.train', 'snips.test'],
    train: () => read('snips.train'),
    test: () => read('snips.test'),
    types: ['lora'],
    least: 0.945,
  },
  {
    name: 'wnut17',
    files: ['wnut17.train', 'wnut17.test'],
    train: () => read('wnut17.train'),
    test: () => read('wnut17.test'),
    types: both,
    least: 0.19,
  },
  { name: 'wnut17-base-alone', files: ['wnut17.test'], train: null, test: () => read('wnut17.test'), types: ['lora'] },
  {
    name: 'banking77',
    files: ['banking77.train', 'banking77.test'],
    train: () => read('banking77.train'),
    test: () => read('banking77.test'),
    types: both,
    least: 0.895,
  },
  ...[5, 10, 30].map((count): Trial => ({
    name: `banking77-${count}-a-class`,
    files: ['banking77.train', 'banking77.test'],
    train: () => perClass(read('banking77.train'), count),
    test: () => read('banking77.test'),
    types: ['lora'],
  })),
  // What they promise is to be better than the rule.
  {
    name: 'structures',
    files: [],
    train: structures.train,
    test: structures.test,
    types: both,
    least: structures.rule(),
  },
  { name: 'relations', files: [], train: relations.train, test: relations.test, types: both, least: relations.rule() },
];

export const isPresent = ({ files }: Trial): boolean => files.every(present);
