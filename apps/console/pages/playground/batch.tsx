import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { answerInShort } from '../history/answer-in-short.js';
import { Button } from '../../components/button.js';
import { spansIn } from '../../components/editor/output.js';
import { isRecord } from '../../components/json.js';
import { Panel } from '../../components/page.js';
import { SpanText } from '../../components/spans.js';
import { Empty, Loading, Problem } from '../../components/states.js';
import { Table } from '../../components/table.js';
import { counted, percent } from '../../components/values.js';
import type { Callable } from './models.js';
import { requestOf, type Asked } from './request.js';

interface Props extends Omit<Asked, 'model'> {
  readonly model: Callable;
  /** One a line. */
  readonly text: string;
  readonly threshold: number | null;
}

/** The lines that say something. */
const textsIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** One call about many texts, asked for by a button: its answers as a table, the texts with what was found in them. */
export function Batch({ model, scheme, store, text, threshold }: Props): ReactElement {
  const texts = textsIn(text);
  const ask = useMutation({
    mutationFn: async (asked: readonly string[]) => {
      const request = { ...requestOf({ model: model.id, scheme, store }, '', threshold), text: [...asked] };
      const answer = await body(api.POST('/inference', { body: request }));
      const results = answer.type === 'encoder' && Array.isArray(answer.result) ? answer.result : [];
      return asked.map((each, index) => ({ place: index + 1, text: each, result: results[index] }));
    },
  });
  return (
    <Panel
      title="Answers"
      actions={
        <Button kind="main" disabled={texts.length === 0 || ask.isPending} onClick={() => ask.mutate(texts)}>
          {ask.isPending ? 'Asking…' : `Ask about ${counted(texts.length, 'text')}`}
        </Button>
      }
    >
      <Problem error={ask.error} />
      {ask.isPending ? (
        <Loading rows={texts.length} />
      ) : ask.data ? (
        <Table
          caption="Answers to the texts"
          rows={ask.data}
          rowKey={({ place }) => String(place)}
          columns={[
            { head: 'Line', number: true, cell: ({ place }) => place, by: ({ place }) => place },
            {
              head: 'Text',
              cell: ({ text: of, result }) => (
                <SpanText text={of} spans={spansIn(of, isRecord(result) ? result['entities'] : undefined)} />
              ),
              by: ({ text: of }) => of,
            },
            { head: 'Answer', cell: ({ result }) => answerInShort(result).said || '–' },
            {
              head: 'Confidence',
              number: true,
              cell: ({ result }) => confidenceOf(result, percent) ?? '–',
              by: ({ result }) => confidenceOf(result, (share) => share),
            },
          ]}
        />
      ) : (
        <Empty>Paste texts, one a line, and ask about them together.</Empty>
      )}
    </Panel>
  );
}

function confidenceOf<T>(result: unknown, said: (share: number) => T): T | null {
  const { confidence } = answerInShort(result);
  return confidence === undefined ? null : said(confidence);
}
