import { useState, type ReactElement } from 'react';
import { Button } from '../button.js';
import { Input } from '../field.js';
import { labelColour } from '../spans.js';
import type { Mark } from './marks.js';
import type { Action, EditorState } from './state.js';

interface Props {
  readonly state: EditorState;
  readonly dispatch: (action: Action) => void;
  readonly marks: readonly Mark[];
  readonly open: boolean;
}

/** A button, with its key, for each label that the chosen words can be given. */
export const Labels = ({ state, dispatch, marks, open }: Props): ReactElement => (
  <div className="flex flex-wrap items-end gap-3">
    <div role="group" aria-label="Labels" className="flex flex-wrap gap-1.5">
      {marks
        .filter(({ kind }) => kind !== 'class')
        .map((mark) => (
          <Button
            key={`${mark.kind} ${mark.kind === 'field' ? mark.structure : ''} ${mark.name}`}
            aria-keyshortcuts={mark.keys.join(' ')}
            style={mark.kind === 'entity' ? { backgroundColor: labelColour(mark.name) } : {}}
            onClick={() => dispatch({ type: 'mark', mark })}
          >
            {mark.kind === 'field' && <span className="text-muted">{mark.structure}</span>}
            {mark.name}
            {mark.kind === 'relation' && (state.picked?.type === mark.name ? ': tail' : ': head')}
            {mark.keys[0] && <kbd className="text-xs">{mark.keys.join(' ')}</kbd>}
          </Button>
        ))}
    </div>
    {open && <AnotherLabel onAdd={(name) => dispatch({ type: 'add-label', name })} />}
  </div>
);

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
