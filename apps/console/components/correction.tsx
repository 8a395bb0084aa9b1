import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api, body, type Schema } from '../api/client.js';
import { Button } from './button.js';
import type { Annotation } from './editor/annotation.js';
import { dropDraft, keepWritten, readWritten } from './editor/drafts.js';
import { Editor, useEditor } from './editor/editor.js';
import { fromOutput, schemeIn, toOutput } from './editor/output.js';
import { Check, TextArea } from './field.js';
import { textOf } from './form.js';
import { textOfInput } from './input.js';
import { isRecord, json, type Json } from './json.js';
import { useCorrectionDraft, type Judged } from './judge.js';
import { schemeOf, type Scheme, type Task } from './scheme/scheme.js';
import { Loading, Problem } from './states.js';

/** A recorded call, as far as its correction needs it. */
export type Corrected = Pick<Schema['InferenceRecord'], 'id' | 'input' | 'output' | 'task' | 'training_job_id'> & {
  readonly human_corrected_output?: Json;
};

interface Props {
  readonly call: Corrected;
  readonly busy: boolean;
  readonly onSave: (judged: Judged) => void;
}

/** A form for the right answer: labels in the text, a text, or JSON for any other answer. */
export function Correction({ call, busy, onSave }: Props): ReactElement {
  const draft = useCorrectionDraft(call.id);
  const [asJson, setAsJson] = useState(() => readWritten(draft)?.asJson === true);
  const [attempt, setAttempt] = useState(0);
  const { scheme, isLoading } = useScheme(call);
  const answer = call.human_corrected_output ?? call.output;
  const [isUnchanged, setUnchanged] = useState(false);
  const save = (corrected: Json, given: Json, newLabels: readonly string[] = []): void => {
    const same = json(corrected) === json(given);
    setUnchanged(same);
    if (!same) onSave({ verdict: 'incorrect', corrected, newLabels });
  };
  if (isLoading) return <Loading rows={6} />;
  const isText = call.task === 'generate' && !Array.isArray(answer);
  const drawn = scheme && !asJson ? { scheme, text: textOfInput(call.input) } : null;
  const begun = {
    draft,
    busy,
    onDiscard: () => {
      dropDraft(draft);
      setAttempt(attempt + 1);
    },
  };
  return (
    <div className="grid gap-3">
      {isUnchanged && (
        <div role="alert" className="flex flex-wrap items-center gap-3">
          <span>This is the answer as the model gave it. Change what is wrong, or say that it is right.</span>
          <Button disabled={busy} onClick={() => onSave({ verdict: 'correct' })}>
            It is right
          </Button>
        </div>
      )}
      {drawn ? (
        <InText key={attempt} {...begun} {...drawn} answer={answer} given={call.output} onSave={save} />
      ) : (
        <Written
          key={`${attempt} ${asJson}`}
          {...begun}
          asJson={!isText || asJson}
          initial={isText && !asJson ? textOfAnswer(answer) : json(answer)}
          onSave={(corrected) => save(corrected, isText && !asJson ? textOfAnswer(call.output) : call.output)}
        />
      )}
      {(scheme || isText) && <Check label="Write it as JSON" checked={asJson} onChange={setAsJson} />}
    </div>
  );
}

/** The schema of an encoder's call. A call for a trained model's own labels names none, so the model is looked up. */
function useScheme({ input, output, task, training_job_id: job }: Corrected): {
  readonly scheme: Scheme | null;
  readonly isLoading: boolean;
} {
  const isDrawn =
    task !== 'generate' && task !== 'embed' && isRecord(output) && textOfInput(input) !== '' && !isBatch(input);
  const asked = isDrawn && isRecord(input) ? schemeOf(input['schema']) : null;
  const own = useQuery({
    queryKey: ['training', job, 'labels'],
    queryFn: async () => await body(api.GET('/felix/training-jobs/{id}', { params: { path: { id: job! } } })),
    enabled: isDrawn && asked === null && job !== null,
    staleTime: Infinity,
    // A job that was deleted leaves the labels of the answer.
    retry: false,
  });
  if (!isDrawn) return { scheme: null, isLoading: false };
  return {
    scheme: asked ?? schemeIn(output, own.data?.labels, own.data?.class_tasks?.map(taskOf)),
    isLoading: own.isLoading,
  };
}

