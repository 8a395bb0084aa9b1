import { SETTINGS, Settings } from '#settings/index.js';

export interface SettingInForce {
  readonly name: string;
  /** Of a secret, whether it is set; null: unset. */
  readonly value: string | null;
  /** Whether it differs from the default. */
  readonly is_set: boolean;
  /** As the documentation prints it. */
  readonly default: string;
  readonly meaning: string;
}

type Shown = 'value' | 'secret' | 'adapter';

/** The part of each setting that is shown: its value; whether it is set; or, of an address that may hold a password, its adapter. */
const SHOWN: Readonly<Record<keyof Settings, Shown>> = {
  port: 'value',
  host: 'value',
  dataDir: 'value',
  eventStore: 'adapter',
  readStore: 'adapter',
  coordination: 'adapter',
  contentKeys: 'adapter',
  bus: 'adapter',
  objectStore: 'adapter',
  publicUrl: 'value',
  trustedProxies: 'value',
  corsOrigins: 'value',
  durability: 'value',
  callContents: 'value',
  callInlineBytes: 'value',
  bootstrapApiKey: 'secret',
  adminEmail: 'value',
  adminPassword: 'secret',
  oidcIssuer: 'value',
  oidcClientId: 'value',
  oidcClientSecret: 'secret',
  oidcRoles: 'value',
  secretKey: 'secret',
  secretKeyPrevious: 'secret',
  modelCatalog: 'value',
  providers: 'value',
  modelsDir: 'value',
  enginesDir: 'value',
  generationServers: 'value',
  hubUrl: 'value',
  hubToken: 'secret',
  webhookOrigins: 'value',
  billingUrl: 'value',
  metricsPort: 'value',
  metricsHost: 'value',
  runnerName: 'value',
  attemptSilenceMinutes: 'value',
  evaluations: 'value',
  torchAdapterBytes: 'value',
  torchProcesses: 'value',
  torchDeterministic: 'value',
  logLevel: 'value',
  uploadMaxBytes: 'value',
  bodyMaxBytes: 'value',
  rateLimits: 'value',
  retentionFloorDays: 'value',
  retentionCeilingDays: 'value',
  auditWitnesses: 'value',
  auditCheckpoints: 'adapter',
  auditTimestamps: 'value',
  auditSigningCommand: 'secret',
  auditSigningKey: 'value',
  backupTarget: 'adapter',
  backupEveryHours: 'value',
  backupKeepDays: 'value',
  backupKeys: 'adapter',
};

const DEFAULTS = new Settings();

/** The settings that this process runs with, in the order of docs/reference/settings.md, without a secret. */
export const settingsInForce = (settings: Settings): readonly SettingInForce[] =>
  SETTINGS.map(({ name, field, meaning, default: byDefault }) => {
    const value = settings[field];
    return {
      name,
      value: shown(SHOWN[field], value),
      is_set: JSON.stringify(value) !== JSON.stringify(DEFAULTS[field]),
      default: byDefault,
      meaning,
    };
  });

function shown(what: Shown, value: Settings[keyof Settings]): string | null {
  if (value === null) return null;
  if (what === 'secret') return '(secret)';
  if (what === 'adapter') return adapterOf(value as object);
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  // An address of a server may name a password too.
  return text.replaceAll(/(?<=:\/\/)[^/@\s"]*@/g, '');
}

const adapterOf = (address: object): string => String(Object.values(address)[0]);
