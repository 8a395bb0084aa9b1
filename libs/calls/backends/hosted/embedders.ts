import { ConflictError, UnavailableError } from '#domain/errors.js';
import { priceOf } from '#domain/inference/index.js';
import type { Json } from '#domain/json.js';
import {
  NO_USAGE,
  type CallingWorkspace,
  type EmbeddingRequest,
  type Embeddings,
  type HostedModel,
} from '#hosted-models/port.js';
import { worstCase } from '#application/billing/index.js';
import { failureOf } from './failure.js';
import type { DecoderModel } from '../../decoder-calls.js';
import { workspaceOf, type DecoderCallsParts } from './decoders.js';
import { OpenedCall, type Ended, type HostedCall } from '../../opened-call.js';
import { estimateTokens } from '../../tokens.js';

export interface EmbeddingCall extends Omit<HostedCall, 'task'> {
  readonly request: EmbeddingRequest;
  /** What the history shows as output. */
  readonly output: (embeddings: Embeddings) => Json;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

type Counted = Embeddings & { readonly inputTokens: number };

export type EmbeddingsOutcome = Counted & { readonly inferenceId: string };

/** Embedders of hosted providers: a call is admitted (money), opened on the log, run, recorded and settled, as a decoder's is. */
export class HostedEmbeddingCalls {
  constructor(private readonly parts: Pick<DecoderCallsParts, 'hosted' | 'recorder' | 'billing' | 'accounts'>) {}

  /**
   * @throws BillingError, RegionRestrictedError before anything runs
   * @throws UpstreamRejectedError the provider refused the request itself: its status and message
   * @throws ConflictError it is in the catalog and cannot be served here
   * @throws UnavailableError anything else that kept it from an answer
   */
  async run(model: DecoderModel, call: EmbeddingCall): Promise<EmbeddingsOutcome> {
    const workspace = await workspaceOf(this.parts.accounts, call.caller);
    const opened = await this.opened(model, call);
    let embeddings: Counted;
    try {
      embeddings = counted(await this.asked(model, call, opened, workspace), call.request);
    } catch (error) {
      const { errorType, answer } = failureOf(error);
      await opened.end({ ...NOTHING, errorType, message: answer.message });
      throw answer;
    }
    const usage = { ...NO_USAGE, inputTokens: embeddings.inputTokens };
    await opened.end({ ...NOTHING, errorType: null, message: null, usage, output: call.output(embeddings) });
    return { ...embeddings, inferenceId: opened.inferenceId };
  }

  private async opened(model: DecoderModel, call: EmbeddingCall): Promise<OpenedCall> {
    const { recorder, billing } = this.parts;
    const { entry } = model;
    const price = priceOf(entry);
    // A token of text is one byte or more, but for what stands around each text.
    const bytes = bytesOf(call.request);
    const most = worstCase(price, { input: bytes + AROUND_A_TEXT * call.request.inputs.length, output: 0 });
    const reservation = await billing.admit({ caller: call.caller, entry, worstCase: most });
    try {
      if (!recorder.accepting) throw new UnavailableError('the event log takes no writes now; try again');
      return new OpenedCall(recorder, {
        ...{ model, price, reservation, worstCase: most },
        call: { ...call, task: 'embed' },
        estimatedInputTokens: estimateTokens(bytes),
      });
    } catch (error) {
      reservation.release();
      throw error;
    }
  }

  /** Asks the provider beside the call's opening on the log. A call that cannot be opened is cancelled. */
  private async asked(
    model: DecoderModel,
    call: EmbeddingCall,
    opened: OpenedCall,
    workspace: CallingWorkspace,
  ): Promise<Embeddings> {
    const unopened = new AbortController();
    const acknowledged = opened.acknowledged.catch((error: Error) => {
      unopened.abort(error);
      throw error;
    });
    const signal = AbortSignal.any([call.signal, unopened.signal]);
    const asked = Promise.resolve().then(() =>
      this.parts.hosted.embed(this.upstreamOf(model), call.request, { signal, workspace }),
    );
    const [opening, answer] = await Promise.allSettled([acknowledged, asked]);
    if (opening.status === 'rejected') throw opening.reason;
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  }

  private upstreamOf({ modelId, entry: { provider, supports_inference: serves } }: DecoderModel): HostedModel {
    if (provider && this.parts.hosted.has(provider.name) && serves) return provider;
    throw new ConflictError(`model ${modelId} is in the catalog, and not served here for inference`);
  }
}

/** Tokens that a model may put around each text. */
const AROUND_A_TEXT = 8;

const NOTHING: Omit<Ended, 'errorType' | 'message'> = { usage: NO_USAGE, output: null, ttftMs: null, provider: null };

const bytesOf = ({ inputs }: EmbeddingRequest): number =>
  inputs.reduce((sum, input) => sum + Buffer.byteLength(input), 0);

/** As the provider counted; where it did not, about what it will have counted. */
const counted = (embeddings: Embeddings, request: EmbeddingRequest): Counted => ({
  ...embeddings,
  inputTokens: embeddings.inputTokens ?? estimateTokens(bytesOf(request)),
});
