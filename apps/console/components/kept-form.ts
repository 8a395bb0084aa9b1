import { useCallback, type RefCallback } from 'react';
import { keepInTab } from './use-stored.js';

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
type Values = Readonly<Record<string, string | boolean>>;

/**
 * Keeps the input of a form over a reload of the tab, until `forget`. Passwords and files are not kept.
 * @param key the form's name in the tab's storage
 */
export function useKeptForm(key: string): { readonly ref: RefCallback<HTMLFormElement>; readonly forget: () => void } {
  const name = `anneal-form ${key}`;
  const ref = useCallback(
    (form: HTMLFormElement | null) => {
      if (!form) return;
      const stored = JSON.parse(sessionStorage.getItem(name) ?? '{}') as Values;
      for (const field of fieldsOf(form)) {
        const value = stored[keyOf(field)];
        if (value === undefined || value === valueOf(field)) continue;
        if (isBox(field)) field.checked = value === true;
        else field.value = String(value);
        // A section with input stays open.
        field.closest('details')?.setAttribute('open', '');
      }
      const save = (): void => keepInTab(name, valuesOf(form));
      form.addEventListener('input', save);
      return () => form.removeEventListener('input', save);
    },
    [name],
  );
  return { ref, forget: () => sessionStorage.removeItem(name) };
}

/** Fills a form before it is shown. @param key as of `useKeptForm` */
export const fillForm = (key: string, values: Values): void => keepInTab(`anneal-form ${key}`, values);

const isBox = (field: Field): field is HTMLInputElement => field.type === 'checkbox' || field.type === 'radio';

/** Boxes of one question have the same name. */
const keyOf = (field: Field): string => (isBox(field) ? `${field.name} ${field.value}` : field.name);
const valueOf = (field: Field): string | boolean => (isBox(field) ? field.checked : field.value);

const fieldsOf = (form: HTMLFormElement): readonly Field[] =>
  [...form.elements].filter(
    (element): element is Field =>
      (element instanceof HTMLInputElement && !['password', 'file'].includes(element.type) && element.name !== '') ||
      ((element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement) && element.name !== ''),
  );

const valuesOf = (form: HTMLFormElement): Values =>
  Object.fromEntries(fieldsOf(form).map((field) => [keyOf(field), valueOf(field)]));
