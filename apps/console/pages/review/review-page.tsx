import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Check, Input, Select } from '../../components/field.js';
import { FilterBar } from '../../components/filter-bar.js';
import { Page } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { useFilters, type Filters } from '../../components/use-filters.js';
import { Agreement } from './agreement.js';
import { LastVerdicts, useLastVerdicts, useTakeBack } from './last-verdicts.js';
import { Queue } from './queue.js';

const STRATEGIES = {
  uncertain: 'the least certain answers',
  random: 'any answers, to estimate how often they are right',
  novel: 'texts least like those that the model learned from',
  errors: 'failed calls, and answers that are wrong without a correction',
  disagreement: 'answers on which reviewers or versions differ',
} as const;

type Strategy = keyof typeof STRATEGIES;

const FILTER_NAMES = {
  strategy: 'Show',
  model: 'Model',
  reviewer: 'Reviewer',
  second: 'Second opinion',
  assigned: 'Assigned to the reviewer alone',
};

const SHARES = { '': 'none', '0.1': 'a tenth', '0.25': 'a quarter', '1': 'all' };

/** Recorded answers, one at a time, for a person to judge. */
export function ReviewPage(): ReactElement {
  const [filters, change] = useFilters();
  const { strategy: asked = '', model = '', reviewer = '' } = filters;
  const strategy: Strategy = asked in STRATEGIES ? (asked as Strategy) : 'uncertain';
  const lacksModel = strategy === 'novel' && model === '';
  const query = queryOf(strategy, filters);
  const name = JSON.stringify(query);
  const queue = useQuery({
    queryKey: ['review', name],
    queryFn: () => body(api.GET('/review', { params: { query } })),
    enabled: !lacksModel,
    // A refetch would replace the call that is being judged.
    staleTime: Infinity,
  });
  return (
    <Page title="Review" intro="Each verdict is recorded; corrections become what the next version learns.">
      <FilterBar page="review" names={FILTER_NAMES} filters={filters} onChange={change}>
        <ReviewFilters strategy={strategy} filters={filters} onChange={change} />
      </FilterBar>
      {lacksModel ? (
        <Empty>Name a trained model in the filters: its training rows are what texts are compared with.</Empty>
      ) : (
        <Loaded query={queue} rows={6}>
          {({ items }) =>
            items.length === 0 ? (
              <NothingWaits onTaken={() => void queue.refetch()} />
            ) : (
              <Queue
                // Another answer of the API is another queue.
                key={`${name} ${queue.dataUpdatedAt}`}
                name={name}
                items={items}
                reviewer={reviewer}
                onEnd={() => void queue.refetch()}
              />
            )
          }
        </Loaded>
      )}
      <Agreement model={model} />
    </Page>
  );
}

/** An empty queue, to which a verdict that is taken back returns. */
function NothingWaits({ onTaken }: { readonly onTaken: () => void }): ReactElement {
  const { given, drop } = useLastVerdicts();
  const takeBack = useTakeBack((taken) => {
    drop(taken);
    onTaken();
  });
  return (
    <>
      <Empty>Nothing waits for review here. Calls come into the queue as models are called.</Empty>
      <LastVerdicts given={given} takeBack={takeBack} />
    </>
  );
}

function queryOf(strategy: Strategy, { model = '', reviewer = '', second = '', assigned = '' }: Filters) {
  const takesSecond = strategy === 'uncertain' || strategy === 'random';
  return {
    strategy,
    limit: 50,
    ...(model && { model_id: model }),
    ...(reviewer && { reviewer }),
    ...(assigned && { assigned: true }),
    ...(takesSecond && second in SHARES && second && { second_review_share: Number(second) }),
  };
}

interface FiltersProps {
  readonly strategy: Strategy;
  readonly filters: Filters;
  readonly onChange: (changes: Filters) => void;
}

const ReviewFilters = ({ strategy, filters, onChange }: FiltersProps): ReactElement => (
  <div className="flex flex-wrap items-start gap-3">
    <Select label="Show" value={strategy} onChange={({ target }) => onChange({ strategy: target.value })}>
      {Object.entries(STRATEGIES).map(([name, meaning]) => (
        <option key={name} value={name}>
          {meaning}
        </option>
      ))}
    </Select>
    <Input
      key={`model ${filters['model']}`}
      label="Model"
      placeholder="id or name@label"
      defaultValue={filters['model']}
      onBlur={({ target }) => onChange({ model: target.value.trim() })}
    />
    <Input
      key={`reviewer ${filters['reviewer']}`}
      label="Reviewer"
      placeholder="you"
      defaultValue={filters['reviewer']}
      onBlur={({ target }) => onChange({ reviewer: target.value.trim() })}
      hint="Where several people share a sign-in."
    />
    {(strategy === 'uncertain' || strategy === 'random') && (
      <Select
        label="Second opinion"
        value={filters['second'] ?? ''}
        onChange={({ target }) => onChange({ second: target.value })}
        hint="On answers that were judged once; hides the first verdict."
      >
        {Object.entries(SHARES).map(([share, words]) => (
          <option key={share} value={share}>
            {words}
          </option>
        ))}
      </Select>
    )}
    <div className="self-center">
      <Check
        label="Assigned to the reviewer alone"
        checked={Boolean(filters['assigned'])}
        onChange={(assigned) => onChange({ assigned: assigned ? 'yes' : '' })}
      />
    </div>
  </div>
);
