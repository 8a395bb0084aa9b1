import type { EventLogLocation } from '#ports/event-store/open.js';
import type { ObjectStoreAddress } from '#ports/object-store/open.js';
import type { ReadStoreLocation } from '#ports/read-store/open.js';
import type { BusAddress } from './addresses.js';
import type { Durability, LogLevel } from './values.js';

/** Where the API listens when nothing is said. */
export const API_PORT = 8080;

/** What an operator can set, read once at start. `SETTINGS` (table.ts) explains each. */
export class Settings {
  /** Where the process listens, 0 for any free port; null: the API on 8080, workers and runners nowhere. */
  readonly port: number | null = null;
  readonly host: string = '127.0.0.1';
  /** Holds the log, the read models, the objects and the secret key, where no address puts them elsewhere. */
  readonly dataDir: string = '.anneal';
  /** Which adapter serves each port, and where; null: in the data folder, or in process. Addresses may hold credentials. */
  readonly eventStore: EventLogLocation | null = null;
  readonly readStore: ReadStoreLocation | null = null;
  /** null: as the read store. */
  readonly coordination: ReadStoreLocation | null = null;
  readonly bus: BusAddress | null = null;
  readonly objectStore: ObjectStoreAddress | null = null;
  /** The address by which clients reach the API, without a slash at its end; null: the address listened on. */
  readonly publicUrl: string | null = null;
  /** Proxies whose `X-Forwarded-For` is believed, as proxy-addr reads them; null: none. Attempts to sign in are counted by it. */
  readonly trustedProxies: string | null = null;
  readonly durability: Durability = 'full';
  readonly bootstrapApiKey: string | null = null;
  /** Lower case. */
  readonly adminEmail: string | null = null;
  readonly adminPassword: string | null = null;
  /** From which all other keys are derived, at least 32 bytes of text; null: from the file in the data folder. */
  readonly secretKey: string | null = null;
  /** A catalog file; null: the project's own. */
  readonly modelCatalog: string | null = null;
  /** A file that names the providers of hosted models; null: there are none. */
  readonly providers: string | null = null;
  /** Without a slash at its end. */
  readonly hubUrl: string = 'https://huggingface.co';
  /** Where people add credits; null: the public address. */
  readonly billingUrl: string | null = null;
  /** An operator's port; null: no metrics are served. */
  readonly metricsPort: number | null = null;
  readonly metricsHost: string = '127.0.0.1';
  /** By which this runner is known, alone of all; null: made of the host's name. */
  readonly runnerName: string | null = null;
  readonly logLevel: LogLevel = 'info';
  readonly uploadMaxBytes: number = 5 * 1024 ** 3;
  readonly bodyMaxBytes: number = 16 * 1024 ** 2;
  readonly rateLimits: boolean = true;

  constructor(values: Partial<Settings> = {}) {
    Object.assign(this, values);
  }
}
