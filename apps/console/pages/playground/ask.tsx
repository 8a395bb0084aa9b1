import { useEffect, type ReactElement } from 'react';
import { Button } from '../../components/button.js';
import { Check, Input, Select, TextArea } from '../../components/field.js';
import { Panel } from '../../components/page.js';
import { Permitted } from '../../components/permitted.js';
import { SchemeBuilder } from '../../components/scheme/builder.js';
import { isEmpty, NOTHING, type Scheme } from '../../components/scheme/scheme.js';
import { Empty, Loading, Problem } from '../../components/states.js';
import { useStored } from '../../components/use-stored.js';
import { percent } from '../../components/values.js';
import { Batch } from './batch.js';
import { ModelChoice, type Chosen } from './choice.js';
import { CopyCall } from './copy-call.js';
import { CorrectHere } from './correct-here.js';
import { KeepTest } from './keep-test.js';
import { LastTexts } from './last-texts.js';
import type { Callable } from './models.js';
import { NearRows } from './near-rows.js';
import { ASKED_THRESHOLD, requestOf, type Asked } from './request.js';
import { Result } from './result.js';
import { useAnswer } from './use-answer.js';
import { withText } from './with-text.js';

/** A text, the labels to find in it, and the answers of one encoder or two. */
export function Ask(chosen: Chosen): ReactElement {
  const { models, model, filters, onChange } = chosen;
  const [text, setText] = useStored('playground text', '');
  const [scheme, setScheme] = useStored<Scheme>('playground schema', NOTHING);
  const [store, setStore] = useStored('playground store', false);
  const [threshold, setThreshold] = useStored<number | null>('playground threshold', null);
  const [last, setLast] = useStored<readonly string[]>('playground last texts', []);
  const [isBatch, setBatch] = useStored('playground batch', false);
  const beside = models.find(({ id, isDecoder }) => id === filters['beside'] && !isDecoder);
  const asked = { scheme, store, text, threshold };
  return (
    <div className="columns even">
      <Panel title="Question">
        <div className="grid gap-3">
          <TextArea label="Text" rows={6} value={text} onChange={({ target }) => setText(target.value)} />
          <Check label="Many texts, one a line" checked={isBatch} onChange={setBatch} />
          <LastTexts texts={last} onChoose={setText} />
          <ModelChoice {...chosen} />
          <Select
            label="Beside it"
            value={beside?.id ?? ''}
            onChange={({ target }) => onChange({ beside: target.value })}
          >
            <option value="">no other model</option>
            {models
              .filter(({ id, isDecoder }) => !isDecoder && id !== model.id)
              .map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
          </Select>
          {model.hasLabels && (
            <p className="text-sm text-muted">Without a schema, it answers with the labels that it was trained with.</p>
          )}
          <SchemeBuilder scheme={scheme} onChange={setScheme} />
          <Input
            label={`Threshold: ${threshold === null ? "the model's own" : percent(threshold)}`}
            hint="Once moved, it hides what is less confident."
            type="range"
            min={ASKED_THRESHOLD}
            max={1}
            step={0.01}
            value={threshold ?? 0.5}
            onChange={({ target }) => setThreshold(Number(target.value))}
          />
          {threshold !== null && (
            <div>
              <Button onClick={() => setThreshold(null)}>Use the model's own threshold</Button>
            </div>
          )}
          <Check label="Record the calls" checked={store} onChange={setStore} />
          <p className="text-sm text-muted">
            {isBatch ? 'One call is made when you ask.' : 'A call is made when you stop typing.'}{' '}
            {store ? 'Each is kept in the history.' : 'It is counted and priced; its content is not kept.'}
          </p>
        </div>
      </Panel>
      <div>
        {isBatch ? (
          <Batch model={model} {...asked} />
        ) : (
          <>
            <AnswerOf
              model={model}
              {...asked}
              title={beside ? model.title : 'Answer'}
              onAnswered={(of) => last[0] !== of && setLast(withText(last, of))}
            />
            {beside && <AnswerOf model={beside} {...asked} title={beside.title} />}
            <Permitted sends="GET /felix/datasets/{name}/{version}/download">
              <NearRows text={text} />
            </Permitted>
          </>
        )}
      </div>
    </div>
  );
}

interface AnswerProps extends Omit<Asked, 'model'> {
  readonly model: Callable;
  readonly text: string;
  readonly threshold: number | null;
  readonly title: string;
  readonly onAnswered?: (text: string) => void;
}

function AnswerOf({ model, scheme, store, text, threshold, title, onAnswered }: AnswerProps): ReactElement {
  const asked: Asked = { model: model.id, scheme, store };
  const isComplete = model.hasLabels || !isEmpty(scheme);
  const answer = useAnswer(asked, text, threshold && ASKED_THRESHOLD, isComplete);
  const answered = answer.data?.request.text;
  useEffect(() => {
    if (answered) onAnswered?.(answered);
    // Once for each answer.
  }, [answered]);
  return (
    <Panel title={title} actions={<CopyCall path="/inference" request={requestOf(asked, text, threshold)} />}>
      <div className="grid gap-3" aria-live="polite" aria-busy={answer.isFetching}>
        <Problem error={answer.error} />
        {!isComplete ? (
          <Empty>Write what the model is to look for.</Empty>
        ) : text.trim() === '' ? (
          <Empty>Type a text.</Empty>
        ) : answer.data ? (
          <Result answered={answer.data} threshold={threshold} />
        ) : (
          !answer.error && <Loading />
        )}
      </div>
      {answer.data && isComplete && text.trim() !== '' && (
        // Outside the live region, which is read out by itself.
        <div className="mt-3 grid gap-3">
          {/* Until a text is answered, the answer to the one before is shown. */}
          {model.isName && isEmpty(scheme) && answered === text && (
            <KeepTest key={text} name={model.id} answered={answer.data} />
          )}
          <Permitted sends="POST /inferences/{id}/feedback">
            <CorrectHere key={JSON.stringify(answer.data.request)} answered={answer.data} threshold={threshold} />
          </Permitted>
        </div>
      )}
    </Panel>
  );
}
