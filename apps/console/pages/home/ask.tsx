import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Answer } from '../../components/answer.js';
import { Button } from '../../components/button.js';
import { TextArea } from '../../components/field.js';
import { CopyCall } from '../playground/copy-call.js';
import { CorrectHere } from '../playground/correct-here.js';
import { Problem } from '../../components/states.js';
import { useStored } from '../../components/use-stored.js';

/** Texts like those of the sample. */
const EXAMPLES = [
  'Hello, Maria Lopez here. My parcel 90210 has not arrived in Ghent yet.',
  'I was charged twice for order 55512, please send the money back. Tom Berg',
  'Please change the address of order 33871 to Lisbon.',
] as const;

interface Props {
  /** Id or name of the model; undefined until one is trained. */
  readonly model: string | undefined;
  /** Whether it learned from the sample. */
  readonly isSample: boolean;
}

/** Runs the first model in place, draws its answer, takes a correction of it, and shows what comes next. */
export function Ask({ model, isSample }: Props): ReactElement {
  const queries = useQueryClient();
  const [text, setText] = useStored<string>('first question', EXAMPLES[0]);
  const ask = useMutation({
    mutationFn: async (asked: string) => {
      const request = { model_id: model!, text: asked };
      const answer = await body(api.POST('/inference', { body: request }));
      return { request, answer };
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    ask.mutate(text);
  };
  const answered = ask.data?.answer.type === 'encoder' ? { ...ask.data, answer: ask.data.answer } : null;
  return (
    <div className="grid max-w-2xl gap-4">
      <form onSubmit={submit} className="grid gap-2">
        {isSample && (
          <div className="flex flex-wrap gap-2" role="group" aria-label="Examples">
            {EXAMPLES.map((example, index) => (
              <Button key={example} disabled={model === undefined} onClick={() => setText(example)}>
                Example {index + 1}
              </Button>
            ))}
          </div>
        )}
        <TextArea
          label="Text"
          rows={2}
          required
          value={text}
          disabled={model === undefined}
          onChange={({ target }) => setText(target.value)}
        />
        <div>
          <Button
            kind={model && !answered ? 'main' : 'plain'}
            type="submit"
            disabled={model === undefined || ask.isPending}
          >
            Ask
          </Button>
        </div>
        <Problem error={ask.error} />
      </form>
      {answered && (
        <>
          <Answer text={answered.request.text} output={answered.answer.result} />
          <CorrectHere key={answered.answer.inference_id} answered={answered} threshold={null} />
          <Next
            request={answered.request}
            onDone={() => void queries.invalidateQueries({ queryKey: ['inferences'] })}
          />
        </>
      )}
    </div>
  );
}

interface NextProps {
  readonly request: { readonly model_id: string; readonly text: string };
  readonly onDone: () => void;
}

/** What comes after the first answer: the model's name, a call from a program, data of one's own. */
const Next = ({ request, onDone }: NextProps): ReactElement => (
  <section aria-labelledby="what-next" className="grid gap-2">
    <h3 id="what-next" className="font-semibold">
      What comes next
    </h3>
    <ul className="grid gap-1">
      <li>
        Its name is <a href={`/console/models/${request.model_id}`}>{request.model_id}</a>: the next version that you
        train with it, or that learns from corrections, is compared before it answers.
      </li>
      <li>
        A program calls it with an <a href="/console/keys">API key</a>, by curl, Python or TypeScript.
      </li>
      <li>
        It learns from your own texts too: <a href="/console/datasets/new">bring your own data</a>.
      </li>
    </ul>
    <div className="flex flex-wrap gap-2">
      <CopyCall path="/inference" request={request} />
      <Button kind="main" onClick={onDone}>
        Done: show the home page
      </Button>
    </div>
  </section>
);
