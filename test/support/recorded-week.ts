import { systemContext } from '#log/context.js';
import { envelope } from '#log/execute.js';
import { mondayOf } from '#domain/drift/index.js';
import { NO_STREAM } from '#ports/event-store/port.js';
import type { TestApi } from './api.js';

/** Calls of version 1 of a named model that were recorded in another week, which find one traveller in each text. */
export async function recordedIn(
  api: Pick<TestApi, 'call' | 'drained' | 'application'>,
  week: string,
  name: string,
  texts: readonly string[],
  confidence: number,
): Promise<void> {
  const { body: model } = await api.call('GET', `/models/${name}`);
  const { workspaceId } = (await api.call('GET', `/events?stream=${model.stream}`)).body.events[0].data;
  const context = { ...systemContext('test', workspaceId), now: `${mondayOf(week)}T12:00:00.000Z` };
  const stream = `content-${workspaceId}-${week}-${name}`;
  const output = { entities: { traveller: [{ text: 'Anna' }], destination: [] } };
  const events = texts.map((text, at) =>
    envelope(
      stream,
      {
        type: 'call-content.v1',
        data: {
          ...{ inferenceId: `${week}-${at}`, workspaceId, modelId: name, modelName: name, modelVersion: 1 },
          content: { input: { text }, output, errorMessage: null },
          leastCertain: { confidence, label: 'traveller' },
        },
      },
      at,
      context,
    ),
  );
  await api.application.ports.eventStore.append(stream, NO_STREAM, events);
  await api.drained();
}
