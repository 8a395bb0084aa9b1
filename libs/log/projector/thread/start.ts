import type { ParkedKey } from '../parked-key.js';
import type { ProjectionAdvance, ProjectionStatus } from '../status.js';
import { startThread } from '#primitives/thread/thread.js';
import type { HostSetup } from './locations.js';

interface ProjectionHostOptions extends HostSetup {
  /** Called with the projections that advanced in one turn of the thread. */
  readonly onAdvance?: (advances: readonly ProjectionAdvance[]) => void;
  /** Called when a projection stops, which only a retry or a rebuild starts again. */
  readonly onStopped?: (projection: string, error: Error) => void;
  /** Called with a reason for which the log could not be read repeatedly. */
  readonly onTrouble?: (error: Error) => void;
  /** Called when the thread ends without having been closed. */
  readonly onFailure?: (error: Error) => void;
}

/** The projections of this system, whichever thread or process runs them. */
export interface Projections {
  status(): Promise<readonly ProjectionStatus[]>;
  /** Parked keys by projection. */
  parked(): Promise<readonly { readonly projection: string; readonly keys: readonly ParkedKey[] }[]>;
  /** Rebuilds documents, beside the live ones; resolves once that has begun. Rejects for an unknown name. */
  rebuild(name: string): Promise<void>;
  /**
   * Retries parked keys, or one of them.
   * @returns how many are no longer parked. Rejects for an unknown name.
   */
  retry(name: string, key?: string): Promise<number>;
}

/** The projection host in its thread, as seen from outside. */
export interface RunningProjectionHost extends Projections {
  /** Resolves once each projection is live, known to be slow, or stopped. */
  begun(): Promise<void>;
  /** Removes the collections of other versions of projections, except those that are read. */
  clear(read: readonly string[]): Promise<void>;
  /** Ends after the current batches. */
  close(): Promise<void>;
}

/** Starts the thread that runs all projections. The log must have been made. */
export async function startProjectionHost(options: ProjectionHostOptions): Promise<RunningProjectionHost> {
  const { onAdvance, onStopped, onTrouble, onFailure, ...setup } = options;
  const module = import.meta.resolve('./host-service.js');
  const thread = await startThread([{ name: 'projections', module, options: setup }], {
    name: 'read',
    ...(onFailure && { onFailure }),
  });
  if (onAdvance) thread.listen<readonly ProjectionAdvance[]>('projections', 'advanced', onAdvance);
  if (onStopped)
    thread.listen<{ projection: string; message: string }>('projections', 'stopped', ({ projection, message }) =>
      onStopped(projection, new Error(message)),
    );
  if (onTrouble) thread.listen<string>('projections', 'trouble', (message) => onTrouble(new Error(message)));
  return {
    begun: () => thread.call('projections', 'begun', []),
    status: () => thread.call('projections', 'status', []),
    parked: () => thread.call('projections', 'parked', []),
    rebuild: (name) => thread.call('projections', 'rebuild', [name]),
    retry: (name, key) => thread.call('projections', 'retry', [name, key]),
    clear: (read) => thread.call('projections', 'clear', [read]),
    close: () => thread.close(),
  };
}
