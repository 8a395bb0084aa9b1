import { exactly, NO_STREAM, StreamNotFoundError } from '../port.js';
import { aStream, events, type LogUnderTest } from './log-under-test.js';

export function deleting(log: LogUnderTest): void {
  describe('deleting a stream', () => {
    it('is not found any more, and leaves no other out', async () => {
      const [gone, kept] = [aStream(), aStream()];
      await log.store.append(gone, NO_STREAM, events(600));
      await log.store.append(kept, NO_STREAM, events(2));
      await log.store.append(gone, exactly(599), events(1));
      await log.store.deleteStream(gone);
      await expect(log.readStream(gone)).rejects.toBeInstanceOf(StreamNotFoundError);
      for (const filter of [{}, { types: ['happened.v1'] }]) {
        const streams = (await log.readAll({ filter })).map((recorded) => recorded.stream);
        expect(streams.filter((s) => s !== gone)).toEqual([kept, kept]);
        if (log.traits.deletedEvents === 'removed') expect(streams).not.toContain(gone);
      }
    });

    it('gives its positions to no later event', async () => {
      const s = aStream();
      const before = await log.store.append(s, NO_STREAM, events(3));
      await log.store.deleteStream(s);
      const { position: head } = await log.store.head();
      expect(head! >= before.position).toBe(true);
      const after = await log.store.append(aStream(), NO_STREAM, events(1));
      expect(after.position > before.position).toBe(true);
    });

    it('says that a stream is not there, or no longer', async () => {
      const s = aStream();
      await expect(log.store.deleteStream(s)).rejects.toBeInstanceOf(StreamNotFoundError);
      await log.store.append(s, NO_STREAM, events(1));
      await log.store.deleteStream(s);
      await expect(log.store.deleteStream(s)).rejects.toBeInstanceOf(StreamNotFoundError);
    });

    const itWhereRemoved = log.traits.deletedEvents === 'removed' ? it : it.skip;
    itWhereRemoved('lets the name be written again from revision 0, at positions never given before', async () => {
      const s = aStream();
      const before = await log.store.append(s, NO_STREAM, events(3));
      await log.store.deleteStream(s);
      const { position: head } = await log.store.head();
      expect(head! >= before.position).toBe(true);
      await expect(log.store.append(s, exactly(2), events(1))).rejects.toMatchObject({ actualRevision: -1 });
      const after = await log.store.append(s, NO_STREAM, events(2));
      expect(after.revision).toBe(1);
      expect(after.position > before.position).toBe(true);
      const there = await log.readStream(s);
      expect(there).toHaveLength(2);
      expect(there.every(({ position }) => position > before.position)).toBe(true);
    });
  });
}
