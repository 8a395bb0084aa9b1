import { Settings } from './settings.js';
import { SETTINGS } from './table.js';
import { SettingsError } from './values.js';

/**
 * The settings in an environment; unset or empty ones have their defaults.
 * @throws SettingsError naming the first bad setting, the mistake and the fix
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const given: { -readonly [Field in keyof Settings]?: Settings[Field] } = {};
  for (const { name, field, parse } of SETTINGS) {
    const value = env[name]?.trim();
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
