import { Injectable } from '@nestjs/common';
import { Runners } from '#calls/backends/runner/runners.js';
import type { VectorsAnswer, VectorsQuestion } from '#distillation/survey/index.js';
import { Engines } from '#gpu-runner/contract/engines.js';

const BASE = 'anneal/embedder-base-v1';
const PACK = 'anneal/embedder-small-v1';
/** Cosine from which texts are near copies: by either, one in fifty of BANKING77's texts has such a neighbour. */
export const LEAST_OF_COPIES: Readonly<Record<string, number>> = { [BASE]: 0.995, [PACK]: 0.99 };
/** The pack reads some 200 texts a second on one core. */
const MAX_PACK_TEXTS = 25_000;
const DEADLINE_MS = 60_000;

/** Vectors of recorded texts, by which near copies are told: the pack's, or the built-in embedder's without one and for very many. */
@Injectable()
export class TextEmbedder {
  constructor(
    private readonly runners: Runners,
    private readonly engines: Engines,
  ) {}

  /** @throws as `Runners.embed` */
  async of(workspaceId: string, { texts, all }: VectorsQuestion): Promise<VectorsAnswer> {
    const pack = all <= MAX_PACK_TEXTS ? this.engines.embedder(PACK) : null;
    const { id: modelId, dimensions } = (pack ?? this.engines.embedder(BASE)!).model;
    const left = [...texts.keys()];
    const vectors: (string | null)[] = texts.map(() => null);
    while (left.length > 0) {
      const call = { workspaceId, modelId, dimensions, texts: left.map((at) => texts[at]!) };
      const reply = await this.runners.embed(call, { deadlineMs: DEADLINE_MS });
      if ('tooLong' in reply) {
        left.splice(reply.tooLong, 1);
        continue;
      }
      for (const [place, at] of left.entries()) vectors[at] = reply.vectors[place]!;
      break;
    }
    return { vectors, least: LEAST_OF_COPIES[modelId]! };
  }
}
