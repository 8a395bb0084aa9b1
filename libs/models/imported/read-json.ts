import { readFileSync } from 'node:fs';
import { ImportError } from './import-error.js';

export type Config = Readonly<Record<string, unknown>>;

/** @throws ImportError */
export function readJson(path: string): Config {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value === 'object' && value !== null) return value as Config;
  } catch (error) {
    throw new ImportError(`${path} cannot be read: ${(error as Error).message}`);
  }
  throw new ImportError(`${path} must hold an object`);
}

/**
 * The configuration of a model.
 * @throws ImportError also if it requires its own code
 */
export function readConfig(path: string): Config {
  const config = readJson(path);
  if ('auto_map' in config)
    throw new ImportError(`${path} asks for code of the model's own (auto_map), which is never run`);
  return config;
}

/** A number of a configuration, above 0 if it is not the id of a token. @throws ImportError */
export function wholeNumber(path: string, config: Config, field: string, otherwise: number): number {
  const value = config[field] ?? otherwise;
  const least = field.endsWith('_id') ? 0 : 1;
  if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
  throw new ImportError(`${path}: ${field} must be a whole number ${least === 0 ? 'of at least 0' : 'above 0'}`);
}
