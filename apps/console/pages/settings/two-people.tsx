import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../../api/client.js';
import { WORKSPACE, type Act } from '../../api/workspace.js';
import { Editable } from '../../components/permitted.js';
import { Problem } from '../../components/states.js';

const ACTS: readonly (readonly [Act, string])[] = [
  ['promote', 'promote a version'],
  ['force', 'take a version past the gate'],
  ['erase', 'erase contents'],
  ['delete', 'delete'],
];

/** Acts that one person proposes and another confirms. */
export function TwoPeople({ acts }: { readonly acts: readonly Act[] }): ReactElement {
  const queries = useQueryClient();
  const set = useMutation({
    mutationFn: (wanted: Act[]) => api.PUT('/workspace/two-people', { body: { acts: wanted } }),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: WORKSPACE }),
        queries.invalidateQueries({ queryKey: ['proposals'] }),
      ]),
  });
  return (
    <div className="grid gap-3">
      <Editable sends="PUT /workspace/two-people">
        <fieldset className="grid gap-1">
          <legend className="mb-1 text-sm text-muted">Two people are needed to</legend>
          {ACTS.map(([act, meaning]) => (
            <label key={act} className="check">
              <input
                type="checkbox"
                checked={acts.includes(act)}
                disabled={set.isPending}
                onChange={({ target }) =>
                  set.mutate(target.checked ? [...acts, act] : acts.filter((each) => each !== act))
                }
              />
              {meaning}
            </label>
          ))}
        </fieldset>
      </Editable>
      <p className="text-sm text-muted">
        Who asks proposes, and another person confirms within a week.
        {acts.length > 0 && ' Each change of this needs another owner too.'}
      </p>
      <Problem error={set.error} />
    </div>
  );
}
