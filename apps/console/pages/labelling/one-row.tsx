import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { BLANK, type Annotation } from '../../components/editor/annotation.js';
import { dropDraft, keep, readDraft } from '../../components/editor/drafts.js';
import { Editor, useEditor } from '../../components/editor/editor.js';
import { fromOutput } from '../../components/editor/output.js';
import { schemaOf, type Scheme } from '../../components/scheme/scheme.js';
import { Loading, Problem } from '../../components/states.js';
import { fromRow, isLabelled, textOfRow, type Row } from './row.js';
import type { Done } from './work.js';

interface Props {
  readonly row: Row;
  readonly scheme: Scheme;
  /** Id of the model that labels first; empty for none. */
  readonly model: string;
  readonly isBlind: boolean;
  /** The model's answer, if it is there already. */
  readonly answered: Annotation | undefined;
  /** Where changes are kept. */
  readonly draft: string;
  /** The decision made on this row before; undefined for none. */
  readonly was: Done | undefined;
  readonly onDone: (done: Done) => void;
}

/** A row in the editor: its draft, its own labels, or a model's answer. */
export function OneRow({ row, scheme, model, isBlind, answered, draft, was, onDone }: Props): ReactElement {
  const text = textOfRow(row);
  const needsModel = model !== '' && !answered && !isLabelled(row) && readDraft(draft) === null;
  const [attempt, setAttempt] = useState(0);
  const answer = useQuery({
    queryKey: ['labelling', model, text, scheme],
    queryFn: async ({ signal }) => {
      const schema = schemaOf(scheme)!;
      const request = { model_id: model, text, schema, store: false };
      const { type, ...answered } = await body(api.POST('/inference', { body: request, signal }));
      return type === 'encoder' && 'result' in answered ? answered.result : {};
    },
    enabled: needsModel && text !== '',
    staleTime: Infinity,
    retry: false,
  });
  if (text === '')
    return (
      <div className="grid gap-2">
        <p>This row has no text.</p>
        <div>
          <Button onClick={() => onDone('skipped')}>Skip</Button>
        </div>
      </div>
    );
  if (answer.isLoading) return <Loading rows={5} />;
  const ofModel = answered ?? (answer.data && fromOutput(text, answer.data, scheme));
  const initial = isBlind ? BLANK : (ofModel ?? fromRow(row));
  return (
    <>
      <Problem error={answer.error} retry={() => void answer.refetch()} />
      <Labelled
        key={attempt}
        text={text}
        scheme={scheme}
        initial={initial}
        draft={draft}
        was={was}
        onDone={onDone}
        onAnew={() => {
          dropDraft(draft);
          setAttempt(attempt + 1);
        }}
      />
    </>
  );
}

interface LabelledProps extends Pick<Props, 'scheme' | 'draft' | 'was' | 'onDone'> {
  readonly text: string;
  readonly initial: Annotation;
  readonly onAnew: () => void;
}

function Labelled({ text, scheme, initial, draft, was, onDone, onAnew }: LabelledProps): ReactElement {
  const editing = useEditor(text, scheme, initial, draft);
  const { annotation, past } = editing.state;
  const [isKept, setKept] = useState(true);
  // A draft of a row that is not done was changed before a reload.
  const [hadDraft] = useState(() => readDraft(draft) !== null);
  const isCorrected = past.length > 0 || was === 'corrected' || (hadDraft && was === undefined);
  const done = (): void => {
    const wasKept = keep(draft, annotation);
    setKept(wasKept);
    if (wasKept) onDone(isCorrected ? 'corrected' : 'accepted');
  };
  useEffect(() => setKept(true), [annotation]);
  return (
    <>
      <Editor editing={editing} onDone={done} autoFocus />
      {!isKept && <Problem error={new Error('This browser has no room for this row. Save what you have first.')} />}
      <div className="flex flex-wrap gap-2">
        <Button kind={was === undefined ? 'main' : 'plain'} onClick={done}>
          {isCorrected ? 'Correct, next' : 'Accept, next'} <kbd className="text-xs">Ctrl Enter</kbd>
        </Button>
        <Button onClick={() => onDone('skipped')}>Skip</Button>
        <Button onClick={onAnew}>Begin anew</Button>
      </div>
    </>
  );
}
