import type { EventLogLocation } from '#ports/event-store/open.js';
import type { ObjectStoreAddress } from '#ports/object-store/open.js';
import type { ReadStoreLocation } from '#ports/read-store/open.js';
import type { BusAddress, CheckpointAddress } from './addresses.js';
import type { AuditWitness, CorsOrigins, Durability, LogLevel, RoleRule, TimestampAuthority } from './values.js';

/** Default port of the API. */
export const API_PORT = 8080;

/** An operator's settings, read once at start. `SETTINGS` (table.ts) explains each. */
export class Settings {
  /** Port to listen on; 0: any free port; null: 8080 for the API, none for workers and runners. */
  readonly port: number | null = null;
  readonly host: string = '127.0.0.1';
  /** Folder of the log, read models, objects, keys and secret, except those that an address puts elsewhere. */
  readonly dataDir: string = '.anneal';
  /** Adapter and address of each port; null: in the data folder, or in process. Addresses may contain credentials. */
  readonly eventStore: EventLogLocation | null = null;
  readonly readStore: ReadStoreLocation | null = null;
  /** null: the address of the read store. */
  readonly coordination: ReadStoreLocation | null = null;
  /** Address of the keys of contents; null: beside coordination. */
  readonly contentKeys: ReadStoreLocation | null = null;
  readonly bus: BusAddress | null = null;
  readonly objectStore: ObjectStoreAddress | null = null;
  /** The address by which clients reach the API, without a slash at its end; null: the address listened on. */
  readonly publicUrl: string | null = null;
  /** Proxies whose `X-Forwarded-For` gives the client's address, in proxy-addr's syntax; null: none. Sign-in attempts are counted for each address. */
  readonly trustedProxies: string | null = null;
  /** Origins whose web pages may call the API; null: none but the API's own. */
  readonly corsOrigins: CorsOrigins | null = null;
  readonly durability: Durability = 'full';
  /** How call contents and rows of datasets are stored; encrypted ones can be erased from backups too. null: as the log began. */
  readonly callContents: 'plain' | 'encrypted' | null = null;
  readonly callInlineBytes: number = 64 * 1024;
  /** Minimum number of days that calls are kept, whatever a workspace sets. */
  readonly retentionFloorDays: number = 184;
  /** Days after which contents are erased, whatever a workspace sets; null: never. */
  readonly retentionCeilingDays: number | null = null;
  readonly bootstrapApiKey: string | null = null;
  /** Lower case. */
  readonly adminEmail: string | null = null;
  readonly adminPassword: string | null = null;
  /** The OpenID provider that people sign in with; null: none. */
  readonly oidcIssuer: string | null = null;
  readonly oidcClientId: string | null = null;
  readonly oidcClientSecret: string | null = null;
  readonly oidcRoles: readonly RoleRule[] = [];
  /** Secret from which all other keys are derived, at least 32 bytes of text; null: from the file in the data folder. */
  readonly secretKey: string | null = null;
  /** The previous secret, which is still accepted; null: from the file in the data folder, if it exists. */
  readonly secretKeyPrevious: string | null = null;
  /** A catalog file; null: the project's own. */
  readonly modelCatalog: string | null = null;
  /** A file that names the providers of hosted models; null: none. */
  readonly providers: string | null = null;
  /** A folder of encoder packs in addition to those of the data folder; null: none. */
  readonly modelsDir: string | null = null;
  /** A folder of installed engines in addition to those of the data folder; null: none. */
  readonly enginesDir: string | null = null;
  /** File of vLLM servers that generate with imported decoders; null: the torch engine generates. */
  readonly generationServers: string | null = null;
  /** Base address without a trailing slash. */
  readonly hubUrl: string = 'https://huggingface.co';
  /** Access token for gated and private models of the hub; null: only public models are pulled. */
  readonly hubToken: string | null = null;
  /** Origins of webhooks that may have private addresses or lack TLS. */
  readonly webhookOrigins: readonly string[] = [];
  /** Where checkpoints of the audit tree are posted. */
  readonly auditWitnesses: readonly AuditWitness[] = [];
  /** Where signed checkpoints are kept in addition; null: nowhere. */
  readonly auditCheckpoints: CheckpointAddress | null = null;
  /** The authority that stamps checkpoints with the time; null: none. */
  readonly auditTimestamps: TimestampAuthority | null = null;
  /** Command that signs checkpoints; null: a key made from the secret signs. */
  readonly auditSigningCommand: string | null = null;
  /** File with the public key of that command, in PEM. */
  readonly auditSigningKey: string | null = null;
  /** Where the system backs itself up; null: nowhere. */
  readonly backupTarget: ObjectStoreAddress | null = null;
  readonly backupEveryHours: number = 24;
  /** Days after which older backups are removed; null: all are kept. */
  readonly backupKeepDays: number | null = null;
  /** Where one copy of the keys of contents is kept; null: they are not copied. */
  readonly backupKeys: ObjectStoreAddress | null = null;
  /** Page where people add credits; null: the public address. */
  readonly billingUrl: string | null = null;
  /** Port of the metrics; null: no metrics are served. */
  readonly metricsPort: number | null = null;
  readonly metricsHost: string = '127.0.0.1';
  /** Unique name of this runner; null: derived from the host's name. */
  readonly runnerName: string | null = null;
  /** Minutes without progress after which the process of a training or evaluation is killed. */
  readonly attemptSilenceMinutes: number = 30;
  /** Evaluations that a runner runs at a time; null: as many as its machine has room for. */
  readonly evaluations: number | null = null;
  /** Maximum bytes of the torch engine's adapters in a runner's memory; the least recently used leave first. */
  readonly torchAdapterBytes: number = 1024 ** 3;
  /** Processes of the torch engine that train a model together, each on a GPU of its own if there are GPUs. */
  readonly torchProcesses: number = 1;
  /** Whether the torch engine gives the same bytes for the same rows, settings and seed on a GPU. */
  readonly torchDeterministic: boolean = true;
  readonly logLevel: LogLevel = 'info';
  readonly uploadMaxBytes: number = 5 * 1024 ** 3;
  readonly bodyMaxBytes: number = 16 * 1024 ** 2;
  readonly rateLimits: boolean = true;

  constructor(values: Partial<Settings> = {}) {
    Object.assign(this, values);
  }
}
