import type { LogLine } from '#domain/job-log/index.js';
import type { ObjectStoreAddress } from '#ports/object-store/open.js';
import type { EngineAddress } from '#gpu-runner/engines/registered-engine.js';
import type { ObjectKeys, WorkProgress, WorkReport, Work } from '../contract/work.js';

/** Messages between a runner and the process of an attempt. */
export type ToChild =
  { readonly kind: 'start'; readonly work: Work; readonly setup: ChildSetup } | { readonly kind: 'stop' };

export type FromChild =
  | { readonly kind: 'report'; readonly report: Exclude<WorkReport, { kind: 'log' }> }
  | { readonly kind: 'progress'; readonly progress: WorkProgress }
  | { readonly kind: 'log'; readonly line: LogLine }
  /** Work has progressed. A process that is silent for long counts as hung. */
  | { readonly kind: 'working' };

/** Plain data: how a separate process finds its resources. */
export interface ChildSetup {
  readonly engines: readonly EngineAddress[];
  readonly objectStore: ObjectStoreAddress;
  /** From the answer to the claim. */
  readonly objectKeys?: ObjectKeys | undefined;
  /** A folder of this attempt alone. */
  readonly directory: string;
}
