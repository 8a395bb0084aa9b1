import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InferHead } from './schema.js';
import type { GivenSettings, SettingsFacts, TrainSettings } from './settings.js';

/** The facts about an engine that need no loading. */
export interface EngineFacts {
  readonly name: string;
  /** Changes when the same inputs would give another file, which is served as those of before are. Jobs run on the one they pin. */
  readonly version: string;
  readonly baseModels: readonly BaseModelFacts[];
  readonly embedders: readonly EmbedderFacts[];
  /** The settings that a job runs with: the user's own, completed by the engine's defaults for such rows. */
  resolveSettings(facts: SettingsFacts, given: GivenSettings): TrainSettings;
}

/** A base model that an engine trains, evaluates and serves. */
export interface BaseModelFacts {
  /** Catalog id. */
  readonly id: string;
  /** Local folder. Its configuration identifies the model, see `baseModelSha256`. */
  readonly directory: string;
  /** Tokens of one text that it reads for entities; for classes it may read less. An answer says when it did not read all. */
  readonly mostTokens: number;
  /** Heads that it has without training, and so have its adapters. A call for another one is refused before a runner is asked. */
  readonly heads: readonly InferHead[];
  /** Heads that only training gives it: an adapter has those that its rows were labelled for. Absent: none. */
  readonly trainedHeads?: readonly InferHead[];
}

/** An embedder of an engine. What it cannot do is refused before a runner is asked. */
export interface EmbedderFacts {
  /** Catalog id. */
  readonly id: string;
  /** Maximum length of its vectors. */
  readonly dimensions: number;
  /** Limit for one text. */
  readonly mostTokens: number;
  /** Limit for all texts of a call. */
  readonly mostCharacters: number;
  /** Local folder of its weights; absent where it needs none. */
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
      ({ model: { id, mostTokens } }) => [id, mostTokens] as const,
    );
    this.models = { engines: new Map(engines), trainable: new Set(this.baseModels.keys()) };
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
 * Identifies a base model: the sha256 of its configuration, which holds that of its numbers. An encoder pack's is its
 * `manifest.json`.
 */
export async function baseModelSha256(directory: string): Promise<string> {
  const config = await readFile(join(directory, 'config.json')).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return readFile(join(directory, 'manifest.json'));
  });
  return createHash('sha256').update(config).digest('hex');
}
