import { useState, type KeyboardEvent, type ReactElement } from 'react';
import { Button } from '../button.js';
import { Input } from '../field.js';
import { coloursOf } from '../label-colours.js';
import { number } from '../values.js';
import { FEW, type Mark } from './marks.js';
import type { Action, EditorState } from './state.js';

interface Props {
  readonly state: EditorState;
  readonly dispatch: (action: Action) => void;
  readonly marks: readonly Mark[];
  readonly open: boolean;
}

/** A button, with its key, for each label that the chosen words can be given. */
export function Labels({ state, dispatch, marks, open }: Props): ReactElement {
  const [wanted, setWanted] = useState('');
  const all = marks.filter(({ kind }) => kind !== 'class');
  const shown = all.filter(({ name }) => name.toLowerCase().includes(wanted.trim().toLowerCase()));
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || wanted.trim() === '' || !shown[0]) return;
    event.preventDefault();
    dispatch({ type: 'mark', mark: shown[0] });
    setWanted('');
  };
  return (
    <div className="flex flex-wrap items-end gap-3">
      {all.length > FEW && (
        <Input
          label={`Find one of ${number(all.length)} labels`}
          hint="Enter takes the first one that is shown."
          value={wanted}
          onChange={({ target }) => setWanted(target.value)}
          onKeyDown={onKeyDown}
        />
      )}
      <div
        role="group"
        aria-label="Labels"
        className={`flex flex-wrap gap-1.5 ${all.length > FEW ? 'max-h-40 overflow-y-auto' : ''}`}
      >
        {shown.map((mark) => (
          <Button
            key={`${mark.kind} ${mark.kind === 'field' ? mark.structure : ''} ${mark.name}`}
            className="max-w-full"
            aria-keyshortcuts={mark.keys.join(' ')}
            style={mark.kind === 'entity' ? { backgroundColor: coloursOf(mark.name).tint } : {}}
            onClick={() => dispatch({ type: 'mark', mark })}
          >
            {mark.kind === 'field' && <span className="text-muted">{mark.structure}</span>}
            {mark.name}
            {mark.kind === 'relation' && (state.picked?.type === mark.name ? ': tail' : ': head')}
            {mark.keys[0] && <kbd className="text-xs">{mark.keys.join(' ')}</kbd>}
          </Button>
        ))}
        {shown.length === 0 && all.length > 0 && <p className="text-sm text-muted">No label is called that.</p>}
      </div>
      {open && <AnotherLabel onAdd={(name) => dispatch({ type: 'add-label', name })} />}
    </div>
  );
}

function AnotherLabel({ onAdd }: { readonly onAdd: (name: string) => void }): ReactElement {
  const [name, setName] = useState('');
  return (
    <form
      className="flex items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onAdd(name);
        setName('');
      }}
    >
      <Input label="Another label" value={name} onChange={({ target }) => setName(target.value)} />
      <Button type="submit" disabled={name.trim() === ''}>
        Add
      </Button>
    </form>
  );
}
