import type { Application } from '#application/application.js';
import { worstCase, type BillingGate, type Reservation } from '#application/billing/index.js';
import type { CallRecorder } from '#calls/recording/call-recorder.js';
import { ConflictError, UnavailableError } from '#domain/errors.js';
import type { InferenceTask } from '#domain/inference/index.js';
import type { Json } from '#domain/json.js';
import type { InferResult, InferSchema, InferWarning } from '#gpu-runner/contract/schema.js';
import type { InferenceAnswer, InferenceCall } from '#gpu-runner/contract/inference.js';
import { failureOf, LEFT, requireReadable, tooMuch } from './failure.js';
import { HEADS, type EncoderRequest } from '../../encoder-request.js';
import type { RoutedCalls } from './routed-calls.js';
import { ServedCall, type CallFacts } from '../../served-call.js';
import type { ServedModels } from '../../models.js';

const DEADLINE_MS = 60_000;

/** A checked call of an encoder that was found. */
export interface EncoderCall extends CallFacts {
  readonly request: EncoderRequest;
  /** Aborts when the client has gone. */
  readonly signal?: AbortSignal;
  /** One text's result in the shape of the route. */
  readonly encode: (text: string, result: InferResult, applied: InferSchema) => Json;
}

export interface EncoderOutcome {
  readonly inferenceId: string;
  /** A list for a batch. */
  readonly result: Json;
  readonly latencyMs: number;
  readonly inputTokens: number;
  readonly warnings: readonly InferWarning[];
  readonly truncated: boolean;
}

/** Runs encoders: a call is admitted (money), run, recorded and settled before it is answered. */
export class EncoderCalls {
  constructor(
    readonly application: Application,
    private readonly models: ServedModels,
    private readonly recorder: CallRecorder,
    private readonly runners: RoutedCalls,
    private readonly billing: BillingGate,
  ) {}

  /** @throws DomainError */
  async run(call: EncoderCall): Promise<EncoderOutcome> {
    const { caller, identity, model, request } = call;
    requireReadable(request);
    if (!this.recorder.accepting) throw new UnavailableError('the event log takes no writes now; try again');
    const served = new ServedCall(this.recorder, await this.admitted(call), call);
    const { inferenceId } = served;
    let answer: InferenceAnswer;
    let encoded: Json[];
    try {
      answer = await this.answer(call);
      const { results, schema } = answer;
      encoded = results.map((result, index) => call.encode(request.texts[index]!, result, schema));
    } catch (error) {
      const failure = call.signal?.aborted ? LEFT : failureOf(tooMuch(error, request) ?? error, model);
      throw await served.failed(taskOf(request.schema), failure);
    }
    const result: Json = request.batch ? encoded : encoded[0]!;
    const inputTokens = answer.inputTokens.reduce((sum, tokens) => sum + tokens, 0);
    const latencyMs = await served.answered({ task: taskOf(answer.schema), inputTokens, result });
    // What was served and is paid for is answered: a later call can say that it was deployed.
    await this.models.markDeployed(model, caller, identity).catch(() => undefined);
    const truncated = answer.results.some((each) => each.truncated);
    return { inferenceId, result, latencyMs, inputTokens, warnings: answer.warnings, truncated };
  }

  /** Loads the model and runs nothing; nothing is recorded, and it costs nothing. @throws DomainError */
  async warmUp(call: Asked): Promise<void> {
    const { caller, model, request } = call;
    const entry = model.baseModel;
    const reservation = await this.billing.admit({ caller, entry, worstCase: 0n });
    reservation.release();
    try {
      const nothing = { ...request, texts: [], schema: request.schema ?? NO_HEADS };
      await this.answer({ caller, model, request: nothing });
    } catch (error) {
      throw failureOf(error, model).answer;
    }
  }

  private admitted({ caller, model, request }: EncoderCall): Reservation | Promise<Reservation> {
    // A token has a character at least.
    const characters = request.texts.reduce((sum, text) => sum + text.length, 0);
    const most = worstCase(model.price, { input: characters, output: 0 });
    return this.billing.admit({ caller, entry: model.baseModel, worstCase: most });
  }

  private answer({ caller, model, request, signal }: Asked): Promise<InferenceAnswer> {
    const { schema, texts, threshold } = request;
    if (model.reference instanceof ConflictError) return Promise.reject(model.reference);
    const call: InferenceCall = {
      workspaceId: caller.workspaceId,
      model: model.reference,
      texts,
      threshold,
      schema: schema && asked(schema),
    };
    return this.runners.run(call, { deadlineMs: DEADLINE_MS, ...(signal && { signal }) }, model.isFirstCall);
  }
}

type Asked = Pick<EncoderCall, 'caller' | 'model' | 'request' | 'signal'>;

const NO_HEADS = { entities: null, classifications: null, structures: null, relations: null };

/** The heads that are asked for, without those that are not. */
function asked(schema: NonNullable<EncoderRequest['schema']>): InferSchema {
  const { entities, classifications, structures, relations } = schema;
  return {
    ...(entities && { entities }),
    ...(classifications && { classifications }),
    ...(structures && { structures }),
    ...(relations && { relations }),
  };
}

const TASKS = {
  entities: 'extract_entities',
  classifications: 'classify_text',
  structures: 'extract_json',
  relations: 'extract_relations',
} as const;

/** What the history calls it: by the one head that was asked for, or `schema` for several. */
function taskOf(schema: { readonly [Head in (typeof HEADS)[number]]?: unknown } | null): InferenceTask {
  const [head = 'entities', ...more] = HEADS.filter((each) => schema?.[each]);
  return more.length > 0 ? 'schema' : TASKS[head];
}
