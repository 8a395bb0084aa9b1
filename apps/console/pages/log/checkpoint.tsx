import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Panel } from '../../components/page.js';
import { Loaded } from '../../components/states.js';
import { number } from '../../components/values.js';

/** The signed head of the tree over all events (a C2SP checkpoint): origin, size, root hash, then signatures. */
export function Checkpoint(): ReactElement {
  const checkpoint = useQuery({
    queryKey: ['checkpoint'],
    queryFn: () => body<string>(api.GET('/audit/checkpoint', { parseAs: 'text' })),
    refetchInterval: 60_000,
  });
  return (
    <Panel title="Proof">
      <Loaded query={checkpoint}>
        {(text) => {
          const [, size = '', root = ''] = text.split('\n');
          return (
            <div className="grid gap-2">
              <p>
                A signed checkpoint covers the first {number(Number(size))} events of the log. Root hash:{' '}
                <code className="break-all">{root}</code>
              </p>
              <p className="text-sm text-muted">
                Keep it outside of this system: <code>npx anneal audit verify</code> shows whether anything before it
                was changed since. A new one is signed every minute.
              </p>
              <pre
                tabIndex={0}
                aria-label="Checkpoint"
                className="overflow-x-auto rounded-md border border-line bg-back p-3 text-xs"
              >
                {text}
              </pre>
            </div>
          );
        }}
      </Loaded>
    </Panel>
  );
}
