import type { BaseModelFacts, EngineFacts } from '#gpu-runner/contract/engines.js';
import type { GenerationFeature } from '#gpu-runner/contract/generation.js';

export interface RegisteredEngine extends EngineFacts {
  /**
   * URL of the module that exports it as `engine: Engine`, and for base models that generate text as `decoders:
   * DecoderEngine`; only one of them if the engine has no models of the other kind. Only threads and processes that run
   * it load it.
   */
  readonly module: string;
  /**
   * The engine's encoders run in their own process: the module exports `encoders: EncoderEngine` instead of `engine`.
   */
  readonly hasOwnProcess?: true;
  /** Servers that serve base models instead of `module`, by catalog id. */
  readonly servers?: ReadonlyMap<string, ServerAddress>;
}

/** A server that generates instead of an engine. */
export interface ServerAddress {
  /** Named as the engine of its answers. Absent: that of the engine whose models it serves. */
  readonly engine?: Pick<EngineFacts, 'name' | 'version'>;
  /**
   * URL of the module that exports it as `serve: OpenDecoderServer`, and as `takes: TakesRequest` if there are requests that it leaves
   * to the engine.
   */
  readonly module: string;
  /** Whether it is a remote server, which takes many calls at a time. */
  readonly isRemote: boolean;
  /** Optional features of the base model there, for `takes`. Absent: those that it has at the engine. */
  readonly features?: readonly GenerationFeature[];
}

/** The part of a registered engine that the process of an attempt needs: plain data. */
export interface EngineAddress extends Pick<RegisteredEngine, 'name' | 'version' | 'module' | 'hasOwnProcess'> {
  readonly baseModels: readonly Pick<BaseModelFacts, 'id' | 'directory' | 'generation'>[];
  /** Local servers of some of them, by catalog id. */
  readonly localServers?: Readonly<Record<string, ServerAddress>>;
}
