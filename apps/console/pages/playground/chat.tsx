import { useMutation } from '@tanstack/react-query';
import { createParser } from 'eventsource-parser';
import { useEffect, useRef, type FormEvent, type ReactElement } from 'react';
import { fetchAnswer, refusal } from '../../api/client.js';
import { Button } from '../../components/button.js';
import { Input, TextArea } from '../../components/field.js';
import { textOf } from '../../components/form.js';
import { useKeptForm } from '../../components/kept-form.js';
import { Panel } from '../../components/page.js';
import { Empty, Problem } from '../../components/states.js';
import { useStored } from '../../components/use-stored.js';
import { ModelChoice, type Chosen } from './choice.js';
import { CopyCall } from './copy-call.js';

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** A conversation with a decoder, whose answers appear as they are generated. */
export function Chat(chosen: Chosen): ReactElement {
  const { model } = chosen;
  const [system, setSystem] = useStored('playground system', '');
  const [messages, setMessages] = useStored<readonly Message[]>('playground chat', []);
  const kept = useKeptForm('chat message');
  const stop = useRef(new AbortController());
  const requestOf = (said: readonly Message[]) => ({
    model: model.id,
    messages: [...(system.trim() ? [{ role: 'system', content: system }] : []), ...said],
    stream: true,
  });
  const ask = useMutation({
    mutationFn: async (said: readonly Message[]) => {
      stop.current = new AbortController();
      let content = '';
      for await (const part of streamed(requestOf(said), stop.current.signal)) {
        content += part;
        setMessages([...said, { role: 'assistant', content }]);
      }
    },
  });
  useEffect(() => () => stop.current.abort(), []);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const content = textOf(new FormData(event.currentTarget), 'message');
    if (content.trim() === '') return;
    const said: readonly Message[] = [...messages, { role: 'user', content }];
    setMessages(said);
    ask.mutate(said);
    event.currentTarget.reset();
    kept.forget();
  };
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[20rem_1fr]">
      <Panel title="Model">
        <div className="grid gap-3">
          <ModelChoice {...chosen} />
          <TextArea
            label="System message (optional)"
            rows={4}
            value={system}
            onChange={({ target }) => setSystem(target.value)}
          />
          <p className="text-sm text-muted">Each call is counted, priced and kept in the history.</p>
        </div>
      </Panel>
      <Panel
        title="Chat"
        actions={
          <>
            <CopyCall path="/v1/chat/completions" request={requestOf(messages.filter(isAsked))} />
            <Button disabled={messages.length === 0 || ask.isPending} onClick={() => setMessages([])}>
              Clear
            </Button>
          </>
        }
      >
        <div className="grid gap-3">
          <ol aria-label="Messages" aria-live="polite" aria-busy={ask.isPending} className="grid gap-2">
            {messages.map(({ role, content }, index) => (
              <li
                key={index}
                dir="auto"
                className={`max-w-[85%] rounded-lg px-3 py-2 whitespace-pre-wrap ${role === 'user' ? 'justify-self-end bg-active' : 'justify-self-start border border-line'}`}
              >
                <span className="sr-only">{role === 'user' ? 'You: ' : `${model.title}: `}</span>
                {content}
              </li>
            ))}
          </ol>
          {messages.length === 0 && <Empty>Write a message.</Empty>}
          <Problem error={ask.error?.name === 'AbortError' ? null : ask.error} />
          <form ref={kept.ref} className="flex flex-wrap items-end gap-2" onSubmit={submit}>
            <div className="grow">
              <Input label="Message" name="message" className="w-full" autoComplete="off" />
            </div>
            {ask.isPending ? (
              <Button onClick={() => stop.current.abort()}>Stop</Button>
            ) : (
              <Button kind="main" type="submit">
                Send
              </Button>
            )}
          </form>
        </div>
      </Panel>
    </div>
  );
}

/** Keeps the conversation up to its last question, which a program would send. */
const isAsked = ({ role }: Message, index: number, all: readonly Message[]): boolean =>
  role === 'user' || index < all.length - 1;

/** The answer of `POST /v1/chat/completions`, part by part. @throws ApiError, also for an error within the stream */
async function* streamed(request: object, signal: AbortSignal): AsyncGenerator<string> {
  const response = await fetchAnswer('/v1/chat/completions', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
    signal,
  });
  if (!response.ok || !response.body) throw await refusal(response);
  const parts: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => parts.push(data) });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    parser.feed(value);
    for (const data of parts.splice(0)) {
      if (data === '[DONE]') return;
      const chunk = JSON.parse(data) as { choices?: { delta?: { content?: string } }[]; error?: { message: string } };
      if (chunk.error) throw new Error(chunk.error.message);
      yield chunk.choices?.[0]?.delta?.content ?? '';
    }
  }
}
