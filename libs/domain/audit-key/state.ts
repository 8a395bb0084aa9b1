import type { AuditKeyEvent } from './events.js';

export interface AuditKeyState {
  /** All keys so far, the newest last. */
  readonly keys: readonly { readonly verifier: string; readonly number: number }[];
  /** Public keys that archives of models were signed with, as PEM, the newest last. */
  readonly modelKeys: readonly string[];
  /** Number of the tree in use. */
  readonly tree: number;
  /** Whether a checkpoint of this tree was signed. */
  readonly isBegun: boolean;
}

export const INITIAL: AuditKeyState = { keys: [], modelKeys: [], tree: 1, isBegun: false };

export function evolve(state: AuditKeyState, { type, data }: AuditKeyEvent): AuditKeyState {
  switch (type) {
    case 'audit-key-made.v1': {
      const { verifier, number } = data;
      return { ...state, keys: [...state.keys, { verifier, number }] };
    }
    case 'model-key-made.v1':
      return { ...state, modelKeys: [...state.modelKeys, data.publicKey] };
    case 'audit-tree-begun.v1':
      return { ...state, isBegun: true };
    case 'audit-tree-restarted.v1':
      return { ...state, tree: data.tree, isBegun: false };
  }
}
