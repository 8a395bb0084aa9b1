import { useState, type ReactElement } from 'react';
import { Input, Select, TextArea } from '../../components/field.js';
import { Page, Panel } from '../../components/page.js';
import { Empty, Loaded, Loading, Problem } from '../../components/states.js';
import { useFilters } from '../../components/use-filters.js';
import { Result } from './result.js';
import { CopyCall } from './copy-call.js';
import { useCallable, type Callable } from './models.js';
import { labelsIn, requestOf, type Asked } from './request.js';
import { useAnswer } from './use-answer.js';

export function PlaygroundPage(): ReactElement {
  const models = useCallable();
  return (
    <Page title="Playground" intro="Type a text, and see what a model makes of it.">
      <Loaded query={models}>
        {(list) =>
          list.length === 0 ? <Empty>There is no model to ask. Train one first.</Empty> : <Playground models={list} />
        }
      </Loaded>
    </Page>
  );
}

/** The chosen model is offered even where it has no name: a training job's id is a model. */
const withJob = (models: readonly Callable[], chosen: string | undefined): readonly Callable[] =>
  chosen === undefined || models.some(({ id }) => id === chosen)
    ? models
    : [{ id: chosen, title: chosen, hasLabels: true }, ...models];

function Playground({ models }: { readonly models: readonly Callable[] }): ReactElement {
  const [filters, change] = useFilters();
  const [text, setText] = useState('');
  const [store, setStore] = useState(false);
  const [threshold, setThreshold] = useState(0.5);
  const { model: chosen } = filters;
  const all = withJob(models, chosen);
  const model = all.find(({ id }) => id === chosen) ?? all[0]!;
  const [labels, setLabels] = useState(filters['labels'] ?? '');
  const asked: Asked = {
    model: model.id,
    labels,
    kind: filters['kind'] === 'classes' ? 'classes' : 'entities',
    store,
  };
  const complete = model.hasLabels || labelsIn(labels).length > 0;
  const answer = useAnswer(asked, text, complete);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Panel title="Question">
        <div className="grid gap-3">
          <Select label="Model" value={model.id} onChange={(event) => change({ model: event.target.value })}>
            {all.map(({ id, title }) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
          </Select>
          <Input
            label={model.hasLabels ? 'Labels (optional)' : 'Labels'}
            hint={`Separated by commas. ${model.hasLabels ? 'Without them, those that the model was trained with.' : ''}`}
            value={labels}
            placeholder="person, company, city"
            onChange={(event) => setLabels(event.target.value)}
            onBlur={() => change({ labels })}
          />
          <Select label="Labels are" value={asked.kind} onChange={(event) => change({ kind: event.target.value })}>
            <option value="entities">entities in the text</option>
            <option value="classes">classes of the text</option>
          </Select>
          <TextArea label="Text" rows={8} value={text} onChange={(event) => setText(event.target.value)} />
          <label className="flex items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="accent-accent"
              checked={store}
              onChange={(event) => setStore(event.target.checked)}
            />
            Record the calls, so that they can be corrected
          </label>
          <p className="text-sm text-muted">
            A call is made when you stop typing.{' '}
            {store ? 'Each is kept in the history.' : 'It is counted and priced; its content is not kept.'}
          </p>
        </div>
      </Panel>
      <Panel title="Answer" actions={<CopyCall request={requestOf(asked, text, threshold)} />}>
        <div className="grid gap-3" aria-live="polite" aria-busy={answer.isFetching}>
          <Problem error={answer.error} />
          {!complete ? (
            <Empty>Write the labels that the model is to look for.</Empty>
          ) : text.trim() === '' ? (
            <Empty>Type a text.</Empty>
          ) : answer.data ? (
            <Result answered={answer.data} threshold={threshold} onThreshold={setThreshold} />
          ) : (
            !answer.error && <Loading />
          )}
        </div>
      </Panel>
    </div>
  );
}
