import type { InferenceAnswer, InferenceCall, InferenceReply, QueueFull } from '#gpu-runner/contract/inference.js';
import { inferCertain } from '#gpu-runner/engines/certainty.js';
import type { LoadedEncoder } from '#gpu-runner/engines/encoder-engine.js';
import type { InferRequest } from '#gpu-runner/engines/engine.js';
import { asAnswered } from '../serving/answered-errors.js';
import { costOf, groupsOf, joined } from './call-parts.js';
import { ownSchema } from './own-schema.js';
import { MAX_WAITING, PartQueue } from './part-queue.js';
import type { ProcessModels } from '../process-models/process-models.js';

/** Maximum number of parts of one workspace that an engine has at once; it may join them into batches. */
const PARTS_AT_ONCE = 4;

/**
 * Runs the calls of encoders that are in a process of their engine. An engine is given few parts of each workspace at once,
 * so that workspaces take turns there.
 */
export class EncoderCalls {
  private readonly queue = new PartQueue(PARTS_AT_ONCE, () => undefined);
  /** Characters of calls that wait for their models, by workspace. */
  private readonly loading = new Map<string, number>();

  constructor(private readonly models: Pick<ProcessModels, 'lease'>) {}

  /** Characters of calls that wait for their engine, or for their model. */
  get waiting(): number {
    return this.loading.values().reduce((sum, characters) => sum + characters, this.queue.waiting);
  }

  /** @throws InferenceError; the signal's reason once it is aborted */
  async run(call: InferenceCall, signal: AbortSignal): Promise<InferenceReply> {
    const leased = await this.lease(call, signal);
    if (!('release' in leased)) return leased;
    const over = new AbortController();
    try {
      const either = AbortSignal.any([signal, over.signal]);
      return await this.answer(leased.model, call, either);
    } catch (error) {
      throw asAnswered(error);
    } finally {
      // A failed call makes the engine's remaining work unnecessary.
      over.abort();
      leased.release();
    }
  }

  private async lease({ workspaceId, model, texts }: InferenceCall, signal: AbortSignal) {
    const [waiting, cost] = [this.loading.get(workspaceId) ?? 0, costOf(texts)];
    if (waiting > 0 && waiting + cost > MAX_WAITING) return { waiting, mostWaiting: MAX_WAITING };
    this.loading.set(workspaceId, waiting + cost);
    try {
      return await this.models.lease('encoders', model, signal);
    } finally {
      const left = this.loading.get(workspaceId)! - cost;
      if (left > 0) this.loading.set(workspaceId, left);
      else this.loading.delete(workspaceId);
    }
  }

  private async answer(
    model: LoadedEncoder,
    { workspaceId, texts, schema: asked, threshold, explain, certainty }: InferenceCall,
    signal: AbortSignal,
  ): Promise<InferenceAnswer | QueueFull> {
    const schema = asked ?? ownSchema(model.abilities);
    if (texts.length === 0) return { results: [], warnings: [], inputTokens: [], schema };
    const parts = groupsOf(texts).map((group) => ({
      cost: costOf(group),
      run: async (): Promise<InferenceAnswer> => {
        const infer = (request: InferRequest) => model.infer(request, signal);
        const request = { texts: group, schema, threshold, explain, ...(certainty && { likeness: true }) };
        const { results, warnings, inputTokens } = await (certainty ? inferCertain(infer, request) : infer(request));
        return { results, warnings, inputTokens, schema };
      },
    }));
    const answers = await this.queue.run(workspaceId, parts, signal);
    return 'waiting' in answers ? answers : joined(answers);
  }
}
