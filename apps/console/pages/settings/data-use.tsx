import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Check } from '../../components/field.js';
import { Panel } from '../../components/page.js';
import { Editable } from '../../components/permitted.js';
import { Loaded, Problem } from '../../components/states.js';
import { ACCOUNT, useAccount } from './account.js';

/** Whether the team's data may improve the service's models. */
export function DataUse(): ReactElement {
  const queries = useQueryClient();
  const account = useAccount();
  const set = useMutation({
    mutationFn: (opted_out: boolean) => body(api.PUT('/account/data-use', { body: { opted_out } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ACCOUNT }),
  });
  return (
    <Panel title="Use of your data">
      <Loaded query={account} rows={3}>
        {({ data_use: { opted_out, can_opt_out, meaning } }) => (
          <div className="grid gap-3">
            {can_opt_out ? (
              <Editable sends="PUT /account/data-use">
                <Check label="Opted out, for the whole team" checked={opted_out} onChange={set.mutate} />
              </Editable>
            ) : (
              <p>The team's plan does not let it opt out.</p>
            )}
            <p className="text-sm text-muted first-letter:uppercase">{meaning}.</p>
            <Problem error={set.error} />
          </div>
        )}
      </Loaded>
    </Panel>
  );
}
