import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactElement } from 'react';
import { api, body } from '../../api/client.js';
import { modelNames } from '../../api/queries.js';
import { Button } from '../../components/button.js';
import { Input } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { Problem } from '../../components/states.js';
import { toast } from '../../components/toast.js';
import { HEAD_BYTES, kindOf, requestsOf, type Kind } from './requests.js';

/** Uploads a file and has each line of it answered. Lines may be requests, or texts for one model. */
export function NewBatch({ onStarted }: { readonly onStarted: () => void }): ReactElement {
  const queries = useQueryClient();
  const models = useQuery(modelNames);
  const [kind, setKind] = useState<Kind | null>(null);
  const look = useMutation({
    mutationFn: async (file: File | undefined) => (file ? kindOf(await file.slice(0, HEAD_BYTES).text()) : null),
    onSuccess: setKind,
    onError: () => setKind(null),
  });
  const start = useMutation({
    mutationFn: async (form: FormData) => {
      const file = form.get('file') as File;
      const found = kindOf(await file.slice(0, HEAD_BYTES).text());
      const isTexts = 'texts' in found;
      const content = isTexts ? new Blob([requestsOf(await file.text(), textOf(form, 'model').trim())]) : file;
      const { id: input_file_id } = await upload(content, file.name);
      return body(
        api.POST('/v1/batches', {
          body: {
            input_file_id,
            endpoint: isTexts ? '/v1/chat/completions' : found.endpoint,
            completion_window: '24h',
            metadata: { file: file.name.slice(0, 512) },
          },
        }),
      );
    },
    onSuccess: async ({ request_counts: { total } }) => {
      toast(`Began a batch of ${total} requests.`);
      await queries.invalidateQueries({ queryKey: ['batches'] });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    start.mutate(new FormData(event.currentTarget), { onSuccess: onStarted });
  };
  return (
    <form onSubmit={submit} className="grid gap-3">
      <Input
        label="File"
        name="file"
        type="file"
        accept=".jsonl,.ndjson,.txt,.json"
        required
        hint="Requests as JSON lines (`custom_id`, `method`, `url`, `body`), or one text a line. At most 50,000 lines and 200 MiB."
        onChange={({ target }) => look.mutate(target.files?.[0])}
      />
      {kind && 'texts' in kind && (
        <Input
          label="Model"
          name="model"
          required
          maxLength={200}
          hint="The file has texts: this model is asked about each."
          options={(models.data?.models ?? []).map(({ name, description }) => [name, description ?? 'a name'] as const)}
        />
      )}
      {kind && 'endpoint' in kind && <p className="text-sm text-muted">Requests of POST {kind.endpoint}.</p>}
      <Problem error={look.error ?? start.error} />
      <p className="text-sm text-muted">
        Each line is a call of yours: priced, and kept in the history. You can close this page meanwhile.
      </p>
      <div>
        <Button kind="main" type="submit" disabled={start.isPending}>
          {start.isPending ? 'Uploading…' : 'Start the batch'}
        </Button>
      </div>
    </form>
  );
}

function upload(content: Blob, name: string) {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', content, name);
  // The browser writes the form, with the boundary of its parts.
  return body(api.POST('/v1/files', { body: form as never, bodySerializer: (sent: unknown) => sent as FormData }));
}
