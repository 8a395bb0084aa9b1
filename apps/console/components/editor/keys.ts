import type { Mark } from './marks.js';
import { selectionOf, type Action, type EditorState } from './state.js';

/** A key as reported by the browser. */
export interface Press {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** The action of a key in the text; null for a key that is not the editor's. */
export function actionOf(press: Press, state: EditorState, marks: readonly Mark[]): Action | null {
  const { key, shiftKey: extend, altKey } = press;
  const command = commandOf(press);
  if (command || altKey || press.ctrlKey || press.metaKey) return command;
  switch (key) {
    case 'ArrowRight':
      return { type: 'step', by: 1, extend };
    case 'ArrowLeft':
      return { type: 'step', by: -1, extend };
    case 'Home':
      return { type: 'go', to: 0, extend };
    case 'End':
      return { type: 'go', to: state.tokens.length - 1, extend };
    case 'Enter':
      return { type: 'choose-here' };
    case 'Delete':
    case 'Backspace':
      return { type: 'remove' };
    case 'Escape':
      return isBusy(state) ? { type: 'escape' } : null;
    case '+':
      return newRecord(state);
    default: {
      const mark = marks.find(({ keys }) => keys.includes(key.toLowerCase()));
      return mark && selectionOf(state) ? { type: 'mark', mark } : null;
    }
  }
}

/** Undo and redo, which hold in the whole editor. */
export function commandOf({ key, shiftKey, ctrlKey, metaKey, altKey }: Press): Action | null {
  if (altKey || !(ctrlKey || metaKey)) return null;
  const letter = key.toLowerCase();
  if (letter === 'z') return { type: shiftKey ? 'redo' : 'undo' };
  return letter === 'y' ? { type: 'redo' } : null;
}

/** Whether Escape has something to cancel; otherwise it closes the dialog around the editor. */
const isBusy = ({ picked, chosen, anchor, focus }: EditorState): boolean =>
  picked !== null || chosen !== null || anchor !== focus;

function newRecord({ scheme, annotation, record }: EditorState): Action | null {
  const structure = (record !== null && annotation.records[record]?.structure) || scheme.structures[0]?.name;
  return structure ? { type: 'add-record', structure } : null;
}
