import { useCallback, type RefCallback } from 'react';

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/**
 * Keeps what is written in a form over a reload of the tab, until `forget`. Passwords and files are not kept.
 * @param key the form's name in the tab's storage
 */
export function useKeptForm(key: string): { readonly ref: RefCallback<HTMLFormElement>; readonly forget: () => void } {
  const name = `anneal-form ${key}`;
  const ref = useCallback(
    (form: HTMLFormElement | null) => {
      if (!form) return;
      const stored = JSON.parse(sessionStorage.getItem(name) ?? '{}') as Record<string, string | boolean>;
      for (const field of fieldsOf(form)) {
        const value = stored[field.name];
        if (value === undefined) continue;
        if (isBox(field)) field.checked = value === true || value === field.value;
        else field.value = String(value);
      }
      const save = (): void => sessionStorage.setItem(name, JSON.stringify(valuesOf(form)));
      form.addEventListener('input', save);
      return () => form.removeEventListener('input', save);
    },
    [name],
  );
  return { ref, forget: () => sessionStorage.removeItem(name) };
}

const isBox = (field: Field): field is HTMLInputElement => field.type === 'checkbox' || field.type === 'radio';

const fieldsOf = (form: HTMLFormElement): readonly Field[] =>
  [...form.elements].filter(
    (element): element is Field =>
      (element instanceof HTMLInputElement && !['password', 'file'].includes(element.type) && element.name !== '') ||
      ((element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement) && element.name !== ''),
  );

function valuesOf(form: HTMLFormElement): Record<string, string | boolean> {
  const values: Record<string, string | boolean> = {};
  for (const field of fieldsOf(form))
    if (!isBox(field)) values[field.name] = field.value;
    else if (field.type === 'checkbox') values[field.name] = field.checked;
    else if (field.checked) values[field.name] = field.value;
  return values;
}
