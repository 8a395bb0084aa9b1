import { CutReader } from '../cut.js';
import { exactly, NO_STREAM, StreamNotFoundError, type Position } from '../port.js';
import { aStream, event, events, eventsIn, streamOf, subscribed, type LogUnderTest } from './log-under-test.js';

const ERASED = 'erased.v1';

export function cutting(log: LogUnderTest): void {
  describe('reading the log as it ended at a point', () => {
    const cutAt = (upTo: Position) => new CutReader(log.store, { upTo, later: [ERASED] });
    const idsOf = (recorded: readonly { readonly id: string }[]) => recorded.map(({ id }) => id);

    /** A stream that continues after the point, a stream that begins after it, and an erasure after it. */
    async function stored() {
      const [before, after, erasure] = [aStream(), aStream(), streamOf('erasure')];
      const [first, second] = [event(), event({ type: 'wanted.v1' })];
      await log.store.append(before, NO_STREAM, [first]);
      const { position: upTo } = await log.store.append(before, exactly(0), [second]);
      await log.store.append(before, exactly(1), events(2));
      await log.store.append(after, NO_STREAM, events(1));
      const erased = event({ type: ERASED });
      const { position: end } = await log.store.append(erasure, NO_STREAM, [erased]);
      await log.store.append(after, exactly(0), events(1));
      return { before, after, erasure, first, second, erased, upTo, end };
    }

    it('ends every stream there, and knows none that began later', async () => {
      const { before, after, first, second, upTo } = await stored();
      const cut = cutAt(upTo);
      const read = async (...options: Parameters<typeof cut.readStream>) =>
        idsOf(await Array.fromAsync(cut.readStream(...options)));
      expect(await read(before)).toEqual([first.id, second.id]);
      expect(await read(before, { direction: 'backwards', limit: 1 })).toEqual([second.id]);
      expect(await read(before, { fromRevision: 1 })).toEqual([second.id]);
      expect(await read(before, { fromRevision: 2 })).toEqual([]);
      await expect(read(after)).rejects.toBeInstanceOf(StreamNotFoundError);
      await expect(read(after, { fromRevision: 1 })).rejects.toBeInstanceOf(StreamNotFoundError);
    });

    it('shows what was erased since as erased', async () => {
      const { before, after, erasure, second, erased, upTo, end } = await stored();
      const cut = cutAt(upTo);
      expect(idsOf(await Array.fromAsync(cut.readStream(erasure)))).toEqual([erased.id]);
      const [last, cutOff] = await Promise.all([before, after].map((stream) => log.readStream(stream)));
      expect((await cut.eventAt(upTo))?.id).toBe(second.id);
      expect((await cut.eventAt(end))?.id).toBe(erased.id);
      for (const hidden of [last!.at(-1)!, cutOff![0]!]) expect(await cut.eventAt(hidden.position)).toBeNull();
      expect(await cut.head()).toEqual({ logId: (await log.store.head()).logId, position: end });
      const again = event({ type: ERASED });
      const { position } = await log.store.append(erasure, exactly(0), [again]);
      expect((await cut.head()).position).toBe(position);
    });

    it('reads in both directions up to there, and then what was erased', async () => {
      const { before, first, second, erased, upTo, end } = await stored();
      const cut = cutAt(upTo);
      const ours = new Set([first.id, second.id, erased.id]);
      const read = async (...options: Parameters<typeof cut.readAll>) =>
        idsOf(await Array.fromAsync(cut.readAll(...options))).filter((id) => ours.has(id));
      const [one] = await log.readStream(before);
      expect(await read({ after: log.start })).toEqual([first.id, second.id, erased.id]);
      expect(await read({ after: one!.position })).toEqual([second.id, erased.id]);
      expect(await read({ after: upTo })).toEqual([erased.id]);
      expect(await read({ after: end })).toEqual([]);
      expect(await read({ after: log.start, filter: { types: ['wanted.v1'] } })).toEqual([second.id]);
      expect(await read({ after: log.start, filter: { categories: ['erasure'] } })).toEqual([erased.id]);
      expect(await read({ direction: 'backwards', limit: 3 })).toEqual([erased.id, second.id, first.id]);
      expect(await read({ direction: 'backwards', after: end, limit: 1 })).toEqual([second.id]);
      expect(await read({ direction: 'backwards', after: upTo, limit: 1 })).toEqual([first.id]);
      expect(await read({ direction: 'backwards', limit: 1, filter: { types: ['wanted.v1'] } })).toEqual([second.id]);
      expect(idsOf(await Array.fromAsync(cut.readAll({ direction: 'backwards', limit: 1 })))).toEqual([erased.id]);
    });

    it('is caught up there, and goes on with what is erased', async () => {
      const { before, erasure, first, second, erased, upTo } = await stored();
      await using subscription = subscribed(cutAt(upTo), { after: log.start });
      const history = await subscription.until((message) => message.kind === 'caught-up');
      expect(idsOf(eventsIn(history))).toEqual([first.id, second.id, erased.id]);
      await log.store.append(before, exactly(3), events(1));
      const again = event({ type: ERASED });
      await log.store.append(erasure, exactly(0), [again]);
      const live = await subscription.until((message) => message.kind === 'events');
      expect(idsOf(eventsIn(live))).toEqual([again.id]);
    });

    it('is caught up where nothing that it asks for can be erased', async () => {
      const { second, upTo } = await stored();
      const ended = new AbortController();
      await using subscription = subscribed(cutAt(upTo), {
        ...{ after: log.start, signal: ended.signal },
        filter: { types: ['wanted.v1'] },
      });
      const history = await subscription.until((message) => message.kind === 'caught-up');
      expect(idsOf(eventsIn(history))).toEqual([second.id]);
      ended.abort();
      expect(await subscription.rest()).toEqual([]);
    });
  });
}
