import type * as StreamServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { credentials, status, type ServiceError } from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { append, event, underTest } from './client.fixture.js';
import { shared, streams, type StreamMessages } from './protocol/messages.js';
import { toStreamIdentifier } from './protocol/stream-identifier.js';
import { fromUuid, toUuid } from './protocol/uuid.js';

/** What the client never asks: requests that make no sense, and options that it leaves out. */
const running = underTest();
const { StreamsClient } = createRequire(import.meta.url)(
  '@eventstore/db-client/generated/streams_grpc_pb.js',
) as typeof StreamServices;
let stub: StreamServices.StreamsClient;
beforeEach(() => {
  stub = new StreamsClient(`127.0.0.1:${running.server.port}`, credentials.createInsecure());
});
afterEach(() => stub.close());

const { Options } = streams.ReadReq;
async function read(options: StreamMessages.ReadReq.Options | undefined): Promise<StreamMessages.ReadResp[]> {
  const request = new streams.ReadReq();
  if (options) request.setOptions(options);
  return (await stub.read(request).toArray()) as StreamMessages.ReadResp[];
}
const all = () =>
  new Options()
    .setAll(new Options.AllOptions().setStart(new shared.Empty()))
    .setNoFilter(new shared.Empty())
    .setCount('1000');

const appended = (...requests: StreamMessages.AppendReq[]): Promise<StreamMessages.AppendResp> =>
  new Promise((resolve, reject) => {
    const call = stub.append((error, response) => (error ? reject(error) : resolve(response)));
    call.on('error', () => undefined);
    for (const request of requests) call.write(request);
    call.end();
  });
const optionsOf = (stream: string) =>
  new streams.AppendReq().setOptions(
    new streams.AppendReq.Options().setStreamIdentifier(toStreamIdentifier(stream)).setNoStream(new shared.Empty()),
  );
const message = (properties: Readonly<Record<string, string>>) => {
  const proposed = new streams.AppendReq.ProposedMessage().setId(toUuid(randomUUID()));
  for (const [name, value] of Object.entries(properties)) proposed.getMetadataMap().set(name, value);
  return new streams.AppendReq().setProposedMessage(proposed);
};

test.each([
  ['without options', undefined],
  ['of neither a stream nor all', new Options().setCount('1')],
  ['without a count', new Options().setAll(new Options.AllOptions().setStart(new shared.Empty()))],
])('a read %s is an invalid argument', async (_name, options) => {
  await expect(read(options)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
});

test('a filter that is no expression is an invalid argument', async () => {
  const type = new Options.FilterOptions.Expression().setRegex('(');
  const options = all().setFilter(new Options.FilterOptions().setEventType(type));
  await expect(read(options)).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
});

test('a filtered read of the log counts what matches', async () => {
  await append(running.client, 'a-1', [event(0), event(1), event(2)]);
  const type = new Options.FilterOptions.Expression().setPrefixList(['happened']);
  const found = await read(all().setCount('2').setFilter(new Options.FilterOptions().setEventType(type)));
  expect(found.map((response) => response.getEvent()!.getEvent()!.getStreamRevision())).toEqual(['0', '1']);
});

test('ids come in the form that was asked for', async () => {
  const id = randomUUID();
  await append(running.client, 'a-1', [event(0, id)]);
  const found = await read(all().setUuidOption(new Options.UUIDOption().setStructured(new shared.Empty())));
  const given = found.at(-1)!.getEvent()!.getEvent()!.getId()!;
  expect(given.hasStructured()).toBe(true);
  expect(fromUuid(given)).toBe(id);
});

test('an append without options, and an event without a type, are invalid arguments; nothing is stored', async () => {
  const properties = { type: 'happened', 'content-type': 'application/json' };
  await expect(appended(message(properties))).rejects.toMatchObject({ code: status.INVALID_ARGUMENT });
  const failure = await appended(optionsOf('a-1'), message(properties), message({ type: 'happened' })).catch(
    (error: ServiceError) => error,
  );
  expect((failure as ServiceError).metadata.getMap()).toMatchObject({
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'content-type',
  });
  const found = await read(all());
  expect(found.some((response) => response.getEvent()!.getEvent()!.getMetadataMap().get('type') === 'happened')).toBe(
    false,
  );
});

test('an append of no events is answered with where the stream is', async () => {
  expect((await appended(optionsOf('a-1'))).getSuccess()!.hasNoStream()).toBe(true);
  await append(running.client, 'a-1', [event(0)]);
  expect((await appended(optionsOf('a-1'))).getWrongExpectedVersion()!.getCurrentRevision()).toBe('0');
});
