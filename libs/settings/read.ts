import { readFileSync } from 'node:fs';
import { CommandError, printedBy } from './command.js';
import { Settings } from './settings.js';
import { SETTINGS } from './table.js';
import { SettingsError } from './values.js';

/**
 * Settings that may hold a secret. With `_FILE` behind the name, the variable names a file with the value; with `_COMMAND`, a command that
 * prints it.
 */
const MAY_BE_SECRET: ReadonlySet<string> = new Set([
  ...['ANNEAL_SECRET_KEY', 'ANNEAL_SECRET_KEY_PREVIOUS', 'ANNEAL_ADMIN_PASSWORD', 'ANNEAL_BOOTSTRAP_API_KEY'],
  ...['ANNEAL_OIDC_CLIENT_SECRET', 'ANNEAL_HUB_TOKEN', 'ANNEAL_EVENT_STORE', 'ANNEAL_READ_STORE'],
  ...['ANNEAL_COORDINATION', 'ANNEAL_CONTENT_KEYS', 'ANNEAL_BUS'],
  // Addresses that may have a token.
  ...['ANNEAL_AUDIT_CHECKPOINTS', 'ANNEAL_AUDIT_TIMESTAMPS', 'ANNEAL_AUDIT_WITNESSES'],
]);

/**
 * The settings in an environment; unset or empty ones have their defaults.
 * @throws SettingsError naming the first bad setting, the mistake and the fix
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const given: { -readonly [Field in keyof Settings]?: Settings[Field] } = {};
  for (const { name, field, parse } of SETTINGS) {
    const value = valueOf(name, env);
    if (value !== undefined) Object.assign(given, { [field]: parse(name, value) });
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

/** @throws SettingsError when its file or command gives none, or it is given twice */
function valueOf(name: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const names = MAY_BE_SECRET.has(name) ? [`${name}_COMMAND`, `${name}_FILE`, name] : [name];
  const [by, other] = names.filter((each) => env[each]?.trim());
  if (by === undefined) return undefined;
  if (other !== undefined) throw new SettingsError(by, `is set, and so is ${other}; set one of them`);
  const value = env[by]!.trim();
  if (by.endsWith('_COMMAND') && by !== name) return byCommand(by, value, env);
  return by === name ? value : inFile(by, value);
}

function byCommand(name: string, command: string, env: Readonly<Record<string, string | undefined>>): string {
  try {
    return printedBy(command, env);
  } catch (error) {
    if (error instanceof CommandError) throw new SettingsError(name, error.message);
    throw error;
  }
}

function inFile(name: string, file: string): string {
  try {
    const read = readFileSync(file, 'utf8').trim();
    if (read !== '') return read;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(name, `names a file that cannot be read (${code}); give the path of one with the value`);
  }
  throw new SettingsError(name, 'names a file that is empty; write the value into it');
}
