import type { ImportedModel } from './folders.js';
import { readGliner2Config } from './gliner2-config.js';
import { ImportError } from './import-error.js';
import type { ModelFacts } from './inspect.js';

/** Whether this is a GLiNER2 model that needs no torch engine. */
export function isServedGliner2({ folder, manifest }: ImportedModel): boolean {
  if (manifest.kind !== 'anneal-encoder' || !manifest.isGliner2) return false;
  try {
    requireServed(folder, manifest);
    return true;
  } catch (error) {
    if (error instanceof ImportError) return false;
    throw error;
  }
}

/** @throws ImportError for a GLiNER2 model that only the torch engine runs */
export function requireServed(folder: string, facts: ModelFacts): void {
  if (facts.kind === 'anneal-encoder' && facts.isGliner2) readGliner2Config(folder);
}
