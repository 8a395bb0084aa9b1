import type { Caller } from '#application/caller.js';
import type { Engines } from '#gpu-runner/contract/engines.js';
import type { GeneratedChunk, GenerateRequest, TokenLogprob } from '#gpu-runner/contract/generation.js';
import type { ModelReference } from '#gpu-runner/contract/inference.js';
import { ConflictError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { NO_USAGE, type GenerationEvent, type TokenUsage } from '../../hosted/port.js';
import type { DecoderCall, DecoderSource, Generate } from '../../decoders.js';
import type { Model, Models } from '../../models.js';
import { RUNNER_OF_DECODERS } from './backend.js';
import { engineRequests } from './engine-requests.js';
import type { Runners } from './runners.js';

/** Limit for a whole answer. */
const DEADLINE_MS = 600_000;

/** Decoders of the engines here. */
export class EngineDecoders implements DecoderSource {
  readonly backend = RUNNER_OF_DECODERS;

  constructor(
    private readonly runners: Pick<Runners, 'generate'>,
    private readonly engines: Engines,
    /** Records the first call of a trained model; absent if only base models are called. */
    private readonly models?: Pick<Models, 'markDeployed'>,
  ) {}

  async open(model: Model, call: DecoderCall): Promise<Generate> {
    const { requests, dropped } = engineRequests(call.generation, model, this.factsOf(model));
    return (_request, { signal, inferenceId, onDropped }) => {
      onDropped(dropped);
      return this.generate(model, call, requests, { signal, inferenceId });
    };
  }

  async warmUp(model: Model, caller: Caller): Promise<void> {
    try {
      const call = { workspaceId: caller.workspaceId, model: referenceOf(model), request: null };
      await Array.fromAsync(this.runners.generate(call, { deadlineMs: DEADLINE_MS }, model.isFirstCall));
    } catch (error) {
      throw RUNNER_OF_DECODERS.failureOf(error, model, undefined).answer;
    }
  }

  async countTokens(): Promise<null> {
    return null;
  }

  /** Answers one after another; each is a choice. */
  private async *generate(
    model: Model,
    call: DecoderCall,
    requests: readonly GenerateRequest[],
    { signal, inferenceId }: { readonly signal: AbortSignal; readonly inferenceId: string },
  ): AsyncGenerator<readonly GenerationEvent[], void, undefined> {
    const { workspaceId } = call.caller;
    const until = performance.now() + DEADLINE_MS;
    const usage = new UsageOfChoices();
    const ends: GenerationEvent[] = [];
    for (const [choice, request] of requests.entries()) {
      const events = new ChoiceEvents(choice);
      const options = { deadlineMs: Math.max(1, until - performance.now()), signal };
      const asked = { workspaceId, model: referenceOf(model), request };
      for await (const chunk of this.runners.generate(asked, options, model.isFirstCall)) {
        if (chunk.type !== 'end') {
          yield events.of(chunk);
          continue;
        }
        const { reason, stopSequence, servedBy } = chunk;
        yield [{ type: 'usage', usage: usage.add(request, chunk), ...(servedBy && { servedBy }) }];
        ends.push({ type: 'finish', reason, choice, ...(stopSequence !== undefined && { stopSequence }) });
      }
    }
    // A failure to record the deployment does not fail the call; a later call records it again.
    if (model.isFirstCall) await this.models?.markDeployed(model, call, inferenceId).catch(() => undefined);
    yield ends;
  }

  private factsOf({ modelId, entry }: Model) {
    const base = this.engines.baseModel(entry.id)?.model;
    if (base?.generation) return base.generation;
    throw new ConflictError(`model ${modelId} is in the catalog, and no engine here generates text with it`);
  }
}

/** @throws ConflictError naming the state in which the model cannot serve */
function referenceOf({ reference }: Model): ModelReference {
  if (reference instanceof ConflictError) throw reference;
  return reference;
}

/** Tokens of the choices that have ended, so that a caller who leaves between two pays for those. */
class UsageOfChoices {
  private readonly inputs = new Set<GenerateRequest['input']>();
  private inputTokens = 0;
  private outputTokens = 0;

  /**
   * The input of several choices counts once, in reservations and at providers alike.
   * @returns the sum so far
   */
  add({ input }: GenerateRequest, end: Extract<GeneratedChunk, { type: 'end' }>): TokenUsage {
    if (!this.inputs.has(input)) this.inputTokens += end.inputTokens;
    this.inputs.add(input);
    this.outputTokens += end.outputTokens;
    const { inputTokens, outputTokens } = this;
    return { ...NO_USAGE, inputTokens, outputTokens };
  }
}

/** The pieces of one answer as events: a tool call is its own part. */
class ChoiceEvents {
  private part = -1;
  private isText = false;

  constructor(private readonly choice: number) {}

  of(chunk: Exclude<GeneratedChunk, { type: 'end' }>): readonly GenerationEvent[] {
    const { choice } = this;
    if (chunk.type === 'tool-call') {
      this.part += 1;
      this.isText = false;
      const { part } = this;
      return [
        { type: 'tool-call', part, id: chunk.id, name: chunk.name, choice },
        { type: 'tool-input', part, json: chunk.input, choice },
      ];
    }
    if (!this.isText) this.part += 1;
    this.isText = true;
    const { text, logprobs } = chunk;
    return [{ type: 'text', part: this.part, text, choice, ...(logprobs && { logprobs: logprobs.map(shown) }) }];
  }
}

/** In the form of chat completions. */
const shown = ({ top, ...token }: TokenLogprob): JsonObject => ({
  ...token,
  top_logprobs: top.map(({ token, logprob, bytes }) => ({ token, logprob, bytes })),
});
