import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExportFormat } from '#domain/model-export/index.js';
import type { GenerationFacts } from './generation.js';
import type { InferHead } from './schema.js';
import type { GivenSettings, SettingRanges, SettingsFacts, TrainingType, TrainSettings } from './settings.js';

/** The facts about an engine that need no loading. */
export interface EngineFacts {
  readonly name: string;
  /** Changes when the same inputs would give another file; earlier files are served on. A job runs on the version that it pins. */
  readonly version: string;
  readonly baseModels: readonly BaseModelFacts[];
  readonly embedders: readonly EmbedderFacts[];
  /** The settings that a job runs with: the user's own, completed by the engine's defaults for such rows. */
  resolveSettings(facts: SettingsFacts, given: GivenSettings): TrainSettings;
  /** Ranges narrower than those of a request. A job with a value outside is refused when it is requested. Absent: none. */
  readonly settingRanges?: SettingRanges;
  /** Its classifiers learn from descriptions of their classes. Absent: they do not, and such a job is refused. */
  readonly readsLabelDescriptions?: true;
  /** It learns several classification tasks, each a head of its own. Absent: it does not, and such a job is refused. */
  readonly learnsTasks?: true;
  /** false: it only serves its base models. Absent: it trains them. */
  readonly trains?: false;
}

/** A base model that an engine trains, evaluates and serves. */
export interface BaseModelFacts {
  /** Catalog id. */
  readonly id: string;
  /** Local folder. Its configuration identifies the model, see `baseModelSha256`. */
  readonly directory: string;
  /**
   * Tokens of one text that it reads for entities; for classes it may read less. An answer has a flag if it did not
   * read all. For a model that generates: its context window, input and answer together.
   */
  readonly maxTokens: number;
  /** Heads that it has without training, and so have its adapters. A call for another one is refused before a runner is asked. */
  readonly heads: readonly InferHead[];
  /** Heads that only training gives it: an adapter has those that its rows were labelled for. Absent: none. */
  readonly trainedHeads?: readonly InferHead[];
  /** The type of a training on rows with stretches (entities, structures, relations) that names none. Absent: lora. */
  readonly typeForStretches?: TrainingType;
  /** Memory that a training holds for the vectors of words. Absent: none. */
  readonly wordVectors?: { readonly bytesOfWord: number; readonly maxWords: number };
  /** Present if it generates text; it then has no heads, and learns from chats. */
  readonly generation?: GenerationFacts;
  /** Formats in which models trained on it can be exported. Absent: none. */
  readonly exports?: readonly ExportFormat[];
  /** Its quantised file is expanded when it is loaded, so that a training cannot keep it in 4 bits. Absent: it can. */
  readonly isExpanded?: true;
}

/** An embedder of an engine. What it cannot do is refused before a runner is asked. */
export interface EmbedderFacts {
  /** Catalog id. */
  readonly id: string;
  /** Maximum length of its vectors. */
  readonly dimensions: number;
  /** Limit for one text. */
  readonly maxTokens: number;
  /** Limit for all texts of a call. */
  readonly maxCharacters: number;
  /** Local folder of its weights; absent if it needs none. */
  readonly directory?: string;
}

/** The engines here, found by the catalog ids of their models. */
export class Engines<Engine extends EngineFacts = EngineFacts> {
  /** Tokens that each model of an engine here reads, by id; and the ids of those that one trains. */
  readonly models: { readonly engines: ReadonlyMap<string, number>; readonly trainable: ReadonlySet<string> };
  private readonly baseModels: ReadonlyMap<string, { readonly engine: Engine; readonly model: BaseModelFacts }>;
  private readonly embedders: ReadonlyMap<string, { readonly engine: Engine; readonly model: EmbedderFacts }>;

  constructor(readonly all: readonly Engine[]) {
    const byId = <Model extends { readonly id: string }>(modelsOf: (engine: Engine) => readonly Model[]) =>
      new Map(all.flatMap((engine) => modelsOf(engine).map((model) => [model.id, { engine, model }] as const)));
    this.baseModels = byId(({ baseModels }) => baseModels);
    this.embedders = byId(({ embedders }) => embedders);
    const engines = [...this.baseModels.values(), ...this.embedders.values()].map(
      ({ model: { id, maxTokens } }) => [id, maxTokens] as const,
    );
    const trainable = [...this.baseModels].flatMap(([id, { engine }]) => (engine.trains === false ? [] : [id]));
    this.models = { engines: new Map(engines), trainable: new Set(trainable) };
  }

  /** The base model and its engine; null when no engine here has it. */
  baseModel(id: string): { readonly engine: Engine; readonly model: BaseModelFacts } | null {
    return this.baseModels.get(id) ?? null;
  }

  /** The embedder and its engine; null when no engine here has it. */
  embedder(id: string): { readonly engine: Engine; readonly model: EmbedderFacts } | null {
    return this.embedders.get(id) ?? null;
  }
}

/**
 * Identifies a base model: the sha256 of its `manifest.json` (an encoder pack's, an imported decoder's) or else of its `config.json`,
 * which holds that of its numbers.
 */
export async function baseModelSha256(directory: string): Promise<string> {
  const content = await readFile(join(directory, 'manifest.json')).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return readFile(join(directory, 'config.json'));
  });
  return createHash('sha256').update(content).digest('hex');
}
