import { useId, type ReactElement } from 'react';
import { marksOf } from './marks.js';
import type { Action, EditorState } from './state.js';

interface Props {
  readonly state: EditorState;
  readonly dispatch: (action: Action) => void;
}

/** The classes of the text: one of each task, or several where it may have several. */
export function Classes({ state, dispatch }: Props): ReactElement {
  const id = useId();
  const marks = marksOf(state.scheme);
  return (
    <>
      {state.scheme.tasks.map(({ name: task, labels, multiple }) => (
        <fieldset key={task} className="flex max-h-60 flex-wrap gap-x-4 gap-y-1 overflow-y-auto">
          <legend className="text-sm text-muted">{task}</legend>
          {labels.map((label) => {
            const mark = marks.find((each) => each.kind === 'class' && each.task === task && each.name === label)!;
            return (
              <label key={label} className="flex items-center gap-1.5 text-sm">
                <input
                  type={multiple ? 'checkbox' : 'radio'}
                  name={`${id} ${task}`}

                  checked={state.annotation.classes[task]?.includes(label) ?? false}
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
