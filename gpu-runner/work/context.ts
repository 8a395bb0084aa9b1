import type { WorkProgress, WorkReport } from '../contract/work.js';
import type { AttemptObjects } from './patient-objects.js';
import type { PinnedEngine } from './pinned-engine.js';

/** The resources of an attempt inside its process. */
export interface WorkContext {
  /** Loads the engine of the work. @throws UnfitRunnerError */
  readonly pinned: () => Promise<PinnedEngine>;
  readonly objectStore: AttemptObjects;
  /** A folder of this attempt alone. */
  readonly directory: string;
  readonly say: Say;
  /** Aborts when the attempt is to stop. */
  readonly signal: AbortSignal;
}

/** Messages of an attempt to its runner, which numbers log lines into blocks. */
export interface Say {
  report(report: Exclude<WorkReport, { kind: 'log' }>): void;
  progress(progress: WorkProgress): void;
  /** Reports progress if no other message does. Cheap: call it at each step, never on a timer. */
  working(): void;
  log(level: 'info' | 'warn' | 'error', message: string, source?: string): void;
}
