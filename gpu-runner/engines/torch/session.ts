import type { AnswerLoss, ChatExample, GeneratedChunk, GenerateRequest } from '../decoder-engine.js';
import { RefusedGenerationError } from '../decoder-engine.js';
import { RefusedSchemaError } from '../encoder-engine.js';
import type { InferRequest, InferResponse } from '../engine.js';
import { DEFAULT_THRESHOLD } from '../evaluation-queries.js';
import { VerifiedBases } from './base.js';
import { openAiChat } from './chat-shape.js';
import { resultOf } from './encoder-rows.js';
import { generationFault, inferenceFault, loadFault, servingLost } from './faults.js';
import { FrameError, MAX_FRAME_BYTES } from './frames.js';
import { Generation, generateMessage } from './generation.js';
import type {
  ErrorMessage,
  FromEngine,
  InferMessage,
  InferredMessage,
  LoadedMessage,
  ScoredMessage,
  ScoreMessage,
  TrainMessage,
} from './messages.js';
import { EngineDiedError, type EngineProcess, type StartEngine } from './process.js';

const GRACE_MS = 2_000;
const TOO_LONG = `is too long: a whole request may have ${MAX_FRAME_BYTES} bytes`;

/** Folders of the parts of a model in the memory of the process. */
export interface Parts {
  readonly kind: TrainMessage['kind'];
  readonly baseDirectory: string;
  readonly adapter: string | null;
}

/** A message that waits for its answer. */
interface Question {
  readonly resolve: (message: InferredMessage | ScoredMessage) => void;
  readonly reject: (reason: unknown) => void;
  readonly fault: (error: ErrorMessage) => Error;
}

/** A process of an engine, and the calls that wait for it. */
export class TorchSession {
  /** The process has ended. */
  isOver = false;
  private readonly ended: Promise<void>;
  private readonly generations = new Map<string, Generation>();
  private readonly bases = new VerifiedBases();
  private readonly loads = new Map<string, PromiseWithResolvers<LoadedMessage>>();
  private readonly questions = new Map<string, Question>();
  private made = 0;

  private constructor(
    private readonly child: EngineProcess,
    private readonly engine: string,
  ) {
    this.ended = child.ended.then((error) => {
      if (error) logLoss(error, engine);
      this.fail(servingLost(engine));
    });
  }

  /** @param engine its name */
  static async start(start: StartEngine, engine: string): Promise<TorchSession> {
    let session: TorchSession | null = null;
    try {
      // After its hello, the process sends only heartbeats until it gets a request.
      const child = await start((message) => session?.hear(message));
      return (session = new TorchSession(child, engine));
    } catch (error) {
      if (!(error instanceof EngineDiedError)) throw error;
      logLoss(error, engine);
      throw servingLost(engine);
    }
  }

  /** The model's key is `model` of the returned value. */
  async load({ kind, baseDirectory, adapter }: Parts): Promise<LoadedMessage> {
    const base = await this.bases.of(baseDirectory);
    const key = this.newKey();
    const loading = Promise.withResolvers<LoadedMessage>();
    // A process that dies while the message is sent rejects it before anything waits for it.
    loading.promise.catch(() => undefined);
    this.loads.set(key, loading);
    try {
      await this.send({ type: 'load', ...(kind === 'encoder' && { kind }), model: key, base, adapter });
      return await loading.promise;
    } finally {
      this.loads.delete(key);
    }
  }

  /** Its running generations end with an error. A process that has ended holds no model. */
  async unload(model: string): Promise<void> {
    await this.send({ type: 'unload', model }).catch(() => undefined);
  }

  async *generate(model: string, request: GenerateRequest, signal: AbortSignal): AsyncGenerator<GeneratedChunk> {
    const id = this.newKey();
    const generation = new Generation();
    this.generations.set(id, generation);
    let isOver = false;
    try {
      await this.send(generateMessage(id, model, request)).catch((error: unknown) => {
        throw error instanceof FrameError ? new RefusedGenerationError('input', TOO_LONG) : error;
      });
      const taken = (seq: number) => void this.send({ type: 'ack', id, seq }).catch(() => undefined);
      for await (const chunk of generation.chunks(taken, signal)) {
        isOver = chunk.type === 'end';
        yield chunk;
      }
    } catch (error) {
      isOver ||= !signal.aborted;
      throw error;
    } finally {
      this.generations.delete(id);
      if (!isOver) void this.send({ type: 'cancel', id }).catch(() => undefined);
    }
  }

