import { Settings } from './settings.js';
import { SETTINGS } from './table.js';
import { SettingsError } from './values.js';

/**
 * The settings in an environment; what is unset or empty has its default.
 * @throws SettingsError naming the first bad setting, what is wrong with it and the fix
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const given: Partial<Record<keyof Settings, unknown>> = {};
  for (const { name, field, parse } of SETTINGS) {
    const value = env[name]?.trim();
    if (value) given[field] = parse(name, value);
  }
  if (given.adminPassword !== undefined && given.adminEmail === undefined)
    throw new SettingsError('ANNEAL_ADMIN_EMAIL', 'is not set, but ANNEAL_ADMIN_PASSWORD is; set both');
  return new Settings(given as Partial<Settings>);
}
