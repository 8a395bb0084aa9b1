import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../../api/client.js';
import { WORKSPACE } from '../../api/workspace.js';
import { Editable } from '../../components/permitted.js';
import { Check } from '../../components/field.js';
import { Problem } from '../../components/states.js';

/** Whether analysts see contents. */
export function Analysts({ see }: { readonly see: boolean }): ReactElement {
  const queries = useQueryClient();
  const set = useMutation({
    mutationFn: (analysts_see_content: boolean) => api.PUT('/workspace', { body: { analysts_see_content } }),
    onSettled: () => queries.invalidateQueries({ queryKey: WORKSPACE }),
  });
  return (
    <div className="grid gap-3">
      <Editable sends="PUT /workspace">
        <Check label="Analysts see what calls and datasets say" checked={see} onChange={set.mutate} />
      </Editable>
      <p className="text-sm text-muted">
        Otherwise they see figures and states alone. Owners, developers and auditors see contents.
      </p>
      <Problem error={set.error} />
    </div>
  );
}
