import { useEffect, useRef, useState, type ReactElement } from 'react';
import { Button } from './button.js';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface Props {
  /** The form's field that has each chosen value. */
  readonly name: string;
  readonly title: string;
  /** The choices of each group, by its heading. */
  readonly groups: readonly (readonly [heading: string, choices: readonly Choice[]])[];
  /** Values that are chosen at first. */
  readonly chosen: readonly string[];
}

/** Many boxes of one question: how many are ticked, all or none at once, and the boxes by group. */
export function Choices({ name, title, groups, chosen }: Props): ReactElement {
  const set = useRef<HTMLFieldSetElement>(null);
  const [count, setCount] = useState(chosen.length);
  const total = groups.reduce((sum, [, choices]) => sum + choices.length, 0);
  const boxes = (): readonly HTMLInputElement[] => [
    ...(set.current?.querySelectorAll<HTMLInputElement>('input[type=checkbox]') ?? []),
  ];
  const recount = (): void => setCount(boxes().filter(({ checked }) => checked).length);
  useEffect(() => {
    // The form may have its earlier input again, and is empty again once it was sent.
    recount();
    const { form } = set.current!;
    const later = (): void => queueMicrotask(recount);
    form?.addEventListener('reset', later);
    return () => form?.removeEventListener('reset', later);
  }, []);
  const tick = (checked: boolean): void => {
    for (const box of boxes()) box.checked = checked;
    // Forms that keep their input listen for it.
    set.current?.dispatchEvent(new Event('input', { bubbles: true }));
    recount();
  };
  return (
    <fieldset ref={set} onChange={recount} className="choices">
      <legend className="sr-only">{title}</legend>
      <div className="head-line">
        <span>
          <span className="label" aria-hidden>
            {title}
          </span>{' '}
          <span className="count" role="status">
            {count === total ? `all ${total}` : `${count} of ${total}`}
          </span>
        </span>
        <span className="actions">
          <Button kind="quiet" className="sm" disabled={count === total} onClick={() => tick(true)}>
            All
          </Button>
          <Button kind="quiet" className="sm" disabled={count === 0} onClick={() => tick(false)}>
            None
          </Button>
        </span>
      </div>
      <div className="groups">
        {groups.map(([heading, choices]) => (
          <div key={heading} role="group" aria-label={heading}>
            <p aria-hidden>{heading}</p>
            {choices.map(({ value, label }) => (
              <label key={value} className="check" title={value}>
                <input type="checkbox" name={name} value={value} defaultChecked={chosen.includes(value)} />
                {label}
              </label>
            ))}
          </div>
        ))}
      </div>
    </fieldset>
  );
}
