import { readFileSync } from 'node:fs';
import { Settings } from './settings.js';
import { SETTINGS } from './table.js';
import { SettingsError } from './values.js';

/** Settings that may hold a secret: with `_FILE` behind the name, the variable names a file with the value. */
const MAY_BE_IN_FILE = new Set([
  ...['ANNEAL_SECRET_KEY', 'ANNEAL_SECRET_KEY_PREVIOUS', 'ANNEAL_ADMIN_PASSWORD', 'ANNEAL_BOOTSTRAP_API_KEY'],
  ...['ANNEAL_OIDC_CLIENT_SECRET', 'ANNEAL_HUB_TOKEN', 'ANNEAL_EVENT_STORE', 'ANNEAL_READ_STORE'],
  ...['ANNEAL_COORDINATION', 'ANNEAL_CONTENT_KEYS', 'ANNEAL_BUS'],
]);

/**
 * The settings in an environment; unset or empty ones have their defaults.
 * @throws SettingsError naming the first bad setting, the mistake and the fix
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const given: { -readonly [Field in keyof Settings]?: Settings[Field] } = {};
  for (const { name, field, parse } of SETTINGS) {
    const value = valueOf(name, env);
    if (value) Object.assign(given, { [field]: parse(name, value) });
  }
  if (given.adminPassword !== undefined && given.adminEmail === undefined)
    throw new SettingsError('ANNEAL_ADMIN_EMAIL', 'is not set, but ANNEAL_ADMIN_PASSWORD is; set both');
  const shared = [
    given.eventStore,
    given.readStore,
    given.coordination,
    given.contentKeys,
    given.bus,
    given.objectStore,
  ];
  if (given.secretKey === undefined && shared.some((address) => address && 'address' in address))
    throw new SettingsError(
      'ANNEAL_SECRET_KEY',
      'is not set, but a server is; all processes need the same one, of at least 32 random characters (openssl rand -hex 32)',
    );
  if (given.secretKeyPrevious !== undefined && given.secretKey === undefined)
    throw new SettingsError('ANNEAL_SECRET_KEY', 'is not set, but ANNEAL_SECRET_KEY_PREVIOUS is; set both');
  if (given.backupKeys && !given.backupTarget)
    throw new SettingsError('ANNEAL_BACKUP_TARGET', 'is not set, but ANNEAL_BACKUP_KEYS is; set both');
  const oidc = {
    ANNEAL_OIDC_ISSUER: given.oidcIssuer,
    ANNEAL_OIDC_CLIENT_ID: given.oidcClientId,
    ANNEAL_OIDC_CLIENT_SECRET: given.oidcClientSecret,
  };
  const missing = Object.entries(oidc).filter(([, value]) => value === undefined);
  if (missing.length === 1 || missing.length === 2 || (missing.length > 0 && given.oidcRoles))
    throw new SettingsError(
      missing[0]![0],
      'is not set, but another setting of ANNEAL_OIDC_ is; set all three of issuer, client id and client secret',
    );
  return new Settings(given);
}

/** @throws SettingsError when its file cannot be read, or both are given */
function valueOf(name: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const value = env[name]?.trim();
  const file = MAY_BE_IN_FILE.has(name) ? env[`${name}_FILE`]?.trim() : undefined;
  if (!file) return value;
  if (value) throw new SettingsError(`${name}_FILE`, `is set, and so is ${name}; set one of them`);
  try {
    const read = readFileSync(file, 'utf8').trim();
    if (read !== '') return read;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(
      `${name}_FILE`,
      `names a file that cannot be read (${code}); give the path of one with the value`,
    );
  }
  throw new SettingsError(`${name}_FILE`, 'names a file that is empty; write the value into it');
}
