import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Application } from '#application/application.js';
import { INFERENCE_HEARTBEAT, type InferenceHeartbeat } from '#gpu-runner/contract/inference.js';
import { RUNNER_HEARTBEAT, type Heartbeat } from '#gpu-runner/contract/work.js';
import type { Subscription } from '#ports/bus/port.js';
import type { RunnerRecord } from './dto.js';

/** A runner that has been silent for so long counts as absent. */
const PRESENT_MS = 5_000;
/** Silence after which a runner is forgotten. */
const FORGET_MS = 24 * 60 * 60_000;

interface Heard {
  at: number;
  work: Heartbeat | null;
  serving: InferenceHeartbeat | null;
}

/** The runners heard by this process: their work, the models they can run, and those they have loaded. */
@Injectable()
export class RunnersHeard implements OnApplicationShutdown {
  private readonly heard = new Map<string, Heard>();
  private readonly subscriptions: readonly Subscription[];

  constructor({ ports: { bus } }: Application) {
    this.subscriptions = [
      bus.listen(RUNNER_HEARTBEAT, (body) => {
        const work = body as unknown as Heartbeat;
        this.of(work.name).work = work;
      }),
      bus.listen(INFERENCE_HEARTBEAT, (body) => {
        const serving = body as unknown as InferenceHeartbeat;
        this.of(serving.name).serving = serving.leaving ? null : serving;
      }),
    ];
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.subscriptions.map((subscription) => subscription.stop()));
  }

  /** By name. */
  list(): readonly RunnerRecord[] {
    const now = performance.now();
    for (const [name, { at }] of this.heard) if (now - at > FORGET_MS) this.heard.delete(name);
    return [...this.heard].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, each]) => recordOf(name, each, now));
  }

  private of(name: string): Heard {
    const heard = this.heard.get(name) ?? { at: 0, work: null, serving: null };
    heard.at = performance.now();
    this.heard.set(name, heard);
    return heard;
  }
}

function recordOf(name: string, { at, work, serving }: Heard, now: number): RunnerRecord {
  const { figures } = serving ?? {};
  return {
    name,
    present: now - at < PRESENT_MS,
    last_heard_ms: Math.round(now - at),
    engines: (work?.engines ?? []).map((engine) => ({
      name: engine.name,
      version: engine.version,
      base_models: engine.baseModels.map(({ id }) => id),
    })),
    room: { training: 0, evaluation: 0, export: 0, ...work?.capacity },
    attempts: (work?.working ?? []).map(({ kind, id, attempt, progress }) => ({
      kind,
      id,
      attempt,
      progress_percent: Math.round(progress.fraction * 100),
    })),
    loaded: [...(serving?.loaded ?? [])],
    loading: [...(serving?.loading ?? [])],
    failed: [...(serving?.failed ?? [])],
    generates: [...(serving?.generates ?? [])],
    serving: figures
      ? {
          in_process: figures.models.in_process,
          cached_bytes: figures.cachedBytes,
          calls: figures.calls.encoder + figures.calls.embedder + figures.calls.decoder,
          waiting_characters: figures.waitingCharacters,
          waiting_generations: figures.waitingGenerations,
          input_tokens: figures.tokens.input,
          output_tokens: figures.tokens.output,
        }
      : null,
  };
}
