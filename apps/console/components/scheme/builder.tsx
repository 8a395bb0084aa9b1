import { useState, type ReactElement } from 'react';
import { Button } from '../button.js';
import { Check, Input } from '../field.js';
import type { Described, Field, Scheme, Structure, Task } from './scheme.js';

interface Props {
  readonly scheme: Scheme;
  readonly onChange: (scheme: Scheme) => void;
}

/** A form for the labels that a model is to find: entities, classes, records and relations. */
export function SchemeBuilder({ scheme, onChange }: Props): ReactElement {
  const { entities, tasks, structures, relations } = scheme;
  const change = (changes: Partial<Scheme>): void => onChange({ ...scheme, ...changes });
  return (
    <div className="grid gap-3">
      <DescribedNames
        label="Entities"
        placeholder="person, company, city"
        all={entities ?? []}
        onChange={(all) => change({ entities: all.length > 0 ? all : null })}
      />
      {tasks.map((task, index) => (
        <TaskFields
          key={index}
          number={index + 1}
          task={task}
          onChange={(next) => change({ tasks: spliced(tasks, index, next) })}
        />
      ))}
      {structures.map((structure, index) => (
        <StructureFields
          key={index}
          number={index + 1}
          structure={structure}
          onChange={(next) => change({ structures: spliced(structures, index, next) })}
        />
      ))}
      <DescribedNames
        label="Relations"
        placeholder="works_for"
        all={relations ?? []}
        onChange={(all) => change({ relations: all.length > 0 ? all : null })}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          onClick={() => change({ tasks: [...tasks, { name: nameFor('class', tasks), labels: [], multiple: false }] })}
        >
          Add classes
        </Button>
        <Button
          onClick={() =>
            change({
              structures: [
                ...structures,
                { name: nameFor('record', structures), fields: [{ name: 'field', isList: false }] },
              ],
            })
          }
        >
          Add a structure
        </Button>
      </div>
    </div>
  );
}

/** The list with an entry replaced, or removed if there is no replacement. */
const spliced = <T,>(list: readonly T[], index: number, next: T | null): readonly T[] =>
  next === null ? list.toSpliced(index, 1) : list.with(index, next);

const nameFor = (name: string, taken: readonly { readonly name: string }[]): string =>
  taken.some((each) => each.name === name) ? `${name}_${taken.length + 1}` : name;

const namesIn = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  ),
];

interface NamesProps {
  readonly label: string;
  readonly placeholder?: string;
  readonly names: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}

/** Names separated by commas. The typed text stays unchanged as long as it means the same names. */
function Names({ label, placeholder, names, onChange }: NamesProps): ReactElement {
  const [text, setText] = useState(names.join(', '));
  const shown = namesIn(text).join() === names.join() ? text : names.join(', ');
  return (
    <Input
      label={label}
      hint="Separated by commas."
      placeholder={placeholder}
      value={shown}
      onChange={({ target }) => {
        setText(target.value);
        onChange(namesIn(target.value));
      }}
    />
  );
}

interface DescribedProps {
  readonly label: string;
  readonly placeholder: string;
  readonly all: readonly Described[];
  readonly onChange: (all: readonly Described[]) => void;
}

function DescribedNames({ label, placeholder, all, onChange }: DescribedProps): ReactElement {
  // Existing descriptions are shown at once.
  const [isOpen] = useState(() => all.some(({ description }) => description));
  const rename = (names: readonly string[]): void =>
    onChange(names.map((name) => all.find((each) => each.name === name) ?? { name }));
  return (
    <div className="grid gap-2">
      <Names label={label} placeholder={placeholder} names={all.map(({ name }) => name)} onChange={rename} />
      {all.length > 0 && (
        <details className="text-sm" open={isOpen}>
          <summary>Descriptions (optional)</summary>
          <div className="mt-2 grid gap-2 border-l border-line pl-3">
            {all.map(({ name, description }, index) => (
              <Input
                key={name}
                label={`What ${name} means`}
                value={description ?? ''}
                onChange={({ target: { value } }) =>
                  onChange(all.with(index, { name, ...(value && { description: value }) }))
                }
              />
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

const FRAME = 'grid gap-2 rounded-md border border-line p-3';

interface TaskProps {
  readonly number: number;
  readonly task: Task;
  readonly onChange: (task: Task | null) => void;
}

const TaskFields = ({ number, task, onChange }: TaskProps): ReactElement => (
  <fieldset className={FRAME}>
    <legend className="px-1 text-sm text-muted">Classes {number}</legend>
    <Input
      label="Name of the question"
      value={task.name}
      onChange={({ target }) => onChange({ ...task, name: target.value })}
    />
    <Names
      label="Classes"
      placeholder="delivery, account"
      names={task.labels}
      onChange={(labels) => onChange({ ...task, labels })}
    />
    <Check label="Several at once" checked={task.multiple} onChange={(multiple) => onChange({ ...task, multiple })} />
    <Remove label={`Remove classes ${number}`} onClick={() => onChange(null)} />
  </fieldset>
);

interface StructureProps {
  readonly number: number;
  readonly structure: Structure;
  readonly onChange: (structure: Structure | null) => void;
}

function StructureFields({ number, structure, onChange }: StructureProps): ReactElement {
  const { name, fields } = structure;
  const set = (index: number, field: Field | null): void =>
    onChange({ ...structure, fields: spliced(fields, index, field) });
  return (
    <fieldset className={FRAME}>
      <legend className="px-1 text-sm text-muted">Structure {number}</legend>
      <Input
        label="Name of the structure"
        value={name}
        onChange={({ target }) => onChange({ ...structure, name: target.value })}
      />
      {fields.map((field, index) => (
        <div key={index} className="grid gap-2 border-l border-line pl-3">
          <Input
            label={`Field ${index + 1}`}
            value={field.name}
            onChange={({ target }) => set(index, { ...field, name: target.value })}
          />
          <Names
            label={`Only values of field ${index + 1} (optional)`}
            names={field.choices ?? []}
            onChange={(choices) => {
              const { choices: _choices, ...rest } = field;
              set(index, { ...rest, ...(choices.length > 0 && { choices }) });
            }}
          />
          <Check
            label={`Field ${index + 1} is a list`}
            checked={field.isList}
            onChange={(isList) => set(index, { ...field, isList })}
          />
          {fields.length > 1 && <Remove label={`Remove field ${index + 1}`} onClick={() => set(index, null)} />}
        </div>
      ))}
      <div className="flex flex-wrap gap-2">
        <Button
          onClick={() =>
            onChange({ ...structure, fields: [...fields, { name: nameFor('field', fields), isList: false }] })
          }
        >
          Add a field
        </Button>
        <Remove label={`Remove structure ${number}`} onClick={() => onChange(null)} />
      </div>
    </fieldset>
  );
}

const Remove = ({ label, onClick }: { readonly label: string; readonly onClick: () => void }): ReactElement => (
  <div>
    <Button onClick={onClick}>{label}</Button>
  </div>
);
