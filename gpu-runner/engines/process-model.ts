/** A model in the memory of a process of its engine: a base alone, or a base with an adapter on it. */
export interface ProcessModel {
  /** Bytes this model adds to those of its base. */
  readonly byteSize: number;
  /**
   * Resolves once it is in memory, even if its process was lost since.
   * @throws as `load` of its engine
   */
  ready(): Promise<void>;
  /** Frees its memory. Running calls end with an error. */
  close(): Promise<void>;
}

/** The engine's process was lost, or has no memory left for the model. The message, for the user, names the cause. */
export class EngineUnavailableError extends Error {
  override readonly name = 'EngineUnavailableError';
}

/** The device has no memory left. */
export class OutOfMemoryError extends EngineUnavailableError {}
