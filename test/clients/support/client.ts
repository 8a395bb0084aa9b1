import type { Connection } from './world.js';

/** A client that others wrote, as far as all clients can do the same. Each way of asking makes one request, or one for each turn. */
export interface Client {
  text(model: string, prompt: string, options?: AskOptions): Promise<Said>;
  /** @param onPiece is told each piece of text as it comes */
  stream(model: string, prompt: string, onPiece: (text: string) => void, options?: AskOptions): Promise<Said>;
  /** Asks with the tools of `tools.ts`, runs what is called, gives the results back, and so on until there is an answer. */
  useTools(model: string, prompt: string, way: 'whole' | 'streamed'): Promise<ToolRound>;
  /** Held to the schema of `tools.ts`. */
  structured(model: string, prompt: string): Promise<unknown>;
}

/** The name, the constructor and the error handling of a client. */
export interface ClientKind {
  readonly name: string;
  readonly connect: (to: Connection) => Client;
  readonly failureOf: (error: unknown) => Failure;
  /** The SDK's error class for a status. */
  readonly errorName: (status: number) => string;
  /** Status of upstream saturation on its routes. */
  readonly saturated: 503 | 529;
  /** Whether it obeys `x-should-retry`. */
  readonly obeysShouldRetry: boolean;
  /** Whether it takes the first input count of a stream, an estimate if the provider counts at the end. */
  readonly countsInputFirst?: boolean;
  /** Fields of our own in the body can be sent with it: then encoders can be asked. */
  readonly takesExtras: boolean;
}

export interface AskOptions {
  readonly maxTokens?: number;
  readonly signal?: AbortSignal;
  /** Additional fields of the body. */
  readonly extras?: Readonly<Record<string, unknown>>;
}

export interface Said {
  readonly text: string;
  /** Whether the limit on tokens ended it. */
  readonly cutShort: boolean;
  /** All input tokens as the client reads the usage; undefined if it reports none. */
  readonly inputTokens: number | undefined;
  readonly cachedTokens: number | undefined;
}

export interface ToolRound {
  /** Inputs of the tool calls, in order. */
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly text: string;
}

export interface Failure {
  readonly name: string;
  readonly status: number | undefined;
  readonly message: string;
}
