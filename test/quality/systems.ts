import { fileURLToPath } from 'node:url';
import { enginesWith } from '#gpu-runner/engines/engines.js';
import type { TrainingType } from '#gpu-runner/engines/engine.js';
import { readCatalog } from '#models/catalog/read.js';
import { packFolders } from '#models/packs/index.js';
import { engineFolders, InstallError } from '#models/installs/index.js';
import { findTorch } from '#models/installs/torch/index.js';
import { readSettings } from '#settings/index.js';
import { miniLM } from '#test/torch/minilm.js';
import { baselineCommand, pinned } from './baselines.js';
import { MissingSystemError } from './missing-system.js';
import type { Head } from './sets.js';

/** A system that learns from rows and answers texts. */
export interface System {
  readonly name: string;
  readonly title: string;
  readonly heads: readonly Head[];
  /** Whether it learns from what classes mean. */
  readonly readsDescriptions?: true;
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
  { ...ours('small-full', 'anneal/encoder-small-v1', 'full'), drawsOfAll: 1 },
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
  {
    name: 'torch-minilm',
    title: 'all-MiniLM-L6-v2 with the torch engine, LoRA',
    heads: ['entities', 'labels'],
    // Hours on a CPU.
    drawsOfAll: 0,
    command: (head) => torchCommand(head),
  },
];

/** @throws MissingSystemError where the torch engine is not installed, or the weights cannot be fetched */
async function torchCommand(head: Head): Promise<readonly string[]> {
  if (process.platform !== 'linux') throw new MissingSystemError('its CPU time is measured on Linux only');
  const install = findTorch(engineFolders(readSettings(process.env)));
  if (install === null) throw new MissingSystemError('the torch engine is not installed; see docs/guides/torch.md');
  const weights = await miniLM(install.python).catch((error: unknown) => {
    throw error instanceof InstallError ? new MissingSystemError(error.message) : error;
  });
  const script = fileURLToPath(new URL('./torch-encoder.js', import.meta.url));
  return [process.execPath, ...process.execArgv, script, head, 'lora', install.python, weights];
}

function ours(name: string, id: string, type: TrainingType): System {
  return {
    name,
    title: `${id.replace('anneal/', '')}, ${type === 'lora' ? 'LoRA' : type}`,
    heads: ['entities', 'labels', 'structures', 'relations'],
    readsDescriptions: true,
    drawsOfAll: 3,
    command: async (head) => {
      refuseMissing(id, head);
      const script = fileURLToPath(new URL('./anneal.js', import.meta.url));
      return [process.execPath, ...process.execArgv, script, head, id, type];
    },
  };
}

export function enginesHere() {
  const settings = readSettings(process.env);
  return enginesWith(packFolders(settings), engineFolders(settings));
}

function refuseMissing(id: string, head: Head): void {
  const model = enginesHere().baseModel(id)?.model;
  if (model === undefined) throw new MissingSystemError('its encoder pack is not here; see docs/guides/packs.md');
  if (readCatalog().resolve(id)?.supports_training !== true) throw new MissingSystemError('it cannot be trained yet');
  const learned: readonly string[] = [...model.heads, ...(model.trainedHeads ?? [])];
  if (!learned.includes(head === 'labels' ? 'classifications' : head))
    throw new MissingSystemError(`it does not learn ${head}`);
}
