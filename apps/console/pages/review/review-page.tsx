import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Select } from '../../components/field.js';
import { Page, Panel } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { useFilters } from '../../components/use-filters.js';
import { Queue } from './queue.js';

const STRATEGIES = {
  uncertain: 'the least certain answers',
  random: 'any answers, to estimate how often they are right',
  errors: 'failed calls, and answers that are wrong without a correction',
  disagreement: 'answers on which reviewers or versions differ',
} as const;

type Strategy = keyof typeof STRATEGIES;

/** Recorded answers, one at a time, for a person to judge. */
export function ReviewPage(): ReactElement {
  const [filters, change] = useFilters();
  const { strategy: asked = '' } = filters;
  const strategy: Strategy = asked in STRATEGIES ? (asked as Strategy) : 'uncertain';
  const queue = useQuery({
    queryKey: ['review', strategy],
    queryFn: () => body(api.GET('/review', { params: { query: { strategy, limit: 50 } } })),
    // What is on the screen stays while it is judged.
    staleTime: Infinity,
  });
  return (
    <Page title="Review" intro="Each verdict is recorded; corrections become what the next version learns.">
      <Panel>
        <Select label="Show" value={strategy} onChange={(event) => change({ strategy: event.target.value })}>
          {Object.entries(STRATEGIES).map(([name, meaning]) => (
            <option key={name} value={name}>
              {meaning}
            </option>
          ))}
        </Select>
      </Panel>
      <Loaded query={queue} rows={6}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>Nothing waits for review here. Calls come into the queue as models are called.</Empty>
          ) : (
            <Queue key={strategy} items={items} onEnd={() => void queue.refetch()} />
          )
        }
      </Loaded>
    </Page>
  );
}
