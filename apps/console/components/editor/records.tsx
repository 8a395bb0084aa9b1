import type { ReactElement } from 'react';
import { Button } from '../button.js';
import { Select } from '../field.js';
import type { Field } from '../scheme/scheme.js';
import { replaced, type Entry } from './annotation.js';
import type { Action, EditorState } from './state.js';

interface Props {
  readonly state: EditorState;
  readonly dispatch: (action: Action) => void;
}

/** The records of each structure. Fields that are labelled in the text go to the record that is open. */
export const Records = ({ state, dispatch }: Props): ReactElement => (
  <>
    {state.scheme.structures.map(({ name, fields }) => (
      <section key={name} aria-label={`Records: ${name}`} className="grid gap-2">
        <div className="flex flex-wrap items-center gap-2">
          <span className="text-sm text-muted">{name}</span>
          <Button aria-keyshortcuts="+" onClick={() => dispatch({ type: 'add-record', structure: name })}>
            New {name} <kbd className="text-xs">+</kbd>
          </Button>
        </div>
        {state.annotation.records.map(
          (record, index) =>
            record.structure === name && (
              <OneRecord
                key={index}
                record={record}
                index={index}
                fields={fields}
                isOpen={index === state.record}
                dispatch={dispatch}
              />
            ),
        )}
      </section>
    ))}
  </>
);

interface OneProps extends Pick<Props, 'dispatch'> {
  readonly record: Entry;
  readonly index: number;
  readonly fields: readonly Field[];
  readonly isOpen: boolean;
}

function OneRecord({ record, index, fields, isOpen, dispatch }: OneProps): ReactElement {
  const title = `${record.structure} ${index + 1}`;
  return (
    <div className={`grid gap-2 rounded-md border p-2 text-sm ${isOpen ? 'border-accent' : 'border-line'}`}>
      <div className="flex flex-wrap items-center gap-2">
        <Button aria-pressed={isOpen} onClick={() => dispatch({ type: 'open-record', index })}>
          {isOpen ? `${title}: fields go here` : `Fill ${title}`}
        </Button>
        <Button aria-label={`Remove ${title}`} onClick={() => dispatch({ type: 'remove-record', index })}>
          Remove
        </Button>
      </div>
      <dl className="grid gap-1">
        {fields.map(({ name, choices }) => {
          const values = record.fields[name] ?? [];
          const set = (next: typeof values): void => dispatch({ type: 'set-field', index, field: name, values: next });
          return choices ? (
            <Select
              key={name}
              label={`${title}, ${name}`}
              value={values[0]?.text ?? ''}
              onChange={({ target }) => set(target.value ? [{ text: target.value }] : [])}
            >
              <option value="">none</option>
              {choices.map((choice) => (
                <option key={choice}>{choice}</option>
              ))}
            </Select>
          ) : (
            <div key={name} className="flex flex-wrap items-center gap-2">
              <dt className="text-muted">{name}</dt>
              {values.length === 0 && <dd className="text-muted">none</dd>}
              {values.map((value, at) => (
                <dd key={at} className="flex items-center gap-1 rounded bg-active pl-2">
                  {value.text}
                  <Button
                    kind="quiet"
                    aria-label={`Remove ${value.text} from ${title}, ${name}`}
                    onClick={() => set(replaced(values, at))}
                  >
                    ×
                  </Button>
                </dd>
              ))}
            </div>
          );
        })}
      </dl>
    </div>
  );
}
