import * as addresses from './addresses.js';
import type { Settings } from './settings.js';
import * as values from './values.js';

interface Setting<Field extends keyof Settings = keyof Settings> {
  /** The environment variable. */
  readonly name: string;
  readonly field: Field;
  readonly parse: values.Parse<Settings[Field]>;
  /** The default, as the documentation prints it. */
  readonly default: string;
  readonly meaning: string;
}

/** Every setting, in the order in which people meet them. */
export const SETTINGS: readonly Setting[] = [
  setting(
    'PORT',
    'port',
    values.port,
    '8080; workers and runners: none',
    'The port the API listens on; 0 takes any free one. Workers and runners answer /health there.',
  ),
  setting('HOST', 'host', values.text, '127.0.0.1', 'The address it listens on; 0.0.0.0 for all of the machine.'),
  setting(
    'ANNEAL_DATA_DIR',
    'dataDir',
    values.text,
    '.anneal',
    'The folder that holds everything that no address below puts elsewhere: log, objects, key.',
  ),
  setting(
    'ANNEAL_EVENT_STORE',
    'eventStore',
    addresses.eventStoreAddress,
    '`sqlite:` the data folder',
    'Where the event log is: `esdb://HOST:2113?tls=true` (EventStoreDB) or `sqlite:FOLDER`.',
  ),
  setting(
    'ANNEAL_READ_STORE',
    'readStore',
    addresses.documentAddress,
    '`sqlite:` `read` in the data folder',
    'Where the read models are: `mongodb://HOST:27017/DATABASE` or `sqlite:FOLDER`.',
  ),
  setting(
    'ANNEAL_COORDINATION',
    'coordination',
    addresses.documentAddress,
    'as the read store',
    'Where sessions, limits and leases are: `mongodb://HOST:27017/DATABASE` or `sqlite:FOLDER`.',
  ),
  setting(
    'ANNEAL_CONTENT_KEYS',
    'contentKeys',
    addresses.documentAddress,
    '`sqlite:` `keys` in the data folder, or the database of coordination',
    'Where the [keys of contents](erasure.md#keys) are, apart from all backups: `mongodb://HOST:27017/DATABASE` or `sqlite:FOLDER`.',
  ),
  setting(
    'ANNEAL_BUS',
    'bus',
    addresses.busAddress,
    '`in-process`',
    'What joins the processes: `nats://HOST:4222` (with JetStream) or `in-process`.',
  ),
  setting(
    'ANNEAL_OBJECT_STORE',
    'objectStore',
    addresses.objectStoreAddress,
    '`file:` `objects` in the data folder',
    'Where uploads and weights are: `s3://BUCKET/PREFIX?region=...` or `file:FOLDER`.',
  ),
  setting(
    'ANNEAL_PUBLIC_URL',
    'publicUrl',
    values.publicUrl,
    'the address listened on',
    'The address by which clients reach the API; links and upload addresses begin with it.',
  ),
  setting(
    'ANNEAL_TRUSTED_PROXIES',
    'trustedProxies',
    values.proxies,
    'none',
    "Proxies before the API, whose `X-Forwarded-For` tells the client's address: addresses, `ADDRESS/BITS`, `loopback`, `uniquelocal` (private networks), between commas.",
  ),
  setting(
    'ANNEAL_CORS_ORIGINS',
    'corsOrigins',
    values.corsOrigins,
    'none',
    'Origins whose web pages may call the API, between commas (`https://app.example.com`), or `*` for all, without cookies.',
  ),
  setting(
    'ANNEAL_DURABILITY',
    'durability',
    values.oneOf('full', 'normal'),
    'full',
    '`full` syncs each commit before it is acknowledged; `normal` may lose the last moments in a power cut.',
  ),
  setting(
    'ANNEAL_CALL_CONTENTS',
    'callContents',
    values.oneOf('plain', 'encrypted'),
    '`encrypted` for a new log; an older one goes on as it began',
    '`encrypted`: what calls said is stored under a key for each call, and rows under one for each dataset version, so that they can be [erased](erasure.md). A setting wins over how the log began.',
  ),
  setting(
    'ANNEAL_RETENTION_FLOOR_DAYS',
    'retentionFloorDays',
    values.days,
    '184',
    'Days that calls are kept at least: workspaces cannot set a shorter [retention](retention.md).',
  ),
  setting(
    'ANNEAL_RETENTION_CEILING_DAYS',
    'retentionCeilingDays',
    values.days,
    'none',
    'Days after which contents are erased, whatever a workspace sets. It is not below the floor.',
  ),
  setting(
    'ANNEAL_BOOTSTRAP_API_KEY',
    'bootstrapApiKey',
    values.apiKey,
    'none',
    'An API key (`pio_sk_...`) that the first user is given at start, for scripts.',
  ),
  setting('ANNEAL_ADMIN_EMAIL', 'adminEmail', values.email, 'admin@localhost', "The first user's e-mail address."),
  setting(
    'ANNEAL_ADMIN_PASSWORD',
    'adminPassword',
    values.password,
    'none: a one-time link is printed',
    "The first user's password.",
  ),
  setting('ANNEAL_OIDC_ISSUER', 'oidcIssuer', values.issuer, 'none', 'The OpenID provider that people sign in with.'),
  setting('ANNEAL_OIDC_CLIENT_ID', 'oidcClientId', values.text, 'none', 'As the provider knows this installation.'),
  setting('ANNEAL_OIDC_CLIENT_SECRET', 'oidcClientSecret', values.text, 'none', "The client's secret at the provider."),
  setting(
    'ANNEAL_OIDC_ROLES',
    'oidcRoles',
    values.roleRules,
    'none: who signs in was invited before',
    'Roles in the first workspace by claims of the provider: `groups:ml-team=developer, groups:audit=auditor`.',
  ),
  setting(
    'ANNEAL_SECRET_KEY',
    'secretKey',
    values.secretKey,
    '`secret.key` in the data folder, made at first start',
    'Required with any address of a server. What signatures, key hashes and sessions are derived from. Whoever has it can forge them; without it all keys end.',
  ),
  setting(
    'ANNEAL_SECRET_KEY_PREVIOUS',
    'secretKeyPrevious',
    values.secretKey,
    '`secret.key.previous` in the data folder, if it is there',
    'The secret before, while a system goes over to another one: what was made under it is accepted, and moved to the new one.',
  ),
  setting(
    'ANNEAL_MODEL_CATALOG',
    'modelCatalog',
    values.text,
    'the one that comes with the project',
    'A file with the models that are offered, in the shape of `libs/model-catalog/catalog.json`.',
  ),
  setting(
    'ANNEAL_PROVIDERS',
    'providers',
    values.text,
    'none',
    'A file that says which providers of hosted models there are, their addresses, and where their keys are.',
  ),
  setting(
    'ANNEAL_MODELS_DIR',
    'modelsDir',
    values.text,
    'none',
    'A folder of encoder packs, looked at after `models` in the data folder; nothing is written to it.',
  ),
  setting(
    'ANNEAL_ENGINES_DIR',
    'enginesDir',
    values.text,
    'none',
    'A folder of installed engines, looked at after `engines` in the data folder; nothing is written to it.',
  ),
  setting(
    'ANNEAL_GENERATION_SERVERS',
    'generationServers',
    values.text,
    'none',
    'A file that names servers (vLLM) that generate with imported decoders and adapters on them, in place of the torch engine. For runners.',
  ),
  setting(
    'ANNEAL_HUB_URL',
    'hubUrl',
    values.publicUrl,
    'https://huggingface.co',
    'The hub that datasets are pushed to and pulled from, and that encoder packs and models come from.',
  ),
  setting(
    'ANNEAL_HUB_TOKEN',
    'hubToken',
    values.text,
    'none',
    'A token of an account of the hub, with which `npx anneal models pull` fetches gated and private models. It is sent nowhere else.',
  ),
  setting(
    'ANNEAL_WEBHOOK_ORIGINS',
    'webhookOrigins',
    values.webOrigins,
    'none',
    'Origins of webhooks that may have private addresses or lack TLS, between commas (`http://hooks.internal:9000`).',
  ),
  setting(
    'ANNEAL_AUDIT_WITNESSES',
    'auditWitnesses',
    values.witnesses,
    'none',
    'Where signed checkpoints of the [audit tree](audit.md#witnesses) are posted, between commas; with the key of a witness behind a space, if it cosigns.',
  ),
  setting(
    'ANNEAL_BILLING_URL',
    'billingUrl',
    values.publicUrl,
    'the public address',
    'Where people add credits: the `resolution_url` of errors about money.',
  ),
  setting(
    'ANNEAL_METRICS_PORT',
    'metricsPort',
    values.port,
    'off',
    'A port that serves metrics for Prometheus at /metrics.',
  ),
  setting('ANNEAL_METRICS_HOST', 'metricsHost', values.text, '127.0.0.1', 'The address it is served on.'),
  setting(
    'ANNEAL_RUNNER_NAME',
    'runnerName',
    values.runnerName,
    "made of the host's name",
    'The name of a runner, which no other one has.',
  ),
  setting(
    'ANNEAL_ATTEMPT_SILENCE_MINUTES',
    'attemptSilenceMinutes',
    values.minutes,
    '30',
    'A training or evaluation whose process makes no progress for so long is ended, and continues in a new one.',
  ),
  setting(
    'ANNEAL_TORCH_ADAPTER_BYTES',
    'torchAdapterBytes',
    values.bytes,
    '1073741824',
    'Adapters of the torch engine that a runner keeps in memory (1 GiB).',
  ),
  setting(
    'ANNEAL_TORCH_PROCESSES',
    'torchProcesses',
    values.processes,
    '1',
    'Processes of the torch engine that train one model together. With GPUs, no more than there are.',
  ),
  setting(
    'ANNEAL_LOG_LEVEL',
    'logLevel',
    values.oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'info',
    'The least important log lines that are written.',
  ),
  setting('ANNEAL_UPLOAD_MAX_BYTES', 'uploadMaxBytes', values.bytes, '5368709120', 'The largest upload (5 GiB).'),
  setting('ANNEAL_BODY_MAX_BYTES', 'bodyMaxBytes', values.bytes, '16777216', 'The largest JSON body (16 MiB).'),
  setting(
    'ANNEAL_RATE_LIMITS',
    'rateLimits',
    values.onOrOff,
    'on',
    '`off` lifts the limits on calls per minute; sign-in attempts stay limited.',
  ),
];

function setting<Field extends keyof Settings>(
  name: string,
  field: Field,
  parse: values.Parse<NonNullable<Settings[Field]>>,
  byDefault: string,
  meaning: string,
): Setting {
  return { name, field, parse, default: byDefault, meaning };
}
