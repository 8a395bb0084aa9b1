import type { ReactElement } from 'react';
import { Page } from '../../components/page.js';
import { Empty, Loaded } from '../../components/states.js';
import { useFilters } from '../../components/use-filters.js';
import { Ask } from './ask.js';
import { Chat } from './chat.js';
import { useCallable, type Callable, type CallableModels } from './models.js';

export function PlaygroundPage(): ReactElement {
  const models = useCallable();
  return (
    <Page title="Playground" shape="columns" intro="Type a text, and see what a model makes of it. Decoders chat.">
      <Loaded query={models}>
        {(callable) =>
          callable.models.length === 0 ? (
            <Empty>There is no model to ask. Train one first.</Empty>
          ) : (
            <Playground {...callable} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** The chosen model is offered even without a name: a training job's id is a model. */
const withJob = ({ models, decoders }: CallableModels, chosen: string | undefined): readonly Callable[] =>
  chosen === undefined || models.some(({ id }) => id === chosen)
    ? models
    : [{ id: chosen, title: chosen, hasLabels: true, isName: false, isDecoder: decoders.has(chosen) }, ...models];

function Playground({ models, decoders }: CallableModels): ReactElement {
  const [filters, change] = useFilters();
  const all = withJob({ models: withJob({ models, decoders }, filters['model']), decoders }, filters['beside']);
  const model = all.find(({ id }) => id === filters['model']) ?? all[0]!;
  const chosen = { models: all, model, filters, onChange: change };
  return model.isDecoder ? <Chat {...chosen} /> : <Ask {...chosen} />;
}
