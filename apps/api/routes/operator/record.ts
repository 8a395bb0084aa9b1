import type { HeardRunner } from '#use-cases/operator/runners-heard.js';
import type { RunnerRecord } from './dto.js';

/** A runner as the interface shows it. */
export function runnerRecord({ name, isPresent, silentMs, work, serving }: HeardRunner): RunnerRecord {
  const { figures } = serving ?? {};
  return {
    name,
    present: isPresent,
    last_heard_ms: Math.round(silentMs),
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
