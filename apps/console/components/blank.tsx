import { createContext, useContext, type ComponentProps, type ReactElement, type ReactNode } from 'react';
import { ApiError } from '../api/client.js';

/** Why the API refused what a form of rules said; null: it did not. */
export const Refused = createContext<Error | null>(null);

const useReason = (names: readonly (string | undefined)[]): string | undefined => {
  const error = useContext(Refused);
  return error instanceof ApiError && error.field && names.includes(error.field.path) ? error.field.reason : undefined;
};

interface Named {
  /** The field's name, for people who cannot see the sentence that it stands in. */
  readonly label: string;
}

/** A field in a sentence. Its placeholder says what holds while it is empty. */
export const Blank = ({ label, ...rest }: Named & ComponentProps<'input'>): ReactElement => (
  <input aria-label={label} aria-invalid={useReason([rest.name]) ? true : undefined} className="blank" {...rest} />
);

/** A choice in a sentence; one without a value is drawn as an empty field. */
export const BlankChoice = ({ label, ...rest }: Named & ComponentProps<'select'>): ReactElement => (
  <select aria-label={label} aria-invalid={useReason([rest.name]) ? true : undefined} className="blank" {...rest} />
);

/** Sentences about one question. */
export const Rules = ({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactElement => (
  <section aria-label={title} className="min-w-0">
    <h3>{title}</h3>
    <ul className="rules">{children}</ul>
  </section>
);

interface RuleProps {
  /** Names of its fields: a refusal of one stands below the sentence. */
  readonly of: readonly string[];
  readonly children: ReactNode;
  /** Below the sentence: what is wrong with it, and what can be done. */
  readonly note?: ReactNode;
  readonly hidden?: boolean;
}

/** A sentence of a form, with its fields in it. */
export function Rule({ of, children, note, hidden }: RuleProps): ReactElement {
  const reason = useReason(of);
  return (
    <li hidden={hidden}>
      <p>{children}</p>
      {reason && (
        <p role="alert" className="wrong">
          {reason}
        </p>
      )}
      {note}
    </li>
  );
}
