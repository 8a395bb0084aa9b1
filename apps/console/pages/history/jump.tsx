import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { Button } from '../../components/button.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { Problem } from '../../components/states.js';
import type { Filters } from '../../components/use-filters.js';
import { number } from '../../components/values.js';
import { placeOf } from './use-calls.js';

interface Props {
  readonly filters: Filters;
  readonly total: number;
  /** Calls that are newer than the list. */
  readonly came: number;
  /** @param place of a row; the newest call has 0 */
  readonly onJump: (place: number) => void;
}

/** Leads to a time or a row of the list, without loading the rows before it. */
export function Jump({ filters, total, came, onJump }: Props): ReactElement {
  const within = (place: number): number => Math.min(total - 1, Math.max(0, place));
  const find = useMutation({
    mutationFn: (time: string) => placeOf(filters, time),
    onSuccess: (place) => onJump(within(place - came)),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [row, time] = [textOf(form, 'row'), textOf(form, 'time')];
    if (row) onJump(within(Number(row) - 1));
    else if (time) find.mutate(time);
  };
  return (
    <details>
      <summary>Go to a time or a row</summary>
      <form onSubmit={submit} className="mt-2 flex flex-wrap items-end gap-3" aria-label="Go to a place in the list">
        <Input label="Go to time" name="time" type="datetime-local" />
        <Input label={`or row, 1 to ${number(total)}`} name="row" type="number" min={1} max={total} className="w-36" />
        <Button type="submit" disabled={find.isPending}>
          Go
        </Button>
        <Problem error={find.error} />
      </form>
    </details>
  );
}
