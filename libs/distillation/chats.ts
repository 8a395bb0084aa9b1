import type { JsonObject } from '#domain/json.js';
import { canonicalRequest, type RecordedCall } from './calls/canonical.js';
import { learnedCalls, newestOfCopies, Refused, type RowCounts, type RowsOrder, type TaughtRows } from './rows.js';
import type { LearnedTask } from './task.js';

export type TaughtChats =
  | (Pick<LearnedTask, 'template'> & {
      readonly kind: 'chats';
      /** The task's. */
      readonly id: string;
      /** As datasets of decoders have them; `source_inference_id` names the call. */
      readonly rows: readonly JsonObject[];
      readonly counts: RowCounts;
    })
  | Extract<TaughtRows, { readonly kind: 'refused' }>;

/** The chats that recorded calls of a task give, whatever the form of their answers: a language model learns them as they are. */
export function chatsOf(calls: readonly RecordedCall[], order: RowsOrder): TaughtChats {
  try {
    return taught(calls, order);
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', reason: error.message };
    throw error;
  }
}

function taught(calls: readonly RecordedCall[], order: RowsOrder): TaughtChats {
  const { task, members, counts } = learnedCalls(calls, order);
  const said = members.flatMap(({ answer: { tool, text }, ...each }) =>
    tool === null ? [{ ...each, answer: text }] : [],
  );
  if (said.length === 0)
    throw new Refused(`task ${task.id} cannot be learned by a language model: its answers are calls of a tool`);
  const { kept, copies, agreement } = newestOfCopies(calls, said);
  const requests = new Map(calls.map(({ id, request }) => [id, request]));
  return {
    ...{ kind: 'chats', id: task.id, template: task.template },
    rows: kept.map(({ id, answer }) => ({
      messages: messagesOf(requests.get(id)!, answer),
      source_inference_id: id,
    })),
    counts: {
      ...{ ...counts, notMapped: members.length - said.length },
      ...{ copies, nearCopies: 0, rows: kept.length, ownAgreement: agreement },
    },
  };
}

/** Parts of one message are lines of it. */
function messagesOf(request: JsonObject, answer: string): readonly JsonObject[] {
  const messages: { readonly role: string; content: string }[] = [];
  for (const { role, text } of [...canonicalRequest(request)!.parts, { role: 'assistant', text: answer }]) {
    const last = messages.at(-1);
    if (last?.role === role) last.content += `\n${text}`;
    else messages.push({ role, content: text });
  }
  return messages;
}