const taskOf = ({ name, labels, multi_label: multiple }: Schema['ClassTaskRecord']): Task => ({
  name,
  labels,
  multiple,
});

const isBatch = (input: unknown): boolean => isRecord(input) && Array.isArray(input['text']);

/** A decoder's text, in whichever shape its route recorded it. */
function textOfAnswer(answer: unknown): string {
  const content = isRecord(answer) ? (answer['completion'] ?? answer['content']) : answer;
  return typeof content === 'string' ? content : '';
}

interface Begun {
  readonly draft: string;
  readonly busy: boolean;
  readonly onDiscard: () => void;
}

interface InTextProps extends Begun {
  readonly text: string;
  readonly scheme: Scheme;
  /** Where the correction begins. */
  readonly answer: unknown;
  /** The model's answer. */
  readonly given: unknown;
  readonly onSave: (corrected: Json, given: Json, newLabels: readonly string[]) => void;
}

function InText({ draft, text, scheme, answer, given, busy, onSave, onDiscard }: InTextProps): ReactElement {
  const editing = useEditor(text, scheme, fromOutput(text, answer, scheme), draft);
  const { annotation, scheme: now } = editing.state;
  const save = (): void => {
    const asked = new Set(scheme.entities?.map(({ name }) => name));
    const used = new Set(annotation.spans.map(({ label }) => label).filter((label) => !asked.has(label)));
    // A label that was added and not used would be refused.
    const entities = now.entities?.filter(({ name }) => asked.has(name) || used.has(name)) ?? null;
    const asOutput = (of: Annotation): Json => toOutput(text, of, { ...now, entities }, answer);
    onSave(asOutput(sorted(annotation)), asOutput(sorted(fromOutput(text, given, scheme))), [...used]);
  };
  return (
    <>
      <Editor editing={editing} open={scheme.entities !== null} onDone={save} autoFocus />
      <div className="flex flex-wrap gap-2">
        <Button kind="main" disabled={busy} onClick={save}>
          Save the right answer <kbd className="text-xs">Ctrl Enter</kbd>
        </Button>
        <Button disabled={busy} onClick={onDiscard}>
          Begin anew
        </Button>
      </div>
    </>
  );
}

/** Spans in the order of the text, however they were labelled. */
const sorted = (annotation: Annotation): Annotation => ({
  ...annotation,
  spans: annotation.spans.toSorted((a, b) => a.start - b.start || a.end - b.end),
});

interface WrittenProps extends Begun {
  /** Else as a text. */
  readonly asJson: boolean;
  readonly initial: string;
  readonly onSave: (corrected: Json) => void;
}

function Written({ draft, asJson, initial, busy, onSave, onDiscard }: WrittenProps): ReactElement {
  const [error, setError] = useState<Error | null>(null);
  const [kept] = useState(() => readWritten(draft));
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const written = textOf(new FormData(event.currentTarget), 'corrected');
    try {
      setError(null);
      onSave(asJson ? (JSON.parse(written) as Json) : written);
    } catch (cause) {
      setError(new Error(`The right answer must be JSON (${(cause as Error).message})`));
    }
  };
  return (
    <form onSubmit={submit} className="grid gap-3">
      <TextArea
        label={asJson ? 'The right answer, as JSON' : 'The right answer'}
        name="corrected"
        rows={10}
        autoFocus
        spellCheck={!asJson}
        className={asJson ? 'font-mono text-sm' : ''}
        defaultValue={kept?.asJson === asJson ? kept.text : initial}
        onChange={({ target }) => keepWritten(draft, { asJson, text: target.value })}
      />
      <Problem error={error} />
      <div className="flex flex-wrap gap-2">
        <Button kind="main" type="submit" disabled={busy}>
          Save the right answer
        </Button>
        <Button disabled={busy} onClick={onDiscard}>
          Begin anew
        </Button>
      </div>
    </form>
  );
}
