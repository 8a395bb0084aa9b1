import type { Durability, LogLevel } from './values.js';

/** What an operator can set, read once at start. `SETTINGS` (table.ts) explains each. */
export class Settings {
  /** Where the API listens; 0 takes any free port. */
  readonly port: number = 8080;
  readonly host: string = '127.0.0.1';
  /** Holds the log, the read models, the objects and the secret key. */
  readonly dataDir: string = '.anneal';
  /** The address by which clients reach the API, without a slash at its end; null: the address listened on. */
  readonly publicUrl: string | null = null;
  readonly durability: Durability = 'full';
  readonly bootstrapApiKey: string | null = null;
  /** Lower case. */
  readonly adminEmail: string | null = null;
  readonly adminPassword: string | null = null;
  /** From which all other keys are derived, at least 32 bytes of text; null: from the file in the data folder. */
  readonly secretKey: string | null = null;
  /** An operator's port on the loopback address; null: no metrics are served. */
  readonly metricsPort: number | null = null;
  readonly logLevel: LogLevel = 'info';
  readonly uploadMaxBytes: number = 5 * 1024 ** 3;
  readonly bodyMaxBytes: number = 16 * 1024 ** 2;
  readonly rateLimits: boolean = true;

  constructor(values: Partial<Settings> = {}) {
    Object.assign(this, values);
  }
}
