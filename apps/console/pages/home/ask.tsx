import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { Answer } from '../../components/answer.js';
import { Button } from '../../components/button.js';
import { TextArea } from '../../components/field.js';
import { Problem } from '../../components/states.js';
import { useStored } from '../../components/use-stored.js';

/**
 * Runs the first model in place, and draws its answer.
 * @param model undefined until one is trained
 */
export function Ask({ model }: { readonly model: string | undefined }): ReactElement {
  const queries = useQueryClient();
  const [text, setText] = useStored('first question', 'Where is order 90210? It should be in Ghent by now.');
  const ask = useMutation({
    mutationFn: (asked: string) => body(api.POST('/inference', { body: { model_id: model!, text: asked } })),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    ask.mutate(text);
  };
  return (
    <form onSubmit={submit} className="grid max-w-2xl gap-2">
      <TextArea
        label="Text"
        rows={2}
        required
        value={text}
        disabled={model === undefined}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button kind={model ? 'main' : 'plain'} type="submit" disabled={model === undefined || ask.isPending}>
          Ask
        </Button>
        {ask.data && (
          <Button onClick={() => void queries.invalidateQueries({ queryKey: ['inferences'] })}>
            Done: show the home page
          </Button>
        )}
      </div>
      <Problem error={ask.error} />
      {ask.data?.type === 'encoder' && ask.variables && <Answer text={ask.variables} output={ask.data.result} />}
    </form>
  );
}
