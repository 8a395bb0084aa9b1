import {
  useId,
  type InputHTMLAttributes,
  type ReactElement,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';
import { Prose } from './prose.js';

interface Labelled {
  readonly label: string;
  /** Explains the value or its bounds. */
  readonly hint?: ReactNode;
}

function Field({
  label,
  hint,
  children,
}: Labelled & { readonly children: (id: string, hintId?: string) => ReactElement }): ReactElement {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id, hint ? `${id}-hint` : undefined)}
      {hint && (
        <span id={`${id}-hint`} className="hint">
          {typeof hint === 'string' ? <Prose text={hint} /> : hint}
        </span>
      )}
    </div>
  );
}

interface InputProps extends Labelled, InputHTMLAttributes<HTMLInputElement> {
  /** Values that are proposed, each with a word on it; any other can be written too. */
  readonly options?: readonly (readonly [value: string, about: string])[];
}

export const Input = ({ label, hint, className = '', options, ...rest }: InputProps): ReactElement => (
  <Field label={label} hint={hint}>
    {(id, hintId) => (
      <>
        <input
          id={id}
          aria-describedby={hintId}
          className={`input ${className}`}
          {...(options && { list: `${id}-options` })}
          {...rest}
        />
        {options && (
          <datalist id={`${id}-options`}>
            {options.map(([value, about]) => (
              <option key={value} value={value} label={`${value}: ${about}`} />
            ))}
          </datalist>
        )}
      </>
    )}
  </Field>
);

export const TextArea = ({
  label,
  hint,
  className = '',
  ...rest
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>): ReactElement => (
  <Field label={label} hint={hint}>
    {(id, hintId) => (
      <textarea id={id} dir="auto" aria-describedby={hintId} className={`input ${className}`} {...rest} />
    )}
  </Field>
);

export const Select = ({
  label,
  hint,
  className = '',
  ...rest
}: Labelled & SelectHTMLAttributes<HTMLSelectElement>): ReactElement => (
  <Field label={label} hint={hint}>
    {(id, hintId) => <select id={id} aria-describedby={hintId} className={`input ${className}`} {...rest} />}
  </Field>
);

/** A checkbox with its meaning. */
export const Check = ({
  label,
  checked,
  onChange,
}: {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}): ReactElement => (
  <label className="check">
    <input type="checkbox" checked={checked} onChange={({ target }) => onChange(target.checked)} />
    {label}
  </label>
);
