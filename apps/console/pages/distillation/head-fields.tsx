import type { ReactElement } from 'react';
import { Select } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import type { Schema } from '../../api/client.js';
import { KINDS } from './heads.js';
import type { Task } from './savings.js';

export type WantedHead = Schema['WantedHeadBody'];

const fieldOf = (path: string): string => `head ${path}`;

/** What each place of the answers becomes, where there is a choice. */
export function HeadFields({ task: { heads } }: { readonly task: Task }): ReactElement | null {
  const open = (heads ?? []).filter(({ choices }) => choices.length > 1);
  if (open.length === 0) return null;
  return (
    <fieldset className="grid gap-2">
      <legend className="text-sm text-muted">What it answers, field by field</legend>
      <div className="flex flex-wrap items-start gap-3">
        {open.map(({ path, kind, choices }) => (
          <Select key={path} label={path} name={fieldOf(path)} defaultValue={kind}>
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {KINDS[choice]}
              </option>
            ))}
          </Select>
        ))}
      </div>
    </fieldset>
  );
}

/** The places that were chosen otherwise than is proposed. */
export const changedHeads = ({ heads }: Task, form: FormData): WantedHead[] =>
  (heads ?? []).flatMap(({ path, kind }) => {
    const chosen = form.has(fieldOf(path)) ? (textOf(form, fieldOf(path)) as WantedHead['kind']) : kind;
    return chosen === kind ? [] : [{ path, kind: chosen }];
  });
