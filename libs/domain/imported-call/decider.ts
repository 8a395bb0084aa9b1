import type { CommandsOf, Decider, Env } from '../decider.js';
import { ConflictError } from '../errors.js';
import { IMPORTED_CALL_EVENT_TYPES, type ImportedCall, type ImportedCallEvent } from './events.js';
import { evolve, type ImportedCallState } from './state.js';

export type ImportedCallCommand = CommandsOf<{ 'import-call': ImportedCall }>;

/** A call of another system, imported once. */
export const importedCallDecider: Decider<ImportedCallCommand, ImportedCallEvent, ImportedCallState> = {
  category: 'imported',
  eventTypes: IMPORTED_CALL_EVENT_TYPES,
  initial: null,
  decide,
  evolve,
};

function decide(
  { type: _, ...call }: ImportedCallCommand,
  state: ImportedCallState,
  env: Env,
): readonly ImportedCallEvent[] {
  if (state === null) return [{ type: 'inference-imported.v1', data: { ...call, importedAt: env.now } }];
  if (state.digest === call.digest) return [];
  throw new ConflictError(
    'was imported before with other content, and imported calls are not changed; give feedback on it instead',
  );
}
