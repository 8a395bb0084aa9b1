import { useId, useState, type KeyboardEvent, type ReactElement } from 'react';
import { Input } from '../field.js';
import { FEW, marksOf } from './marks.js';
import type { Action, EditorState } from './state.js';

interface Props {
  readonly state: EditorState;
  readonly dispatch: (action: Action) => void;
}

/** The classes of the text: one of each task, or several where it may have several. */
export function Classes({ state, dispatch }: Props): ReactElement {
  const id = useId();
  const [wanted, setWanted] = useState('');
  const marks = marksOf(state.scheme);
  const isLong = state.scheme.tasks.some(({ labels }) => labels.length > FEW);
  const isWanted = (label: string): boolean => label.toLowerCase().includes(wanted.trim().toLowerCase());
  const isChosen = (task: string, label: string): boolean => state.annotation.classes[task]?.includes(label) ?? false;
  const onKeyDown = (event: KeyboardEvent): void => {
    const first = marks.find(({ kind, name }) => kind === 'class' && isWanted(name));
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || wanted.trim() === '' || !first) return;
    event.preventDefault();
    dispatch({ type: 'mark', mark: first });
    setWanted('');
  };
  return (
    <>
      {isLong && (
        <Input
          label="Find a class"
          hint="Enter takes the first one that is shown."
          value={wanted}
          onChange={({ target }) => setWanted(target.value)}
          onKeyDown={onKeyDown}
        />
      )}
      {state.scheme.tasks.map(({ name: task, labels, multiple }) => (
        <fieldset key={task} className="flex max-h-60 flex-wrap gap-x-4 gap-y-1 overflow-y-auto">
          <legend className="text-sm text-muted">{task}</legend>
          {labels
            .filter((label) => isWanted(label) || isChosen(task, label))
            .map((label) => {
              const mark = marks.find((each) => each.kind === 'class' && each.task === task && each.name === label)!;
              return (
                <label key={label} className="flex items-center gap-1.5 text-sm">
                  <input
                    type={multiple ? 'checkbox' : 'radio'}
                    name={`${id} ${task}`}
                    checked={isChosen(task, label)}
                    onChange={() => dispatch({ type: 'mark', mark })}
                  />
                  {label}
                  {mark.keys[0] && <kbd className="text-xs text-muted">{mark.keys.join(' ')}</kbd>}
                </label>
              );
            })}
        </fieldset>
      ))}
    </>
  );
}
