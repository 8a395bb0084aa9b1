import { fileURLToPath } from 'node:url';
import { enginesWith } from '#gpu-runner/engine/engines.js';
import type { TrainingType } from '#gpu-runner/engine/engine.js';
import { readCatalog } from '#model-catalog/read.js';
import { packFolders } from '#model-packs/index.js';
import { readSettings } from '#settings/index.js';
import { baselineCommand, pinned } from './baselines.js';
import { MissingSystemError } from './missing-system.js';
import type { Head } from './sets.js';

/** Something that learns from rows and answers texts. */
export interface System {
  readonly name: string;
  readonly title: string;
  readonly heads: readonly Head[];
  /** Draws of all rows: fewer where each takes minutes. */
  readonly drawsOfAll: number;
  /**
   * The command that reads the input of a trial from standard input and writes its `Output` to standard output.
   * @throws MissingSystemError
   */
  readonly command: (head: Head) => Promise<readonly string[]>;
}

/** The models of this project with the settings that a training job has by default, and what others would use. */
export const SYSTEMS: readonly System[] = [
  ours('base', 'anneal/encoder-base-v1', 'lora'),
  ours('base-full', 'anneal/encoder-base-v1', 'full'),
  {
    name: 'linear-svc',
    title: `LinearSVC (scikit-learn ${pinned('scikit-learn')})`,
    heads: ['labels'],
    drawsOfAll: 3,
    command: () => baselineCommand('linear_svc.py'),
  },
  // Reading the texts of all rows takes a minute or two, whatever the kind of training.
  { ...ours('small', 'anneal/encoder-small-v1', 'lora'), drawsOfAll: 1 },
  {
    name: 'crfsuite',
    title: `CRFsuite (python-crfsuite ${pinned('python-crfsuite')})`,
    heads: ['entities'],
    drawsOfAll: 1,
    command: () => baselineCommand('crfsuite.py'),
  },
  {
    name: 'spacy',
    title: `spaCy ${pinned('spacy')}, from blank`,
    heads: ['entities', 'labels'],
    drawsOfAll: 1,
    command: (head) => baselineCommand('spacy_blank.py', head),
  },
];

function ours(name: string, id: string, type: TrainingType): System {
  return {
    name,
    title: `${id}, ${type === 'lora' ? 'LoRA' : type}`,
    heads: ['entities', 'labels', 'structures', 'relations'],
    drawsOfAll: 3,
    command: async (head) => {
      refuseMissing(id, head);
      const script = fileURLToPath(new URL('./anneal.js', import.meta.url));
      return [process.execPath, ...process.execArgv, script, head, id, type];
    },
  };
}

export const enginesHere = () => enginesWith(packFolders(readSettings(process.env)));

function refuseMissing(id: string, head: Head): void {
  const model = enginesHere().baseModel(id)?.model;
  if (model === undefined) throw new MissingSystemError('its encoder pack is not here; see docs/packs.md');
  if (readCatalog().resolve(id)?.supports_training !== true) throw new MissingSystemError('it cannot be trained yet');
  const learned: readonly string[] = [...model.heads, ...(model.trainedHeads ?? [])];
  if (!learned.includes(head === 'labels' ? 'classifications' : head))
    throw new MissingSystemError(`it does not learn ${head}`);
}
