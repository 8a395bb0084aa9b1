import type { SpawnedSystem } from '#apps/demo/system.js';

/** A way to run the system, with data of its own that outlive its processes. */
export interface Deployment {
  /** Starts the processes; again, after they have ended, on the same data. */
  start(settings?: Readonly<Record<string, string>>): Promise<SpawnedSystem>;
  /** Call it only while no process runs. */
  dropReadModels(): Promise<void>;
  /** Removes the data. */
  remove(): Promise<void>;
}

/** Makes a deployment without data. */
export type Deploy = () => Promise<Deployment>;