  async infer(
    model: string,
    { texts, schema, threshold, explain }: InferRequest,
    signal: AbortSignal,
  ): Promise<InferResponse> {
    const wellFormed = texts.map((text) => text.toWellFormed());
    const { results, warnings, inputTokens } = await this.answer<InferredMessage>(
      {
        type: 'infer',
        id: this.newKey(),
        model,
        texts: wellFormed,
        schema,
        threshold: threshold ?? DEFAULT_THRESHOLD,
        ...(explain && { explain }),
      },
      { fault: inferenceFault, tooLong: () => new RefusedSchemaError(TOO_LONG) },
      signal,
    );
    return { results: texts.map((text, at) => resultOf(text, results[at]!)), warnings, inputTokens };
  }

  /** The loss of the answer that ends a chat. */
  async score(model: string, chat: ChatExample, signal: AbortSignal): Promise<AnswerLoss> {
    const { nats, tokens } = await this.answer<ScoredMessage>(
      { type: 'score', id: this.newKey(), model, ...openAiChat(chat) },
      { fault: generationFault, tooLong: () => new RefusedGenerationError('input', TOO_LONG) },
      signal,
    );
    return { nats, tokens };
  }

  /** The one message that answers another. */
  private async answer<Reply extends InferredMessage | ScoredMessage>(
    message: InferMessage | ScoreMessage,
    { fault, tooLong }: { readonly fault: (error: ErrorMessage) => Error; readonly tooLong: () => Error },
    signal: AbortSignal,
  ): Promise<Reply> {
    signal.throwIfAborted();
    const { id } = message;
    const { promise, resolve, reject } = Promise.withResolvers<InferredMessage | ScoredMessage>();
    promise.catch(() => undefined);
    this.questions.set(id, { resolve, reject, fault });
    const cancel = () => {
      reject(signal.reason);
      void this.send({ type: 'cancel', id }).catch(() => undefined);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      await this.send(message).catch((error: unknown) => {
        throw error instanceof FrameError ? tooLong() : error;
      });
      return (await promise) as Reply;
    } finally {
      signal.removeEventListener('abort', cancel);
      this.questions.delete(id);
    }
  }

  async stop(): Promise<void> {
    await this.child.stop(GRACE_MS);
    await this.ended;
  }

  private newKey(): string {
    this.made += 1;
    return `${this.made}`;
  }

  private async send(message: Parameters<EngineProcess['send']>[0]): Promise<void> {
    try {
      await this.child.send(message);
    } catch (error) {
      throw error instanceof EngineDiedError ? servingLost(this.engine) : error;
    }
  }

  private hear(message: FromEngine): void {
    if (message.type === 'token' || message.type === 'done') this.generations.get(message.id)?.hear(message);
    else if (message.type === 'error') this.hearError(message);
    else if (message.type === 'inferred' || message.type === 'scored') this.questions.get(message.id)?.resolve(message);
    else if (message.type === 'loaded') this.loads.get(message.model)?.resolve(message);
    else if (message.type === 'log') console.error(`${this.engine} engine: ${message.message}`);
    else if (!['heartbeat', 'unloaded', 'progress'].includes(message.type))
      throw new Error(`it sent ${message.type} while it served`);
  }

  private hearError(message: ErrorMessage): void {
    if (message.id !== null) {
      this.generations.get(message.id)?.hear(message);
      const question = this.questions.get(message.id);
      question?.reject(question.fault(message));
    } else if (message.model !== undefined) this.loads.get(message.model)?.reject(loadFault(message));
    else throw new Error(message.message);
  }

  private fail(error: Error): void {
    this.isOver = true;
    for (const generation of this.generations.values()) generation.fail(error);
    for (const each of [...this.loads.values(), ...this.questions.values()]) each.reject(error);
  }
}

const logLoss = ({ message, log }: EngineDiedError, engine: string): void =>
  console.error([`${engine} engine: its serving process was lost`, message, ...log].join('\n'));
