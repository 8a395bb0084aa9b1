import type { BaseModelFacts, EngineFacts } from '../contract/engines.js';

export interface RegisteredEngine extends EngineFacts {
  /** URL of the module that exports it as `engine: Engine`. Only threads and processes that run it load it. */
  readonly module: string;
}

/** The part of a registered engine that the process of an attempt needs: plain data. */
export interface EngineAddress extends Pick<RegisteredEngine, 'name' | 'version' | 'module'> {
  readonly baseModels: readonly Pick<BaseModelFacts, 'id' | 'directory'>[];
}
