import { createHash } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Application } from '#application/application.js';
import type { Provider } from '#calls/hosted/providers.js';
import { printable } from '#domain/printable.js';
import { settingsDecider, type FoundValue, type SettingsOf } from '#domain/settings/index.js';
import { systemContext } from '#log/context.js';
import { readCatalog } from '#models/catalog/read.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { SETTINGS, type Settings } from '#settings/index.js';
import { settingsInForce } from './settings-in-force.js';

/** Characters of a value; of a longer one, the event has the beginning and a hash. */
const MAX_VALUE = 200;
const MAX_USER = 100;
/** Hexadecimal digits of a hash: enough to tell two values apart, too few to be sure of a guess. */
const HASH_DIGITS = 12;

interface Recording {
  readonly application: Pick<Application, 'execute'>;
  readonly secret: SecretKey;
}

/** Records which settings of a role are not as they were when a process of it started last. @throws UnavailableError */
export const recordSettings = (recording: Recording, settings: Settings, role: Exclude<SettingsOf, 'catalog'>) =>
  record(recording, role, role, settingValues(settings, recording.secret));

/** Records what differs in the files of models, prices and providers since they were last taken. @throws UnavailableError, CatalogError */
export const recordCatalog = (
  recording: Recording,
  { modelCatalog }: Pick<Settings, 'modelCatalog'>,
  providers: ReadonlyMap<string, Provider>,
) =>
  record(recording, 'catalog', 'model-files', [
    ...(modelCatalog === null ? [] : modelValues(modelCatalog)),
    ...[...providers.values()].flatMap((provider) => providerValues(provider, recording.secret)),
  ]);

async function record({ application }: Recording, of: SettingsOf, role: string, found: readonly FoundValue[]) {
  const by = osUser();
  const context = { ...systemContext(role, null), ...(by !== null && { by }) };
  await application.execute(settingsDecider, of, { type: 'record-values', of, found }, context);
}

/** null in a container that has no name for its user. */
function osUser(): string | null {
  try {
    return printable(userInfo().username.slice(0, MAX_USER));
  } catch {
    return null;
  }
}

/** The secret itself is recorded by `log-secret-bound`. */
const BOUND_ELSEWHERE = new Set(['secretKey', 'secretKeyPrevious']);
/** Whatever may hold a secret is recorded as its operator sees it, and compared by a hash; so is what names a person. */
const PERSONAL = new Set(['adminEmail']);

function settingValues(settings: Settings, secret: SecretKey): FoundValue[] {
  const shown = new Map(settingsInForce(settings).map((each) => [each.name, each]));
  return SETTINGS.flatMap(({ name, field }) => {
    const { value, is_set } = shown.get(name)!;
    if (!is_set || value === null || BOUND_ELSEWHERE.has(field)) return [];
    const whole = settings[field];
    const text = typeof whole === 'object' ? JSON.stringify(whole) : String(whole);
    return [safe(name, PERSONAL.has(field) ? '(personal)' : withoutQueries(value), text, secret)];
  });
}

/** A value as it is shown, with a keyed hash of the whole where that is not all of it. */
function safe(name: string, shown: string, whole: string, secret: SecretKey): FoundValue {
  if (shown === whole) return { name, value: short(whole) };
  const [value, ...alike] = secret
    .macs('settings', `${name} ${whole}`)
    .map((mac) => `${short(shown)} #${mac.slice(0, HASH_DIGITS)}`);
  return { name, value: value!, alike };
}

/** An address may have a token in its query, or a password. */
const withoutQueries = (text: string): string =>
  text.replaceAll(/(?<=:\/\/[^\s"]*)\?[^\s",]*/g, '?…').replaceAll(/(?<=:\/\/)[^/@\s"]*@/g, '');

const short = (text: string): string =>
  text.length <= MAX_VALUE
    ? text
    : `${text.slice(0, MAX_VALUE)}… #${createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS)}`;

/** The fields that say something of each model, with its aliases. */
function modelValues(path: string): FoundValue[] {
  const catalog = readCatalog(path);
  return catalog.entries.flatMap((entry) => {
    const { id, ...fields } = entry;
    const aliases = catalog.namesOf(entry).filter((name) => name !== id);
    return valuesOf(`model ${id}`, { ...fields, aliases });
  });
}

/** All of a provider but its key and headers, which are hashed. */
function providerValues(
  { name, key, headers, allowed, baseUrl, ...fields }: Provider,
  secret: SecretKey,
): FoundValue[] {
  const of = `provider ${name}`;
  return [
    safe(`${of} baseUrl`, withoutQueries(baseUrl), baseUrl, secret),
    ...(key === null ? [] : [safe(`${of} key`, '(secret)', key, secret)]),
    ...Object.entries(headers).map(([header, value]) => safe(`${of} header ${header}`, '(secret)', value, secret)),
    ...valuesOf(of, { ...fields, allowedFields: [...allowed.fields], allowedSchemes: [...allowed.schemes] }),
  ];
}

/** `false`, null and empty lists say nothing. */
function valuesOf(of: string, fields: object): FoundValue[] {
  return Object.entries(fields).flatMap(([field, value]: [string, unknown]) =>
    value === null || value === false || value === undefined || (Array.isArray(value) && value.length === 0)
      ? []
      : [{ name: `${of} ${field}`, value: short(typeof value === 'string' ? value : JSON.stringify(value)) }],
  );
}
