import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TREE_FORMAT } from '#audit/tree-files.js';
import { FORMAT as BACKUP_FORMAT } from '#backup/manifest.js';
import { LOG_FORMAT } from '#ports/event-store/sqlite/index.js';
import { READ_MODELS_FORMAT } from '#ports/read-store/sqlite/catalog.js';
import type { HealthSource } from '#primitives/health/health.js';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', '..', 'package.json'), 'utf8')) as {
  readonly version: string;
};

/** This release: its version (https://semver.org) and the formats of what it stores, by which upgrades are planned. */
export const RELEASE = {
  version,
  formats: { log: LOG_FORMAT, tree: TREE_FORMAT, read_models: READ_MODELS_FORMAT, backup: BACKUP_FORMAT },
} as const;

/** The release in `/health`. */
export const releaseHealth: HealthSource = {
  name: 'release',
  check: () => Promise.resolve({ status: 'up', details: RELEASE }),
};

/** What `npx anneal --version` prints: `0.1.0 (log 5, tree 1, read models 1, backup 1)`. */
export const releaseLine = (): string => {
  const formats = Object.entries(RELEASE.formats).map(([name, format]) => `${name.replace('_', ' ')} ${format}`);
  return `${version} (${formats.join(', ')})`;
};
